"""Hand what a watched run measures to an experiment tracker: norms, clips, skipped steps, findings.

A window is handed over where the recorder has measured it: every one of a short run, ever fewer of
a long one, so that tracking costs what the HTML report costs.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from zerograd.history import Kind
from zerograd.printable import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zerograd.findings import Finding
    from zerograd.history import OptimizerCourse, Tracker

SHORTER = 1e-5
"""By how much a clip shortens a gradient at least; less is the rounding of two norms."""


class RunTracking:
    """Calls a tracker; one that raises is not called again, and the training goes on."""

    def __init__(self, track: Tracker) -> None:
        self._track: Tracker | None = track
        self._names: dict[int, str] = {}
        self._skipped: Counter[str] = Counter()
        self._last = 0

    def window(self, course: OptimizerCourse) -> None:
        """Hand over the window that is about to be closed."""
        name, step = self._name(course), course.step
        self._last = max(self._last, step)
        is_skipped = course.has(Kind.SKIP)
        self._skipped[name] += is_skipped
        norm, before = course.spent.at(step), course.unclipped.at(step)
        if norm is None and not is_skipped:
            return
        scalars: dict[str, float] = {
            f"{name}/micro_batches": course.deposits,
            f"{name}/skipped": self._skipped[name],
        }
        if norm is not None:
            # The norm of the gradient before a clip, as the engine's tracker is given it.
            scalars[f"{name}/norm"] = norm if before is None else before
        if norm is not None and before is not None:
            scalars[f"{name}/clipped"] = norm < before * (1 - SHORTER)
        loss, scale = course.loss.at(step), course.scale.at(step)
        scalars |= {} if loss is None else {f"{name}/loss": loss}
        scalars |= {} if scale is None else {f"{name}/scale": scale}
        self._hand_over(step, scalars)

    def findings(self, findings: Iterable[Finding], text: str) -> None:
        """Hand over how often each rule was broken, and the report."""
        counts: Counter[str] = Counter()
        for finding in findings:
            counts[f"findings/{finding.rule.name}"] += finding.count or 1
        if counts:
            self._hand_over(self._last, counts)
            self._report(text)

    def _name(self, course: OptimizerCourse) -> str:
        """Return the prefix of an optimizer's scalars: the first one's has no number."""
        number = len(self._names) + 1
        name = "gradients" if number == 1 else f"gradients/{number}"
        return self._names.setdefault(id(course), name)

    def _hand_over(self, step: int, scalars: Mapping[str, float]) -> None:
        try:
            if self._track is not None:
                self._track(step, scalars)
        except Exception as error:
            self._give_up(error)

    def _report(self, text: str) -> None:
        report = getattr(self._track, "report", None)
        try:
            if callable(report):
                report(text)
        except Exception as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self._track = None
        say(f"the tracker raised {type(error).__name__}: {error}; nothing more is tracked")
