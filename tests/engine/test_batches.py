"""`batches()`: windows, tails, breaks, lengths that lie, several engines over one loader."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn, optim

import zerograd
from zerograd.engine import nonfinite
from zerograd.errors import ArgumentError, LifecycleError, OpenWindowWarning


def engine(**options: Any) -> tuple[nn.Parameter, zerograd.Gradients]:
    weight = nn.Parameter(torch.zeros(1))
    return weight, zerograd.Gradients(optim.SGD([weight], lr=1.0), **options)


def sizes(gradients: zerograd.Gradients, weight: nn.Parameter, loader: Any) -> list[int]:
    """The micro-batches of each window that closed inside the loop."""
    steps = [gradients.backward(weight.sum()) for _ in gradients.batches(loader)]
    return [step.micro_batches for step in steps if step]


class Claims:
    """A loader whose length is wrong."""

    def __init__(self, batches: int, claimed: int) -> None:
        self.batches = batches
        self.claimed = claimed

    def __len__(self) -> int:
        return self.claimed

    def __iter__(self) -> Any:
        return iter(range(self.batches))


def test_the_last_batch_closes_a_short_window_before_backward_returns() -> None:
    weight, gradients = engine(accumulate=4)

    closed = sizes(gradients, weight, range(10))

    assert closed == [4, 4, 2]


def test_a_carried_tail_is_completed_by_the_next_epoch() -> None:
    weight, gradients = engine(accumulate=4, tail="carry")

    closed = sizes(gradients, weight, range(6)) + sizes(gradients, weight, range(6))

    assert closed == [4, 4, 4]


def test_a_dropped_tail_is_discarded_and_counted() -> None:
    weight, gradients = engine(accumulate=4, tail="drop")

    closed = sizes(gradients, weight, range(10))

    assert closed == [4, 4]
    assert weight.grad is None
    assert gradients.discarded == 1


def test_tail_error_raises_before_the_first_forward_where_the_length_is_known() -> None:
    _, gradients = engine(accumulate=4, tail="error")
    forwards: list[int] = []

    with pytest.raises(LifecycleError) as raised:
        forwards.extend(gradients.batches(range(10)))

    assert forwards == []
    assert raised.value.code == "ZG203"
    assert str(raised.value) == (
        "ZG203 tail-dropped: 10 batches end 2 of 4 micro-batches into a window, and "
        "tail='error'; pass tail='step', 'carry' or 'drop', or a loader with drop_last=True"
    )


def test_tail_error_raises_at_the_end_where_it_is_not() -> None:
    weight, gradients = engine(accumulate=4, tail="error")

    with pytest.raises(LifecycleError, match="the data ended 2 of 4 micro-batches into a window"):
        sizes(gradients, weight, iter(range(6)))

    gradients.discard()


def test_tail_error_is_silent_on_whole_windows() -> None:
    weight, gradients = engine(accumulate=4, tail="error")

    assert sizes(gradients, weight, range(8)) == [4, 4]


def test_a_loader_that_ends_early_has_its_tail_stepped_at_the_end() -> None:
    weight, gradients = engine(accumulate=4)

    closed = sizes(gradients, weight, Claims(6, claimed=8))

    assert closed == [4]
    assert gradients.steps == 2
    assert weight.item() == -2.0


def test_a_loader_that_goes_on_has_a_further_window() -> None:
    weight, gradients = engine(accumulate=4)

    closed = sizes(gradients, weight, Claims(9, claimed=6))

    assert closed == [4, 2]
    assert gradients.steps == 3


def test_a_continue_without_backward_is_no_micro_batch() -> None:
    weight, gradients = engine(accumulate=2)

    steps = []
    for index in gradients.batches(range(6)):
        if index % 2:
            continue
        steps.append(gradients.backward(weight.sum()))

    assert [bool(step) for step in steps] == [False, True, False]
    assert gradients.steps == 2


def test_the_next_batches_steps_what_a_break_left_open() -> None:
    weight, gradients = engine(accumulate=4)
    for _ in gradients.batches(range(8)):
        gradients.backward(weight.sum())
        break

    next(iter(gradients.batches(range(8))))

    assert gradients.steps == 1
    assert weight.item() == -1.0


def test_a_clean_exit_of_the_engine_applies_the_tail() -> None:
    weight, gradients = engine(accumulate=4)

    with gradients:
        gradients.backward(weight.sum())

    assert weight.item() == -1.0


def test_an_exit_with_an_exception_discards() -> None:
    weight, gradients = engine(accumulate=4)

    def fail() -> None:
        with gradients:
            gradients.backward(weight.sum())
            raise KeyError

    with pytest.raises(KeyError):
        fail()

    assert weight.grad is None
    assert gradients.discarded == 1


def test_an_engine_that_dies_with_an_open_window_warns() -> None:
    weight, gradients = engine(accumulate=4)
    gradients.backward(weight.sum())

    with pytest.warns(OpenWindowWarning, match=r"died 1 of 4 micro-batches into a window, last"):
        del gradients


def test_a_second_backward_in_one_batch_is_refused_and_says_what_to_write() -> None:
    weight, gradients = engine(accumulate=4)

    def loop() -> None:
        for _ in gradients.batches(range(4)):
            gradients.backward(weight.sum())
            gradients.backward(weight.sum())

    with pytest.raises(ArgumentError) as refused:
        loop()

    assert str(refused.value) == (
        "a second backward in one batch of batches() would be a second micro-batch; put "
        "several losses of one batch into `with gradients.micro_batch(items=n):`"
    )
    gradients.discard()


def test_several_losses_are_one_micro_batch_and_step_when_it_is_left() -> None:
    weight, gradients = engine(accumulate=2)
    steps = []

    for _ in gradients.batches(range(2)):
        with gradients.micro_batch(items=3) as micro:
            gradients.backward(weight.sum())
            gradients.backward(weight.sum())
        steps.append(micro.step)

    assert [step.micro_batches if step else None for step in steps] == [None, 2]
    assert weight.item() == -2.0


def test_an_exception_inside_a_micro_batch_discards_its_window() -> None:
    weight, gradients = engine(accumulate=2)

    def fail() -> None:
        with gradients.micro_batch():
            gradients.backward(weight.sum())
            raise KeyError

    with pytest.raises(KeyError):
        fail()

    assert gradients.discarded == 1
    assert gradients.flush() is None


def test_two_engines_share_one_loader() -> None:
    first, critic = engine(accumulate=2)
    second, generator = engine(accumulate=3)

    for _ in zerograd.batches(range(4), critic, generator):
        critic.backward(first.sum())
        generator.backward(second.sum())

    assert (critic.steps, generator.steps) == (2, 2)
    assert (first.item(), second.item()) == (-2.0, -2.0)


def test_an_engine_that_is_not_named_raises_at_the_end_if_its_window_stays_open() -> None:
    first, critic = engine(accumulate=2)
    second, generator = engine(accumulate=3)

    def loop() -> None:
        for _ in zerograd.batches(range(4), critic):
            critic.backward(first.sum())
            generator.backward(second.sum())

    with pytest.raises(LifecycleError) as raised:
        loop()

    assert raised.value.code == "ZG202"
    assert "write zerograd.batches(loader, first, second)" in str(raised.value)
    generator.discard()


def test_an_unnamed_engine_with_closed_windows_is_welcome() -> None:
    first, critic = engine(accumulate=2)
    second, generator = engine()

    for _ in zerograd.batches(range(4), critic):
        critic.backward(first.sum())
        generator.backward(second.sum())

    assert (critic.steps, generator.steps) == (2, 4)


def test_batches_has_the_loaders_length() -> None:
    _, gradients = engine()

    assert len(gradients.batches(range(7))) == 7


def test_windows_closed_by_hand_close_at_step() -> None:
    weight, gradients = engine(accumulate=None)

    for index in gradients.batches(range(6)):
        gradients.backward(weight.sum())
        if index in (1, 4):
            gradients.step()

    assert gradients.steps == 3
    assert weight.item() == -3.0


def test_accumulate_may_change_between_windows_only() -> None:
    weight, gradients = engine(accumulate=2)
    gradients.accumulate = 3
    gradients.backward(weight.sum())

    with pytest.raises(LifecycleError, match="accumulate cannot change 1 of 3 micro-batches into"):
        gradients.accumulate = 4

    gradients.discard()


def test_a_micro_batch_of_no_items_is_counted_and_not_deposited() -> None:
    weight, gradients = engine(accumulate=2)

    gradients.backward(weight.sum() * float("nan"), items=0)
    step = gradients.backward(weight.sum(), items=4)

    assert step is not None
    assert (step.micro_batches, step.items) == (2, 4)
    assert weight.item() == -1.0


def test_a_window_of_no_items_is_skipped_and_counted() -> None:
    weight, gradients = engine(accumulate=2)

    gradients.backward(weight.sum(), items=0)
    step = gradients.backward(weight.sum(), items=0)

    assert step is not None
    assert not step.applied
    assert (weight.item(), gradients.skipped) == (0.0, 1)


@pytest.mark.parametrize("fused", [False, True])
def test_a_window_that_only_the_device_knows_to_be_empty_is_skipped(
    fused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nonfinite, "stalls", lambda _: True)
    weight = nn.Parameter(torch.ones(1))
    gradients = zerograd.Gradients(
        optim.AdamW([weight], fused=fused), reduction="sum", accumulate=2
    )

    gradients.backward(weight.sum() * 0, items=torch.tensor(0))
    step = gradients.backward(weight.sum() * 0, items=torch.tensor(0))

    assert step is not None
    assert not step.applied
    assert weight.item() == 1.0
    assert gradients.skipped == 1


def bypassed(weight: nn.Parameter, gradients: zerograd.Gradients) -> None:
    for _ in gradients.batches(range(3)):
        weight.sum().backward()  # type: ignore[no-untyped-call]


def test_batches_whose_losses_all_went_by_the_engine_are_refused() -> None:
    weight, gradients = engine()

    with pytest.raises(LifecycleError) as refused:
        bypassed(weight, gradients)

    assert str(refused.value).startswith(
        "ZG303 never-spent: loss.backward() deposited into parameter 0 of SGD, shape (1,), and "
        "its engine, which had no deposit in all these batches, stepped nothing, noticed at "
    )
    assert str(refused.value).endswith(
        "; write gradients.backward(loss) instead of loss.backward()"
    )


def test_batches_that_go_by_the_engine_can_be_meant() -> None:
    weight, gradients = engine()

    with zerograd.allow("never-spent"):
        bypassed(weight, gradients)

    assert gradients.epoch == 1


def test_batches_without_any_backward_are_legal() -> None:
    weight, gradients = engine()
    weight.grad = torch.ones(1)

    assert list(gradients.batches(range(3))) == [0, 1, 2]


def test_an_unrelated_models_backward_inside_batches_is_legal() -> None:
    _, gradients = engine()
    other = nn.Parameter(torch.zeros(1))

    bypassed(other, gradients)

    assert gradients.epoch == 1


def test_a_critic_stepped_by_hand_may_send_its_loss_through_the_engines_model() -> None:
    weight, gradients = engine()
    critic = nn.Parameter(torch.ones(1))
    optimizer = optim.SGD([critic], lr=1.0)

    for _ in gradients.batches(range(3)):
        (weight * critic).sum().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        optimizer.zero_grad()

    assert gradients.epoch == 1


def test_an_engine_beside_one_that_steps_is_still_missed() -> None:
    weight, gradients = engine()
    other, stepping = engine()

    def train() -> None:
        for _ in zerograd.batches(range(3), stepping, gradients):
            stepping.backward(other.sum())
            weight.sum().backward()  # type: ignore[no-untyped-call]

    with pytest.raises(LifecycleError, match="ZG303 never-spent"):
        train()
