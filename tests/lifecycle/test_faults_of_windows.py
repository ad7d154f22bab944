"""Windows: each fault as a trace, and the trace next to it that is none."""

from __future__ import annotations

from typing import Any

import pytest
from traces import (
    back,
    build,
    epoch,
    faults,
    play,
    rescale,
    scaler_step,
    scaler_update,
    schedule,
    step,
    times,
    zero,
)

from zerograd.lifecycle import Event, Loop, Reduction

SGD = build("sgd", "w")
SPEND = (step(), zero("w"))
MEANT = Loop(meant=True)


def mean(**facts: Any) -> Event:
    return back("w", feed="train", drawn=True, reduction=Reduction.MEAN, **facts)


def test_means_of_several_batches_undivided_are_an_unnormalised_window() -> None:
    loop = times(2, times(4, mean()), SPEND)

    assert play(SGD, loop) == ["warning unnormalised-window at loss.backward"]


def test_divided_means_are_right() -> None:
    loop = times(3, times(4, mean(constants=(4,))), SPEND)

    assert play(SGD, loop) == []


def test_one_window_is_no_habit() -> None:
    assert play(SGD, times(4, mean()), SPEND) == []


def test_one_window_of_one_deposit_breaks_the_habit() -> None:
    assert play(SGD, mean(), SPEND, times(3, times(4, mean()), SPEND)) == []


def test_sums_need_no_divisor() -> None:
    deposit = back("w", feed="train", drawn=True, reduction=Reduction.SUM)

    assert play(SGD, times(3, times(4, deposit), SPEND)) == []


def test_a_loss_of_unknown_reduction_counts_where_the_window_is_declared() -> None:
    declared = back("w", feed="train", drawn=True, loop=Loop(declared=True))

    found = play(SGD, times(3, times(4, declared), SPEND))

    assert found == ["warning unnormalised-window at loss.backward"]


def test_a_loss_of_unknown_reduction_is_left_alone_elsewhere() -> None:
    deposit = back("w", feed="train", drawn=True)

    assert play(SGD, times(3, times(4, deposit), SPEND)) == []


def test_a_loop_over_tasks_is_a_hint() -> None:
    deposit = mean(loop=Loop(per_task=True))

    found = play(SGD, times(3, times(4, deposit), SPEND))

    assert found == ["hint unnormalised-window at loss.backward"]


def test_a_chunk_that_is_drawn_before_its_deposits_is_a_batch_for_each() -> None:
    first = back("w", feed="train", drawn=4, reduction=Reduction.MEAN)
    others = back("w", feed="train", reduction=Reduction.MEAN)

    found = play(SGD, times(3, first, times(3, others), SPEND))

    assert found == ["warning unnormalised-window at loss.backward"]


def test_a_loader_for_each_task_is_a_sum_by_design() -> None:
    tasks = [back("w", feed=task, drawn=1, reduction=Reduction.MEAN) for task in ("a", "b")]

    assert play(SGD, times(3, *tasks, SPEND)) == []


def test_without_a_loader_the_source_may_only_hint_at_the_window() -> None:
    shown = back("w", reduction=Reduction.MEAN, loop=MEANT)
    hidden = back("w", reduction=Reduction.MEAN)

    found = play(SGD, times(3, times(4, shown), SPEND))

    assert found == ["hint unnormalised-window at loss.backward"]
    assert play(SGD, times(3, times(4, hidden), SPEND)) == []


def test_several_losses_of_one_batch_are_a_sum_that_is_meant() -> None:
    deposit = back("w", feed="train", reduction=Reduction.MEAN)

    assert play(SGD, times(3, times(4, deposit), SPEND)) == []


def test_gradients_scaled_in_place_are_left_alone() -> None:
    loop = times(3, times(4, mean()), rescale("w"), SPEND)

    assert play(SGD, loop) == []


def test_a_divisor_other_than_the_number_of_deposits_is_a_wrong_divisor() -> None:
    loop = times(2, times(4, mean(constants=(8,))), SPEND)

    assert play(SGD, loop) == ["error wrong-divisor at loss.backward"]


def test_wrong_divisor_reads_both_numbers() -> None:
    (fault,) = faults(SGD, times(2, times(4, mean(constants=(8,))), SPEND))

    assert fault.readings == {"deposits": 4, "divisor": 8, "growing": False}


@pytest.mark.parametrize("constants", [(4,), (2, 2), (4, 2), (3, 4), (2, 3, 2)])
def test_a_constant_or_product_that_is_the_number_of_deposits_is_right(
    constants: tuple[int, ...],
) -> None:
    loop = times(3, times(4, mean(constants=constants)), SPEND)

    assert play(SGD, loop) == []


def test_a_divisor_of_one_divides_nothing() -> None:
    loop = times(3, times(4, mean(constants=(1,))), SPEND)

    assert play(SGD, loop) == []


def test_a_divisor_that_counts_what_a_clear_has_thrown_away_is_right_and_the_clear_is_not() -> None:
    deposits = times(2, mean(constants=(4,)))
    loop = times(3, deposits, zero("w", "in the middle"), deposits, SPEND)

    assert play(SGD, loop) == ["error zero-inside-window at in the middle"]


def test_a_growing_divisor_is_a_wrong_divisor_at_once() -> None:
    window = [mean(constants=(index,)) for index in (1, 2, 3)]

    assert play(SGD, window, SPEND) == ["error wrong-divisor at loss.backward"]


def test_a_growing_divisor_of_two_needs_a_second_window() -> None:
    window = [mean(constants=(1,)), mean(constants=(2,))]

    assert play(SGD, window, SPEND) == []
    assert play(SGD, times(2, window, SPEND)) == ["error wrong-divisor at loss.backward"]


def test_divisors_that_vary_with_the_data_are_left_alone() -> None:
    window = [mean(constants=(items,)) for items in (7, 5, 9)]

    assert play(SGD, times(3, window, SPEND)) == []


def test_a_short_tail_with_the_full_divisor_is_a_hint() -> None:
    full = (times(4, mean(constants=(4,))), SPEND)
    tail = (times(2, mean(constants=(4,))), SPEND)

    assert play(SGD, times(2, full), tail) == ["hint wrong-divisor at loss.backward"]


def test_a_sum_may_be_divided_by_the_items_of_the_whole_window() -> None:
    summed = back("w", constants=(16,), loop=MEANT, reduction=Reduction.SUM)

    assert play(SGD, times(3, times(4, summed), SPEND)) == []


def test_the_first_window_is_not_taken_for_a_full_one() -> None:
    short, full = times(2, mean(constants=(4,))), times(4, mean(constants=(4,)))

    assert play(SGD, short, SPEND, times(3, full, SPEND)) == []


def test_a_deposit_that_another_optimizer_spends_singly_may_have_any_divisor() -> None:
    both = back("vw", constants=(2,), loop=MEANT, reduction=Reduction.MEAN)
    fast = (both, step("fast"), zero("v"))

    found = play(build("fast", "v"), SGD, times(3, times(4, fast), SPEND))

    assert found == []


def test_a_window_that_reaches_into_the_next_epoch_is_tail_leaks() -> None:
    deposit = mean(constants=(2,))
    one_epoch = (epoch("train"), times(2, deposit, deposit, SPEND), deposit)

    found = play(SGD, times(2, one_epoch))

    assert found == ["warning tail-leaks at sgd.step"]


def test_tail_leaks_names_the_left_over_deposit_and_the_epoch() -> None:
    deposit = mean(constants=(2,))
    one_epoch = (epoch("train"), times(2, deposit, deposit, SPEND), deposit)

    (fault,) = faults(SGD, times(2, one_epoch))

    assert [witness.place for witness in fault.witnesses] == ["loss.backward", "loader"]
    assert fault.readings == {"deposits": 3, "full": 2}


def test_a_window_that_spans_epochs_and_is_no_longer_than_others_is_right() -> None:
    deposit = mean(constants=(2,))
    windows = times(3, deposit, deposit, SPEND)

    assert play(SGD, windows, deposit, epoch("train"), deposit, SPEND) == []


def test_tail_leaks_is_silent_while_no_whole_window_was_seen() -> None:
    deposit = mean(constants=(2,))

    assert play(SGD, deposit, epoch("train"), deposit, deposit, SPEND) == []


def test_a_first_window_of_one_under_a_modulo_is_window_off_by_one() -> None:
    deposit = mean(constants=(4,))
    spend = (step(modulo=True, condition="if i % 4 == 0"), zero("w"))

    found = play(SGD, deposit, spend, times(2, times(4, deposit), spend))

    assert found == ["warning window-off-by-one at if i % 4 == 0"]


def test_window_off_by_one_stands_on_the_step_when_its_test_is_not_known() -> None:
    deposit = mean(constants=(4,))
    spend = (step(modulo=True), zero("w"))

    found = play(SGD, deposit, spend, times(2, times(4, deposit), spend))

    assert found == ["warning window-off-by-one at sgd.step"]


def test_window_off_by_one_absorbs_the_wrong_divisor_of_its_tail() -> None:
    deposit = mean(constants=(4,))
    spend = (step(modulo=True), zero("w"))

    found = play(SGD, deposit, spend, times(2, times(4, deposit), spend), deposit, spend)

    assert found == ["warning window-off-by-one at sgd.step"]


def test_a_window_that_grows_later_is_not_off_by_one() -> None:
    deposit = mean(constants=(4,))
    spend = (step(modulo=True), zero("w"))

    found = play(SGD, times(2, deposit, spend), times(3, times(4, deposit), spend))

    assert found == []


def test_a_first_window_as_long_as_the_others_is_right() -> None:
    spend = (step(modulo=True), zero("w"))

    assert play(SGD, times(4, times(4, mean(constants=(4,))), spend)) == []


def test_the_rest_of_a_regular_window_is_tail_dropped() -> None:
    deposit = mean(constants=(2,))

    found = play(SGD, times(2, deposit, deposit, SPEND), deposit)

    assert found == ["hint tail-dropped at sgd.step"]


def test_a_run_that_an_exception_ended_dropped_nothing() -> None:
    deposit = mean(constants=(2,))

    found = play(SGD, times(2, deposit, deposit, SPEND), deposit, clean=False)

    assert found == []


def test_a_last_backward_after_windows_of_one_is_no_tail() -> None:
    assert play(SGD, times(3, mean(), SPEND), mean()) == []


def test_a_scheduler_step_at_each_micro_batch_is_scheduler_in_window() -> None:
    window = times(4, mean(constants=(4,)), schedule())

    found = play(SGD, times(2, window, SPEND))

    assert found == ["warning scheduler-in-window at scheduler.step"]


def test_of_a_schedule_that_seems_to_be_counted_in_micro_batches_that_is_a_hint() -> None:
    window = times(4, mean(constants=(4,)), schedule(planned=True))

    found = play(SGD, times(2, window, SPEND))

    assert found == ["hint scheduler-in-window at scheduler.step"]


def test_a_scheduler_step_at_each_window_is_right() -> None:
    window = times(4, mean(constants=(4,)))

    assert play(SGD, times(3, window, SPEND, schedule())) == []


def test_a_scheduler_step_at_each_of_one_deposit_is_right() -> None:
    assert play(SGD, times(3, mean(), SPEND, schedule())) == []


def test_sixteen_deposits_in_sixteen_bits_are_a_low_precision_window() -> None:
    window = times(16, back("w", sixteen_bit=True))

    found = play(SGD, window, SPEND, window, SPEND)

    assert found == ["hint low-precision-window at loss.backward"]


def test_fifteen_deposits_in_sixteen_bits_are_few_enough() -> None:
    assert play(SGD, times(15, back("w", sixteen_bit=True)), SPEND) == []


def test_a_skipped_step_is_not_judged_by_the_window_rules() -> None:
    window = times(4, mean(constants=(8,), scale=16.0))
    skip = (scaler_step(skipped=True), scaler_update(), zero("w"))

    assert play(SGD, times(3, window, skip)) == []
