"""SAM and its kin: optimizers that move, evaluate again and only then step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from engine_cases import mlp, relative_error, same, square, true_gradient
from torch import nn, optim

import zerograd
from zerograd.errors import ArgumentError, LifecycleError

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = [(5, 0), (2, 1), (7, 2)]


class Ascending(optim.Optimizer):
    """Sharpness-aware minimisation: climb, evaluate again, step from where it began."""

    def __init__(self, parameters: Any, lr: float = 0.1, rho: float = 0.05) -> None:
        super().__init__(parameters, {"lr": lr, "rho": rho})
        self.base = optim.SGD(self.param_groups, lr=lr)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def first_step(self) -> None:
        norm = torch.stack([p.grad.norm() for p in self._filled()]).norm()
        for parameter in self._filled():
            self.state[parameter]["before"] = parameter.clone()
            parameter.add_(parameter.grad, alpha=0.05 / float(norm))

    @torch.no_grad()
    def second_step(self) -> None:
        for parameter in self._filled():
            parameter.copy_(self.state[parameter]["before"])
        self.base.step()

    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        assert closure is not None, "it evaluates again"
        self.first_step()
        self.zero_grad()
        with torch.enable_grad():
            closure()
        self.second_step()

    def _filled(self) -> list[Any]:
        members = [p for group in self.param_groups for p in group["params"]]
        return [parameter for parameter in members if parameter.grad is not None]


def whole(model: nn.Module) -> torch.Tensor:
    """The mean over all samples of the window at once."""
    total = sum((square(model, size, seed, "sum") for size, seed in SIZES), torch.zeros(()))
    return total / sum(size for size, _ in SIZES)


def by_hand(model: nn.Module, steps: int) -> None:
    optimizer = Ascending(model.parameters())
    for _ in range(steps):
        optimizer.zero_grad()
        whole(model).backward()  # type: ignore[no-untyped-call]
        optimizer.first_step()
        optimizer.zero_grad()
        whole(model).backward()  # type: ignore[no-untyped-call]
        optimizer.second_step()


def close(first: nn.Module, second: nn.Module) -> bool:
    """Tell whether fp64 models agree below one fp32 rounding: any CPU's fp64 sums do."""
    return relative_error(list(first.parameters()), list(second.parameters())) < 2.0**-24


def deposit(gradients: zerograd.Gradients, model: nn.Module) -> None:
    for size, seed in SIZES:
        gradients.backward(square(model, size, seed), items=size)


def test_first_and_second_step_are_given_the_finished_gradient_of_a_window() -> None:
    plain, owned = mlp(torch.float64), mlp(torch.float64)
    by_hand(plain, 3)
    optimizer = Ascending(owned.parameters())
    gradients = zerograd.Gradients(optimizer, accumulate=None)

    for _ in range(3):
        deposit(gradients, owned)
        gradients.spend(optimizer.first_step, advance=False)
        deposit(gradients, owned)
        gradients.spend(optimizer.second_step)

    assert close(plain, owned)
    assert gradients.steps == 3


def test_a_closure_evaluates_again_after_an_open_window() -> None:
    plain, owned = mlp(torch.float64), mlp(torch.float64)
    by_hand(plain, 3)
    gradients = zerograd.Gradients(Ascending(owned.parameters()), accumulate=None)

    for _ in range(3):
        deposit(gradients, owned)
        gradients.step(lambda: deposit(gradients, owned))

    assert close(plain, owned)
    assert gradients.steps == 3


@pytest.mark.parametrize("clear", ["none", "zero"])
def test_what_is_handed_over_is_clipped_and_transformed(clear: str) -> None:
    model = mlp(torch.float64)
    expected = true_gradient(model, SIZES)
    limit = 0.5 * float(torch.cat([grad.flatten() for grad in expected]).norm())
    seen: list[float] = []
    gradients = zerograd.Gradients(
        optim.SGD(model.parameters(), lr=0.1), accumulate=None, clip_norm=limit, clear=clear
    )

    def look() -> None:
        halved = [grad / 2 for grad in expected]
        seen.append(relative_error([p.grad for p in model.parameters()], halved))

    deposit(gradients, model)
    step = gradients.spend(look)

    assert step.clipped
    assert max(seen) < 2.0**-24
    assert all(p.grad is None or not p.grad.any() for p in model.parameters())


def test_an_ascent_advances_neither_the_schedulers_nor_the_count() -> None:
    weight = nn.Parameter(torch.zeros(1))
    optimizer = optim.SGD([weight], lr=1.0)
    scheduler = optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    gradients = zerograd.Gradients(optimizer, accumulate=None, scheduler=scheduler)

    gradients.backward(weight.sum())
    gradients.spend(lambda: None, advance=False)
    between = (optimizer.param_groups[0]["lr"], gradients.steps)
    gradients.backward(weight.sum())
    step = gradients.spend(optimizer.step)

    assert between == (1.0, 0)
    assert (optimizer.param_groups[0]["lr"], gradients.steps) == (0.5, 1)
    assert step.index == 1
    assert weight.item() == -1.0


def test_spending_leaves_the_engine_as_it_was_for_the_next_window() -> None:
    weight = nn.Parameter(torch.zeros(1))
    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0), accumulate=None)
    gradients.backward(weight.sum())
    with pytest.raises(ZeroDivisionError):
        gradients.spend(lambda: 1 / 0)

    gradients.backward(weight.sum())
    gradients.step()

    assert weight.item() == -1.0
    assert (gradients.steps, gradients.discarded) == (1, 1)


def test_nothing_is_handed_over_where_nothing_was_deposited() -> None:
    gradients = zerograd.Gradients(Ascending(mlp(torch.float64).parameters()), accumulate=None)

    with pytest.raises(LifecycleError) as refused:
        gradients.spend(lambda: None)

    assert str(refused.value) == (
        "ZG301 step-without-backward: spend() has nothing to spend since the last window closed; "
        "call gradients.backward(loss) first"
    )


REFUSALS: list[tuple[dict[str, Any], str]] = [
    (
        {"accumulate": 4},
        "spend() closes windows by hand; write zerograd.Gradients(optimizer, accumulate=None)",
    ),
    (
        {"nonfinite": "skip"},
        "spend() cannot skip a call that was asked for; write nonfinite='raise', or 'propagate'",
    ),
    (
        {"scaler": torch.amp.GradScaler("cpu")},
        "spend() cannot skip a call that was asked for, as a scaler does; drop scaler=",
    ),
    (
        {"step_in_backward": True, "accumulate": 1},
        "step_in_backward=True has stepped already; write step_in_backward=False",
    ),
]


@pytest.mark.parametrize(("options", "reason"), REFUSALS)
def test_a_gradient_that_may_not_be_there_is_not_handed_over(
    options: dict[str, Any], reason: str
) -> None:
    model = mlp(torch.float64)
    options = {"accumulate": None, **options}
    gradients = zerograd.Gradients(optim.SGD(model.parameters()), **options)

    with pytest.raises(ArgumentError) as refused:
        gradients.spend(lambda: None)

    assert str(refused.value) == reason


def test_lbfgs_still_refuses_to_clear_an_open_window() -> None:
    weight = nn.Parameter(torch.ones(1))
    gradients = zerograd.Gradients(optim.LBFGS([weight]), accumulate=None)
    gradients.backward(weight.square().sum())

    with pytest.raises(LifecycleError, match=r"ZG103 zero-inside-window: step\(closure\) would"):
        gradients.step(lambda: None)

    gradients.discard()


def test_a_closure_that_is_never_called_after_a_window_is_no_fault() -> None:
    plain, owned = mlp(torch.float64), mlp(torch.float64)
    alone = optim.SGD(plain.parameters(), lr=0.1)
    square(plain, 3, 0).backward()  # type: ignore[no-untyped-call]
    alone.step()

    class Once(optim.SGD):
        """Looks at its closure only now and then."""

        def step(self, closure: Any = None) -> None:  # type: ignore[override]
            del closure
            super().step()

    gradients = zerograd.Gradients(Once(owned.parameters(), lr=0.1), accumulate=None)
    gradients.backward(square(owned, 3, 0))
    gradients.step(lambda: None)

    assert same(plain, owned)


def test_what_was_called_already_is_not_handed_the_gradient() -> None:
    weight = nn.Parameter(torch.zeros(2))
    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0), accumulate=None)
    gradients.backward(weight.sum())

    with pytest.raises(ArgumentError) as error:
        gradients.spend(None)  # type: ignore[arg-type]

    assert str(error.value) == (
        "spend() makes the call itself, got NoneType; write "
        "gradients.spend(optimizer.first_step), without parentheses behind it"
    )
    assert gradients.step().micro_batches == 1
