"""Ranks of one machine leave their counts in shared memory."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from rank_cases import ROUND_OFF
from rank_mailbox import counted
from rank_runs import on_ranks

from zerograd.engine.ranks.mailbox import SLOT, GoneError, Mailbox


@pytest.fixture
def pair() -> tuple[Mailbox, Mailbox]:
    """Two ranks; they are one process, so that each takes the other for one that has ended."""
    file, path = tempfile.mkstemp()
    os.ftruncate(file, 2 * 2 * SLOT)
    Path(path).unlink()
    return Mailbox(file, 0, 2), Mailbox(os.dup(file), 1, 2)


def never() -> float:
    return 3600.0


def test_both_ranks_read_the_same_sums(pair: tuple[Mailbox, Mailbox]) -> None:
    first, second = pair

    messages = first.leave(3, 40), second.leave(2.5, 2)

    assert messages == (1, 1)
    assert first.sums(1, never) == second.sums(1, never) == (5.5, 42)


def test_a_rank_that_is_a_message_ahead_leaves_the_last_one_to_be_read(
    pair: tuple[Mailbox, Mailbox],
) -> None:
    first, second = pair
    first.leave(3, 0)
    second.leave(4, 0)
    first.sums(1, never)

    first.leave(5, 0)

    assert second.sums(1, never) == (7, 0)


def test_a_rank_that_ended_without_a_message_is_said(pair: tuple[Mailbox, Mailbox]) -> None:
    first, _ = pair

    message = first.leave(3, 0)

    with pytest.raises(GoneError, match="the other process has ended"):
        first.sums(message, never)


def test_what_is_half_written_is_not_read(pair: tuple[Mailbox, Mailbox]) -> None:
    first, second = pair
    first.leave(3, 0)
    second.leave(4, 0)
    second._memory[3 * SLOT + 9] ^= 1

    with pytest.raises(GoneError):
        first.sums(1, never)


def test_ranks_of_one_machine_count_in_its_memory_and_leave_no_file() -> None:
    for kind, error, names in on_ranks(2, counted, False):
        assert kind == "LeftMessage"
        assert error < ROUND_OFF
        assert names == 0


def test_ranks_of_which_one_has_another_memory_count_over_gloo() -> None:
    for kind, error, names in on_ranks(2, counted, True):
        assert kind == "SummedMessage"
        assert error < ROUND_OFF
        assert names is None
