"""What the hooks of a closing window see, in their order: the table of docs/guides/migrate.md.

The means of two micro-batches, over 3 items and over 1, have gradients of 2 and 6: the mean over
all items is (3 * 2 + 1 * 6) / 4 = 3, which the clip makes 1. The loss scale of 8 shows in the hook
on the tensor alone.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch

import zerograd

OUTSIDE = ["tensor hook", "transform", "track", "on_step", "returned"]
"""Everybody but the scheduler, in their order."""


class Seen:
    """An engine over one weight of 1, and what everybody saw of it."""

    def __init__(self, numbers: list[tuple[float, int]]) -> None:
        self.weight = torch.nn.Parameter(torch.tensor([1.0]))
        self.optimizer = torch.optim.SGD([self.weight], lr=0.5)
        self.schedule = torch.optim.lr_scheduler.StepLR(self.optimizer, step_size=1, gamma=0.1)
        self.order: list[str] = []
        self.by: dict[str, tuple[Any, ...]] = {}
        hooked: Any = self.weight  # torch does not annotate register_hook
        hooked.register_hook(lambda grad: self.look("tensor hook", grad.item()))
        gradients = zerograd.Gradients(
            self.optimizer,
            accumulate=2,
            clip_norm=1.0,
            scaler=torch.amp.GradScaler("cpu", init_scale=8.0),
            scheduler=self.schedule,
            nonfinite="skip",
            transform=lambda _: self.look("transform", torch.is_grad_enabled()),
            track=lambda index, scalars: self.look("track", index, dict(scalars)),
            on_step=lambda step: self.look("on_step", step.index, step.norm, step.items),
        )
        for number, items in numbers:
            step = gradients.backward((self.weight * number).sum(), items=items)
        self.look("returned", step is not None and step.applied)

    def look(self, who: str, *more: Any) -> None:
        """Write down who looks, and at which gradient, weight and rate."""
        self.order.append(who)
        grad = None if self.weight.grad is None else self.weight.grad.item()
        rate = self.optimizer.param_groups[0]["lr"]
        self.by[who] = (grad, round(self.weight.item(), 6), round(rate, 6), *more)


@pytest.fixture
def seen() -> Seen:
    return Seen([(2.0, 3), (6.0, 1)])


def test_they_are_called_in_the_order_of_the_table(seen: Seen) -> None:
    assert seen.order == ["tensor hook", *OUTSIDE]


def test_a_tensor_hook_sees_one_micro_batch_scaled_and_weighed(seen: Seen) -> None:
    gradient = seen.by["tensor hook"][-1]

    assert gradient == pytest.approx(8 * 6 / 3)


def test_transform_sees_the_unscaled_mean_over_all_items_before_the_clip(seen: Seen) -> None:
    assert seen.by["transform"] == (pytest.approx(3.0), 1.0, 0.5, False)


def test_a_tracker_sees_the_figures_of_the_window_at_its_own_rate(seen: Seen) -> None:
    *_, rate, index, scalars = seen.by["track"]

    assert (rate, index) == (0.5, 1)
    assert {name: float(value) for name, value in scalars.items()} == {
        "gradients/micro_batches": 2,
        "gradients/items": 4,
        "gradients/norm": pytest.approx(3.0),
        "gradients/clipped": 1,
        "gradients/skipped": 0,
    }


def test_on_step_sees_new_weights_what_was_spent_and_the_rate_of_this_step(seen: Seen) -> None:
    assert seen.by["on_step"] == (pytest.approx(1.0), 0.5, 0.5, 1, pytest.approx(3.0), 4)


def test_the_caller_sees_cleared_gradients_and_the_next_rate(seen: Seen) -> None:
    assert seen.by["returned"] == (None, 0.5, 0.05, True)


def test_a_scheduler_counts_a_window_that_was_skipped() -> None:
    skipped = Seen([(2.0, 3), (float("inf"), 1)])

    assert skipped.by["returned"] == (None, 1.0, 0.05, False)
    assert float(skipped.by["track"][-1]["gradients/skipped"]) == 1
