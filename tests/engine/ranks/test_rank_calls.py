"""Two sums over the ranks tell whether all of them make the same call, and which one differs."""

from __future__ import annotations

import pytest

from zerograd.engine.ranks.channel import (
    EXACT,
    HIGHEST,
    OCCASIONS,
    ON_DEVICE,
    UNREDUCED,
    Answer,
    Occasion,
    RankCall,
)
from zerograd.errors import LifecycleError

CLOSE = OCCASIONS.index(Occasion.CLOSE)
FLUSH = OCCASIONS.index(Occasion.FLUSH)
EPOCH = OCCASIONS.index(Occasion.EPOCH)


def heard(numbers: list[int], by: int) -> Answer:
    """What one rank hears when the ranks make these calls; each counts one item."""
    ranks = range(100, 100 + len(numbers))
    calls = [RankCall(number, ranks, place) for place, number in enumerate(numbers)]
    code = sum(call.code for call in calls)
    assert code < EXACT
    return calls[by].answered(len(numbers), code)


@pytest.mark.parametrize("size", [1, 2, 3, 256, 4096, 65536])
@pytest.mark.parametrize("number", range(HIGHEST + 1))
def test_ranks_that_make_the_same_call_hear_their_total(size: int, number: int) -> None:
    answer = heard([number] * size, by=size - 1)

    flags = number - CLOSE
    assert answer == Answer(size, size * (flags >= UNREDUCED), flags in (1, 3))


@pytest.mark.parametrize("by", [0, 1])
def test_of_two_ranks_each_hears_what_the_other_does(by: int) -> None:
    with pytest.raises(LifecycleError) as refused:
        heard([CLOSE, FLUSH], by)

    assert str(refused.value).startswith(
        "ZG502 ranks-diverge: rank 101 ends batches() or calls flush() where rank 100 closes a "
        "window; let all ranks make the same calls"
    )


@pytest.mark.parametrize("place", [0, 3, 199])
@pytest.mark.parametrize("by", [0, 3, 199])
def test_one_of_many_ranks_is_named(place: int, by: int) -> None:
    numbers = [CLOSE] * 200
    numbers[place] = EPOCH

    with pytest.raises(LifecycleError) as refused:
        heard(numbers, by)

    assert str(refused.value).startswith(
        f"ZG502 ranks-diverge: rank {100 + place} begins batches() where each of 199 ranks closes "
        "a window; "
    )


def test_among_thousands_of_ranks_one_is_counted_and_not_named() -> None:
    with pytest.raises(LifecycleError) as refused:
        heard([CLOSE] * 4095 + [FLUSH], by=0)

    assert str(refused.value).startswith(
        "ZG502 ranks-diverge: one rank ends batches() or calls flush() where each of 4095 ranks "
        "closes a window; "
    )


def test_calls_of_three_kinds_are_refused_on_every_rank() -> None:
    for by in range(3):
        with pytest.raises(LifecycleError, match="ZG502 ranks-diverge: "):
            heard([EPOCH, FLUSH, CLOSE], by)


@pytest.mark.parametrize("by", [0, 1, 2])
def test_ranks_that_close_alike_but_for_their_flags_hear_the_flags(by: int) -> None:
    plain = [CLOSE, CLOSE + ON_DEVICE, CLOSE]
    unreduced = [CLOSE, CLOSE + UNREDUCED, CLOSE]

    assert heard(plain, by) == Answer(3, 0, on_device=True)
    assert heard(unreduced, by) == Answer(3, 1, on_device=False)
