"""Detect the beginning of an epoch from the loops around a deposit, where no DataLoader tells.

An epoch begins when the target of a loop around the feeding loop has changed since the last
deposit, or when the feeding loop's own integer target went down.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeAlias

from zerograd.hooks.call_site import users_frames
from zerograd.source.loops import loop_targets

if TYPE_CHECKING:
    from types import FrameType

    from zerograd.source.lines import CallSite

Value: TypeAlias = int | str | None


class EpochDetection:
    """The loop targets of each source, as they were at its last deposit."""

    def __init__(self) -> None:
        self._targets: dict[CallSite, list[tuple[str, ...]]] = {}
        self._last: dict[CallSite, list[Value]] = {}

    def epoch_begins(self, source: CallSite) -> bool:
        """Compare the loops around a deposit with what they were at the last one."""
        names = self._targets.get(source)
        if names is None:
            lines = [source.line] if source.caller is None else [source.line, source.caller]
            names = self._targets[source] = [loop_targets(line) for line in lines]
        if not any(names):
            return False
        values = _values(names)
        before, self._last[source] = self._last.get(source), values
        return before is not None and _went_around(before, values)


def _went_around(before: list[Value], now: list[Value]) -> bool:
    """Compare innermost first: the feeding loop's value, then those of the loops around it."""
    if len(before) != len(now) or not now:
        return False
    fed, feeding = before[0], now[0]
    if isinstance(fed, int) and isinstance(feeding, int) and feeding < fed:
        return True
    return before[1:] != now[1:]


def _values(names: list[tuple[str, ...]]) -> list[Value]:
    """Read the targets in the frames, innermost loop first; only ints and strings are kept."""
    found: list[Value] = []
    for frame, targets in zip(users_frames(), names, strict=False):
        found.extend(_read(frame, targets))
    return found


def _read(frame: FrameType, targets: tuple[str, ...]) -> list[Value]:
    variables = frame.f_locals
    values = [variables.get(name) for name in reversed(targets)]
    if variables is not frame.f_globals and sys.version_info < (3, 13):
        # Until 3.13 this is a snapshot that stays on the frame: it would keep the user's losses,
        # and their graphs, alive.
        variables.clear()
    return [value if isinstance(value, int | str) else None for value in values]
