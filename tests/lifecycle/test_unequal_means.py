"""Means over different numbers of items: the trace that is a fault, and its neighbours."""

from __future__ import annotations

from typing import Any

import pytest
from traces import back, build, play, rescale, step, times, zero

from zerograd.lifecycle import Event, Loop, Reduction, UnequalMeans, Write, Writing
from zerograd.lifecycle.verdicts.accumulation import (
    SumFacts,
    average_in_window,
    unequal_micro_batches,
)

SGD = build("sgd", "w")
SPEND = (step(), zero("w"))
FAULT = "unequal-micro-batches at loss.backward"


def mean(**facts: Any) -> Event:
    return back("w", feed="train", drawn=True, constants=(4,), reduction=Reduction.MEAN, **facts)


def means(deposits: int = 4, source: str = "loss") -> Event:
    return UnequalMeans("sgd.step", "sgd", source, deposits, smallest=3.0, largest=40.0)


def test_two_windows_of_unequal_means_running_are_a_warning() -> None:
    assert play(SGD, times(2, times(4, mean()), means(), SPEND)) == [f"warning {FAULT}"]


def test_one_window_of_unequal_means_is_a_hint() -> None:
    assert play(SGD, times(4, mean()), means(), SPEND) == [f"hint {FAULT}"]


def test_a_window_of_equal_means_ends_the_run() -> None:
    window = (times(4, mean()), SPEND)
    unequal = (times(4, mean()), means(), SPEND)

    assert play(SGD, unequal, window, unequal) == [f"hint {FAULT}"]


def test_a_window_of_which_not_all_deposits_were_counted_is_not_judged() -> None:
    assert play(SGD, times(2, times(4, mean()), means(deposits=3), SPEND)) == []


def test_counts_of_another_source_are_not_those_of_the_window() -> None:
    assert play(SGD, times(2, times(4, mean()), means(source="other"), SPEND)) == []


def test_gradients_that_were_written_may_have_been_weighed() -> None:
    assert play(SGD, times(2, times(4, mean()), rescale("w"), means(), SPEND)) == []


def test_a_factor_in_the_loss_is_part_of_what_was_counted() -> None:
    factor = Write("loss.backward", frozenset("w"), Writing.RESCALE, in_loss=True)
    loop = times(2, times(4, mean(), factor), means(), SPEND)

    assert play(SGD, loop) == [f"warning {FAULT}"]


def test_a_loop_over_episodes_may_mean_it() -> None:
    loop = times(2, times(4, mean(loop=Loop(per_task=True))), means(), SPEND)

    assert play(SGD, loop) == [f"hint {FAULT}"]


def test_a_loop_that_declares_to_accumulate_does_not_run_over_tasks_whatever_its_names() -> None:
    named = Loop(per_task=True, declared=True)

    loop = times(2, times(4, mean(loop=named)), means(), SPEND)

    assert play(SGD, loop) == [f"warning {FAULT}"]


def test_deposits_of_two_sources_are_no_window_of_micro_batches() -> None:
    assert play(SGD, times(2, mean(), back("w", "other"), means(2), SPEND)) == []


PLAIN = SumFacts(several=True, written=False, singly=False)


@pytest.mark.parametrize("fact", ["per_task", "slight"])
def test_what_is_meant_or_slight_is_a_hint(fact: str) -> None:
    facts = {"unequal": True, "different_batches": True, "again": True}

    verdict = unequal_micro_batches(
        PLAIN, **{"per_task": False, "slight": False, **facts, fact: True}
    )

    assert verdict is not None
    assert str(verdict.severity) == "hint"


def test_an_average_that_moves_once_a_window_is_right() -> None:
    assert average_in_window(several=True, at_each_deposit=False) is None


def test_an_average_that_moves_with_each_deposit_is_a_warning() -> None:
    verdict = average_in_window(several=True, at_each_deposit=True)

    assert verdict is not None
    assert (verdict.rule, str(verdict.severity)) == ("average-in-window", "warning")
