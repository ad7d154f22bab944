"""Tell whether a learning-rate schedule is counted in micro-batches, by its length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from zerograd.source.schedules import counts_batches

if TYPE_CHECKING:
    from zerograd.source.lines import CallSite
    from zerograd.watch.observe.data_feeds import DataFeeds

LENGTHS = ("total_steps", "T_max", "total_iters")
"""What torch's schedulers call it."""

KEYWORD = "num_training_steps"
"""What the schedules of Transformers call it, which are functions for `LambdaLR`."""


class Schedules:
    """Each scheduler, asked once it is known what feeds."""

    def __init__(self) -> None:
        self._planned: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()

    def is_planned(self, scheduler: Any, feeds: DataFeeds, place: CallSite) -> bool:
        """Whether a schedule is as long as whole epochs, counted in micro-batches.

        Then it is right to advance at each of them. One that is counted in steps can have such a
        length by chance: whoever cannot know does not accuse.
        """
        known = self._planned.get(scheduler)
        if known is None:
            known = counts_batches(place.line.path) or (
                feeds.known and _fits(_length(scheduler), feeds.length())
            )
            if known or feeds.known:
                self._planned[scheduler] = known
        return known


def _fits(steps: int | None, batches: int | None) -> bool:
    return bool(steps and batches and steps % batches == 0)


def _length(scheduler: Any) -> int | None:
    parts = getattr(scheduler, "_schedulers", None)
    milestones = getattr(scheduler, "_milestones", None)
    if parts and milestones:  # one after the other, as a warm-up and what follows it
        last = _length(parts[-1])
        return None if last is None else milestones[-1] + last
    functions = getattr(scheduler, "lr_lambdas", ())
    found = [getattr(scheduler, name, None) for name in LENGTHS]
    found += [getattr(function, "keywords", {}).get(KEYWORD) for function in functions]
    return next((length for length in found if isinstance(length, int)), None)
