"""Repairs of a loss scaler: unscale before the clip, update once behind the step."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events.event import EnclosingKind, SourceEvent
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.repair.place import after, before, removed, statement_here

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings import Edit
    from zerograd.lint.checks.evidence.case import Case, Draft
    from zerograd.lint.program.source_file import Source


def unscale(draft: Draft, _: Case, source: Source) -> Iterator[tuple[str, list[Edit]]]:
    """Unscale right before the clip."""
    clip = draft.events[0]
    stmt = statement_here(clip, draft)
    code = (draft.help or "").partition("`")[2].partition("`")[0]
    if stmt is not None and code.endswith(")"):
        yield f"insert `{code}` before the clip", [before(stmt, code, source)]


def update(draft: Draft, case: Case, source: Source) -> Iterator[tuple[str, list[Edit]]]:
    """Update the scaler behind its last step; never twice for one, which raises."""
    earlier = draft.events[0]
    stmt = statement_here(earlier, draft)
    code = (draft.help or "").partition("`")[2].partition("`")[0]
    # An update between unscaling and the step would have the step unscale again.
    if stmt is None or not code.endswith(")") or earlier.effect is not CallEffect.STEP:
        return
    added = after(stmt, code, source)
    waiting = _update_under_a_test(earlier, case)
    moved = statement_here(waiting, draft) if waiting is not None else None
    if waiting is None:
        yield f"insert `{code}` after the scaler step", [added]
    elif moved is not None:
        test = waiting.context[-1].node
        gone = test if getattr(test, "body", None) == [moved] else moved
        if isinstance(gone, ast.stmt) and not getattr(gone, "orelse", []):
            yield f"move `{code}` out of its test", [added, removed(gone)]


def _update_under_a_test(step: SourceEvent, case: Case) -> SourceEvent | None:
    """Return an update that waits for a test which the step does not, with no step in there."""
    for event in case.plan.events:
        if event.effect is not CallEffect.UPDATE or event.frame is not step.frame:
            continue
        test = event.context[-1] if event.context else None
        if test is None or test.place is not EnclosingKind.THEN or test in step.context:
            continue
        if not any(test in other.context for other in case.plan.events if _is_scaler_step(other)):
            return event
    return None


def _is_scaler_step(event: SourceEvent) -> bool:
    return event.effect is CallEffect.STEP and event.scaler is not None
