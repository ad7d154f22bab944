"""An engine that is at work is not called by its own callbacks: nothing half done is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn, optim

import zerograd
from zerograd.errors import LifecycleError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

AT_WORK = (
    "this engine is at work, and was called by its own on_step=, transform=, optimizer or a hook "
    "of its backward; do it when the call has returned: step = gradients.backward(loss), then "
    "`if step:`"
)

CALLS: dict[str, Callable[[zerograd.Gradients, nn.Parameter], object]] = {
    "backward": lambda gradients, weight: gradients.backward(weight.sum()),
    "step": lambda gradients, _: gradients.step(),
    "flush": lambda gradients, _: gradients.flush(),
    "discard": lambda gradients, _: gradients.discard(),
    "close": lambda gradients, _: gradients.close(),
    "state_dict": lambda gradients, _: gradients.state_dict(),
    "load_state_dict": lambda gradients, _: gradients.load_state_dict({}),
    "accumulate": lambda gradients, _: setattr(gradients, "accumulate", 3),
}


def calling(
    call: Callable[[zerograd.Gradients, nn.Parameter], object], place: str
) -> tuple[zerograd.Gradients, nn.Parameter, list[str]]:
    """An engine whose callback makes this call, and what that call was answered."""
    weight = nn.Parameter(torch.zeros(2))
    answers: list[str] = []

    def callback(_: Any) -> None:
        with pytest.raises(LifecycleError) as refused:
            call(gradients, weight)
        answers.append(str(refused.value))

    callbacks: dict[str, Any] = {place: callback}
    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0), accumulate=2, **callbacks)
    return gradients, weight, answers


@pytest.mark.parametrize("place", ["on_step", "transform"])
@pytest.mark.parametrize("name", CALLS)
def test_a_callback_does_not_call_its_engine(name: str, place: str) -> None:
    gradients, weight, answers = calling(CALLS[name], place)

    steps = [gradients.backward(weight.sum() * factor) for factor in (2.0, 4.0)]

    assert answers == [AT_WORK]
    assert weight.tolist() == [-3.0, -3.0]
    assert [step is not None for step in steps] == [False, True]
    assert gradients.steps == 1


def test_a_hook_of_the_backward_does_not_call_its_engine() -> None:
    weight = nn.Parameter(torch.zeros(2))
    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0), accumulate=2)
    hook = weight.register_hook(lambda _: gradients.discard())  # type: ignore[no-untyped-call]

    with pytest.raises(LifecycleError) as refused:
        gradients.backward(weight.sum())
    hook.remove()  # the garbage collector does not look through it

    assert str(refused.value) == AT_WORK


def test_what_spend_calls_does_not_call_the_engine() -> None:
    weight = nn.Parameter(torch.zeros(2))
    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0), accumulate=None)
    gradients.backward(weight.sum())

    with pytest.raises(LifecycleError) as refused:
        gradients.spend(gradients.step)

    assert str(refused.value) == AT_WORK


def test_a_checkpoint_of_a_window_that_is_closing_is_refused(tmp_path: Path) -> None:
    weight = nn.Parameter(torch.zeros(2))
    file = tmp_path / "run.pt"
    gradients = zerograd.Gradients(
        optim.SGD([weight], lr=1.0), on_step=lambda _: zerograd.checkpoint(file, gradients)
    )

    with pytest.raises(LifecycleError) as refused:
        gradients.backward(weight.sum())

    assert str(refused.value) == AT_WORK
    assert not file.exists()


def test_a_checkpoint_after_the_step_is_taken_up(tmp_path: Path) -> None:
    weight = nn.Parameter(torch.zeros(2))
    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0))

    if gradients.backward(weight.sum()):
        zerograd.checkpoint(tmp_path / "run.pt", gradients)

    assert zerograd.resume(tmp_path / "run.pt", gradients)
    assert gradients.steps == 1


def test_another_engine_may_be_called_from_a_callback() -> None:
    weight, average = nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(2))
    following = zerograd.Gradients(optim.SGD([average], lr=0.5))
    gradients = zerograd.Gradients(
        optim.SGD([weight], lr=1.0), on_step=lambda _: follow(following, average, weight)
    )

    gradients.backward(weight.sum())

    assert average.tolist() == [-1.0, -1.0]


@torch.enable_grad()
def follow(gradients: zerograd.Gradients, average: nn.Parameter, weight: nn.Parameter) -> None:
    gradients.backward((average - weight.detach()).square().sum() / 2, items=1)
    gradients.backward((average - weight.detach()).square().sum(), items=1)
