"""What lint has looked at: every training loop, checked or not, and what stopped it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from zerograd.lint.events.event import Place
from zerograd.lint.knowledge import Effect
from zerograd.lint.syntax import text
from zerograd.record import record

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

    from zerograd.findings import Location
    from zerograd.lint.events.event import Event
    from zerograd.lint.interpret.plan import Plan
    from zerograd.lint.module import Module


@record(frozen=True)
class LoopReach:
    """One training loop and whether its accounts could be followed."""

    location: Location
    stopped: str | None = None
    """What kept it from being checked; None when it was."""

    @property
    def checked(self) -> bool:
        """The loop was followed to its end."""
        return self.stopped is None


def loops_of(plan: Plan, stopped: str | None) -> list[tuple[Module, LoopReach]]:
    """Return the innermost loops of a root that deposit or spend."""
    found: dict[int, tuple[ast.AST, Module, list[Event]]] = {}
    for event in plan.events:
        if event.effect not in (Effect.DEPOSIT, Effect.STEP, Effect.UNKNOWN):
            continue
        loops = [item for item in event.context if item.place is Place.LOOP]
        if loops:
            home = loops[-1]
            entry = found.setdefault(id(home.node), (home.node, home.frame.function.module, []))
            entry[2].append(event)
    return [
        (module, LoopReach(module.source.locate(node), stopped or _reason(events, plan)))
        for node, module, events in found.values()
        if any(event.effect is not Effect.UNKNOWN for event in events)
    ]


def _reason(events: list[Event], plan: Plan) -> str | None:
    """Return the first event that leaves the loop's accounts unknown."""
    for event in events:
        if event.effect is Effect.UNKNOWN:
            func = getattr(event.node, "func", event.node)
            return f"unresolved `{text(func)}`"
    if not plan.holders:
        return "no optimizer in sight"
    return None


def summary(loops: Iterable[LoopReach]) -> str:
    """`41 loops: 29 checked, 12 not (unresolved `engine.run` in 7, ...)`.

    >>> summary([])
    '0 loops'
    """
    every = list(loops)
    reasons = Counter(loop.stopped for loop in every if loop.stopped is not None)
    count = f"{len(every)} loop{'' if len(every) == 1 else 's'}"
    if not every:
        return count
    checked = len(every) - reasons.total()
    if not reasons:
        return f"{count}: all checked"
    why = ", ".join(f"{reason} in {number}" for reason, number in reasons.most_common(3))
    more = ", ..." if len(reasons) > 3 else ""
    return f"{count}: {checked} checked, {reasons.total()} not ({why}{more})"
