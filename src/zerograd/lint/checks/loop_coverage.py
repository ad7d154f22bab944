"""Record which training loops were judged by which families of rules, and what was withheld."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lint.confidence import ASSUMPTIONS
from zerograd.lint.events.event import EnclosingKind
from zerograd.lint.interpret.widening import MOST_STATES
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import text
from zerograd.record import record
from zerograd.rules.sections import SECTIONS
from zerograd.severity import Severity

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Iterator, Mapping

    from zerograd.findings import Location, Withheld
    from zerograd.lint.checks.evidence.case import Case, Draft
    from zerograd.lint.checks.judge import Judgement
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.interpret.plan import RootPlan
    from zerograd.lint.program.module import Module

FAMILIES = tuple(name for section, name in SECTIONS.items() if name not in ("files", "speed"))
"""The families of rules that judge a loop."""


@record(frozen=True)
class LoopReach:
    """One training loop, and which families of rules it was judged by."""

    location: Location
    stopped: str | None = None
    """What kept it from being checked; None when it was."""

    families: Mapping[str, tuple[Withheld, ...]] | None = None
    """By each family that applies, the findings that were withheld; None where it was stopped."""

    @property
    def checked(self) -> bool:
        """The loop was followed to its end."""
        return self.stopped is None


@record(frozen=True, eq=False)
class _Loop:
    node: ast.AST
    module: Module
    events: list[SourceEvent]
    is_function: bool = False
    """A function as one round of a loop that was not seen."""

    @property
    def is_training(self) -> bool:
        """It deposits or spends, as far as can be seen."""
        return any(event.effect is not CallEffect.UNKNOWN for event in self.events)

    def holds(self, event: SourceEvent) -> bool:
        if self.is_function:
            return not any(item.place is EnclosingKind.LOOP for item in event.context)
        return any(item.node is self.node for item in event.context)


def stopped_loops(plan: RootPlan, stopped: str) -> list[LoopReach]:
    """Return the loops of a root that could not be followed to its end."""
    return [
        LoopReach(loop.module.source.locate(loop.node), stopped) for loop in _training_loops(plan)
    ]


def judged_loops(case: Case, judgement: Judgement) -> list[LoopReach]:
    """Return the loops of a root with what was judged in each."""
    loops = _training_loops(case.plan)
    if case.unseen:
        function = case.plan.frame.function
        bare = _Loop(function.node, function.module, [], is_function=True)
        events = [event for event in case.plan.events if bare.holds(event)]
        loops.append(_Loop(function.node, function.module, events, is_function=True))
    if not loops:
        return []
    told = [draft for draft in judgement.told if draft.severity is not Severity.HINT]
    loud = {(draft.rule, id(draft.spot.node)) for draft in told}
    # What was told of an account on one path is not withheld of it on another.
    loud |= {(draft.rule, draft.at) for draft in told if draft.at >= 0}
    quiet = [
        (draft, _withheld(draft))
        for draft in (*judgement.withheld, *judgement.told)
        if loud.isdisjoint({(draft.rule, id(draft.spot.node)), (draft.rule, draft.at)})
    ]
    silent = [(draft, item) for draft, item in quiet if item is not None]
    return [_judged(case, loop, loops, silent) for loop in loops]


def _judged(
    case: Case, loop: _Loop, loops: list[_Loop], silent: list[tuple[Draft, Withheld]]
) -> LoopReach:
    location = loop.module.source.locate(loop.node)
    reason = _reason(loop, case.plan)
    if reason is not None:
        return LoopReach(location, reason)
    families: dict[str, tuple[Withheld, ...]] = dict.fromkeys(_applicable(case, loop), ())
    if case.plan.lost.intersection(at for event in loop.events for at in event.must):
        families["clearing"] = (_given_up(location),)
    for draft, item in silent:
        if loop in _homes(draft, case, loops):
            family = _family(item.rule)
            if item not in families.get(family, ()):
                families[family] = (*families.get(family, ()), item)
    return LoopReach(location, None, families)


def _given_up(location: Location) -> Withheld:
    """Return what was not judged of the accounts that made too many states."""
    # Loaded late: most programs have none.
    from zerograd.findings import Withheld

    return Withheld("missing-zero", (ASSUMPTIONS["account-followed"].sentence,), location, None)


def _training_loops(plan: RootPlan) -> list[_Loop]:
    """Return the innermost loops of a root that deposit or spend."""
    found: dict[int, _Loop] = {}
    for event in plan.events:
        if event.effect not in (CallEffect.DEPOSIT, CallEffect.STEP, CallEffect.UNKNOWN):
            continue
        around = [item for item in event.context if item.place is EnclosingKind.LOOP]
        if around:
            home = around[-1]
            loop = _Loop(home.node, home.frame.function.module, [])
            found.setdefault(id(home.node), loop).events.append(event)
    return [loop for loop in found.values() if loop.is_training]


def _reason(loop: _Loop, plan: RootPlan) -> str | None:
    """Return the first event that leaves the loop's accounts unknown."""
    for event in loop.events:
        if event.effect is CallEffect.UNKNOWN:
            func = getattr(event.node, "func", event.node)
            return f"unresolved `{text(func)}`"
    if not plan.holders:
        return "no optimizer in sight"
    touched = {at for event in loop.events for at in event.must}
    if touched and touched <= plan.lost:
        return f"more than {MOST_STATES} states"
    return None


def _applicable(case: Case, loop: _Loop) -> Iterator[str]:
    """Yield the families whose events the loop has."""
    inside = [event for event in case.plan.events if loop.holds(event)]
    effects = {event.effect for event in inside}
    yield "clearing"
    if any(loop.holds(event) for event in _window_events(case)):
        yield "windows"
    yield "spending"
    if effects & {CallEffect.CLIP, CallEffect.UNSCALE, CallEffect.UPDATE} or any(
        e.scaler for e in inside
    ):
        yield "scaling"
    if case.mentions("DistributedDataParallel", "DDP("):
        yield "ranks"
    if CallEffect.DEPOSIT in effects:
        yield "graph"


def _window_events(case: Case) -> Iterator[SourceEvent]:
    from zerograd.lint.checks.evidence.windows import windows

    for window in windows(case):
        yield from (window.deposit, window.step)


def _homes(draft: Draft, case: Case, loops: list[_Loop]) -> list[_Loop]:
    """Return the loops that a draft is about: those of its line, else all of the root."""
    here = [event for event in case.plan.events if event.node is draft.spot.node]
    inside = [loop for loop in loops for event in (*here, *draft.events) if loop.holds(event)]
    return inside or loops


def _withheld(draft: Draft) -> Withheld | None:
    """Return what a draft lacks, if that kept it from being said aloud."""
    # Loaded late: most programs are judged without one.
    from zerograd.findings import Withheld

    verdict = draft.verdict
    spoken = None if draft.message == "" or _is_silenced(verdict.assumptions) else verdict.severity
    lacks = _lacks(verdict.assumptions, spoken)
    if not lacks or spoken not in (None, Severity.HINT):
        return None
    location = draft.spot.module.source.locate(draft.spot.node)
    return Withheld(verdict.rule, lacks, location, spoken)


def _is_silenced(assumptions: Iterable[str]) -> bool:
    return any(ASSUMPTIONS[name].most is None for name in assumptions)


def _lacks(assumptions: Iterable[str], spoken: object) -> tuple[str, ...]:
    """Return the assumptions that made a finding as quiet as it is."""
    found = (ASSUMPTIONS[name] for name in assumptions)
    return tuple(item.sentence for item in found if item.most == spoken)


def _family(rule: str) -> str:
    from zerograd.rules import named_rule

    return SECTIONS[named_rule(rule).section]


def once(loops: list[LoopReach]) -> list[LoopReach]:
    """Each loop once; what some root could judge is judged."""
    best: dict[tuple[int, int], LoopReach] = {}
    for item in loops:
        key = (item.location.line, item.location.column)
        best[key] = _merged(best[key], item) if key in best else item
    return sorted(best.values(), key=lambda item: item.location)


def _merged(one: LoopReach, other: LoopReach) -> LoopReach:
    if one.families is None or other.families is None:
        return other if one.families is None and not one.checked else one
    families = {
        name: min(
            (found[name] for found in (one.families, other.families) if name in found), key=len
        )
        for name in FAMILIES
        if name in one.families or name in other.families
    }
    return LoopReach(one.location, None, families)
