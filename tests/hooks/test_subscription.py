"""Torch is patched only where somebody listens, and whole after the last."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import distributed, nn, optim
from torch.nn.utils import clip_grad, clip_grad_norm_
from torch.optim.optimizer import _global_optimizer_pre_hooks

from zerograd.hooks import channels, own_backward, subscribe, unsubscribe
from zerograd.hooks.patch_kinds import ClosureCell
from zerograd.hooks.subscription import LACKING


def insides() -> dict[str, object]:
    return {
        "backward": vars(torch.autograd)["_engine_run_backward"],
        "optimizer clear": optim.Optimizer.zero_grad,
        "module clear": nn.Module.zero_grad,
        "clip": clip_grad.clip_grad_norm_.__closure__[0].cell_contents,  # type: ignore[index]
        "step": tuple(_global_optimizer_pre_hooks),
        "scale": torch.amp.GradScaler.scale,
        "loader": torch.utils.data.DataLoader.__iter__,
        "wrapper": nn.parallel.DistributedDataParallel.__setattr__,
        "reduction": distributed.all_reduce.__closure__[0].cell_contents,  # type: ignore[index]
    }


class Listener:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []


class HearsClears(Listener):
    def clear_begins(self, owner: object) -> None:
        self.heard.append(f"clear of {type(owner).__name__}")


class HearsBackwards(Listener):
    def foreign_backward_begins(self) -> None:
        self.heard.append("begins")

    def foreign_backward_ends(self, error: BaseException | None) -> None:
        self.heard.append(f"ends: {error}")


class AnswersClears(HearsClears):
    def around_clear(self, original: Any, otherwise: Any) -> Any:
        def zero_grad(owner: Any, set_to_none: bool = True) -> Any:
            if channels.around_clear.listener is not self:
                return otherwise(owner, set_to_none)
            self.heard.append("answered")
            return original(owner, set_to_none)

        return zero_grad


class HearsAll(Listener):
    def backward_begins(self, *_: Any) -> None:
        self.heard.append("backward")

    def step_begins(self, *_: Any) -> None:
        self.heard.append("step")

    def clip_begins(self, parameters: list[torch.Tensor], limit: float, by_value: bool) -> None:
        self.heard.append(f"clip of {len(parameters)} at {limit}, {by_value=}")


def test_only_what_is_listened_to_is_patched() -> None:
    before = insides()
    listener = HearsClears()

    subscribe(listener)
    patched = {name for name, value in insides().items() if value is not before[name]}
    unsubscribe(listener)

    assert patched == {"optimizer clear", "module clear"}
    assert insides() == before


def test_torch_stays_patched_until_the_last_listener_leaves() -> None:
    before = insides()
    first, second = HearsClears(), HearsClears()
    subscribe(first)
    subscribe(second)
    subscribe(second)

    unsubscribe(first)
    nn.Linear(1, 1).zero_grad()
    unsubscribe(second)

    assert (first.heard, second.heard) == ([], ["clear of Linear"])
    assert insides() == before


def test_names_that_were_imported_before_are_heard_too() -> None:
    listener = HearsAll()
    layer = nn.Linear(2, 1)
    subscribe(listener)

    clip_grad_norm_(layer.parameters(), 1.0)
    unsubscribe(listener)
    clip_grad_norm_(layer.parameters(), 1.0)

    assert listener.heard == ["clip of 2 at 1.0, by_value=False"]


def test_a_backward_is_told_before_and_after_with_its_error() -> None:
    listener = HearsBackwards()
    loss = nn.Parameter(torch.ones(1)).sum()
    subscribe(listener)

    loss.backward()  # type: ignore[no-untyped-call]
    with pytest.raises(RuntimeError):
        torch.ones(1).sum().backward()  # type: ignore[no-untyped-call]
    unsubscribe(listener)

    assert listener.heard[:3] == ["begins", "ends: None", "begins"]
    assert listener.heard[3].startswith("ends: element 0 of tensors does not require grad")


def test_autograd_grad_is_no_backward() -> None:
    listener = HearsBackwards()
    weight = nn.Parameter(torch.ones(1))
    subscribe(listener)

    torch.autograd.grad(weight.sum(), weight)
    unsubscribe(listener)

    assert listener.heard == []


def test_an_engines_own_backward_is_not_foreign_but_a_watcher_hears_it() -> None:
    engine, watcher = HearsBackwards(), HearsAll()
    weight = nn.Parameter(torch.ones(1))
    subscribe(engine)

    own_backward(weight.sum(), torch.ones(()), None, create_graph=False)
    quiet = list(engine.heard)
    subscribe(watcher)
    own_backward(weight.sum(), torch.ones(()), None, create_graph=False)
    unsubscribe(engine)
    unsubscribe(watcher)

    assert quiet == []
    assert watcher.heard == ["backward"]
    assert weight.grad is not None
    assert weight.grad.item() == 2.0


def test_a_step_is_told_before_it_is_taken() -> None:
    listener = HearsAll()
    optimizer = optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
    subscribe(listener)

    optimizer.step()
    unsubscribe(listener)

    assert listener.heard == ["step"]


def test_an_only_listener_answers_a_clear_itself_and_no_longer_when_another_joins() -> None:
    only, other = AnswersClears(), HearsClears()
    model = nn.Linear(1, 1)

    subscribe(only)
    clear = model.zero_grad
    clear()
    subscribe(other)
    clear()
    model.zero_grad()
    unsubscribe(other)
    model.zero_grad()
    unsubscribe(only)
    clear()

    assert only.heard == ["answered", "clear of Linear", "clear of Linear", "answered"]
    assert other.heard == ["clear of Linear", "clear of Linear"]


def test_what_was_taken_while_an_only_listener_answered_is_heard_when_it_listens_again() -> None:
    only = AnswersClears()
    model = nn.Linear(1, 1)
    subscribe(only)
    clear = model.zero_grad
    unsubscribe(only)

    subscribe(only)
    clear()
    unsubscribe(only)

    assert only.heard == ["answered"]


def plain() -> None:
    """A function without a closure, as a torch without this decorator would have."""


def other_closure(function: Any) -> Any:
    """Return a function whose closure has other names, as another torch's decorator might."""

    def call() -> Any:
        return function()

    return call


@pytest.mark.parametrize("decorated", [plain, other_closure(plain), len, None])
def test_a_closure_that_another_torch_does_not_have_is_missing_and_no_mistake(
    decorated: Any,
) -> None:
    patch = ClosureCell(decorated, "func", lambda original: original)

    with pytest.raises(LACKING, match="this torch has no func in the closure of "):
        patch.install()


def test_the_closure_that_this_torch_has_is_found() -> None:
    patch = ClosureCell(other_closure(plain), "function", lambda original: original)

    patch.install()
    patch.remove()

    assert patch.original is plain
