"""What a check is given and what it gives back: one root's observations, and drafts of findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lint.events.event import EnclosingKind, SourceEvent
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.flow import Branch, Leave
from zerograd.lint.program.flow.graph import blocks
from zerograd.lint.program.syntax import text
from zerograd.record import field, record

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Verdict
    from zerograd.lint.interpret.apply_event import Applier, Observation
    from zerograd.lint.interpret.plan import Holder, RootPlan
    from zerograd.lint.interpret.state import Trail
    from zerograd.lint.program.flow import Node
    from zerograd.lint.program.module import Module
    from zerograd.lint.program.relevance import Relevance
    from zerograd.lint.values.resolver import Resolver
    from zerograd.severity import Severity


@record(frozen=True, eq=False)
class Spot:
    """A node and the module that it stands in."""

    node: ast.AST
    module: Module


@record(eq=False)
class Draft:
    """A verdict on one place of the source, before its words are joined to it."""

    verdict: Verdict
    spot: Spot
    message: str = ""
    """Empty where the verdict rests on an assumption that allows no finding."""

    help: str | None = None
    evidence: list[tuple[str, Spot]] = field(default_factory=list)
    events: tuple[SourceEvent, ...] = ()
    """The events that a repair works with: the one it stands on first."""

    at: int = -1
    trail: Trail | None = None
    """The path on which it was seen."""

    needs: tuple[SourceEvent, ...] = ()
    """What else must have happened on that path, besides `events`."""

    @property
    def rule(self) -> str:
        """The rule that is broken."""
        return self.verdict.rule

    @property
    def severity(self) -> Severity:
        """How loud it is; the assumptions behind it are counted by `judge`."""
        return self.verdict.severity


@record(eq=False)
class Case:
    """One root after it was run."""

    plan: RootPlan
    applier: Applier
    resolver: Resolver
    relevance: Relevance
    repeated: bool
    unseen: bool = False
    """Nothing here calls it: it was run as one round of a loop that was not seen."""

    memory: dict[str, object] = field(default_factory=dict)
    """What several checks ask for and only one works out."""

    met: dict[tuple[int, int], list[Observation]] = field(default_factory=dict)
    """The observations by event and account, filled when first asked for."""

    def has(self, *effects: CallEffect) -> bool:
        """Tell whether the root holds an event of one of these kinds."""
        return any(event.effect in effects for event in self.plan.events)

    def mentions(self, *words: str) -> bool:
        """Tell whether one of the root's modules has one of these words in its text."""
        modules = {event.frame.function.module for event in self.plan.events}
        return any(module.mentions(word) for module in modules for word in words)

    def steps(self) -> Iterator[Observation]:
        """Every step as it met an account."""
        yield from self.of(CallEffect.STEP)

    def of(self, effect: CallEffect) -> Iterator[Observation]:
        """Every observation of one kind of event."""
        for seen in list(self.applier.seen.values()):
            if seen.event.effect is effect:
                yield seen

    def meetings(self, event: SourceEvent, at: int) -> list[Observation]:
        """Every way in which one event met one account."""
        if not self.met:
            for seen in self.applier.seen.values():
                self.met.setdefault((seen.event.number, seen.at), []).append(seen)
        return self.met.get((event.number, at), [])

    def event(self, number: int) -> SourceEvent:
        """Return the event of a number."""
        return self.plan.events[number]

    def holder(self, at: int) -> Holder:
        """Whose account it is."""
        return self.plan.holders[at]

    def owned(self, source: int, at: int) -> bool:
        """Tell whether a deposit surely is this account's, on every path."""
        owners = self.applier.owners.get(source)
        if owners is None or owners == {at}:
            return True
        return len(owners) == 1 and at in self.applier.joined.get(source, ())

    def touching(self, at: int, *effects: CallEffect) -> list[SourceEvent]:
        """Events of some kinds that touch an account, surely or perhaps."""
        return [
            event
            for event in self.plan.events
            if event.effect in effects and (at in event.must or at in event.may)
        ]


def skipped_deposit(seen: Observation, case: Case, since: int = -1) -> bool:
    """Tell whether a branch since the last step, or an event, went past a deposit: maybe meant.

    `if amp: ... else: ...` with a backward on either side goes past none.
    """
    deposits = case.touching(seen.at, CallEffect.DEPOSIT)
    for step in trail(seen.state.trail):
        what = step.what
        if isinstance(what, SourceEvent):
            if what.number in (seen.account.spender, since):
                return False
        elif isinstance(what, Branch):
            skipped = what.other if step.taken else what.then
            taken = what.then if step.taken else what.other
            if any(holds(node, event.node) for node in skipped for event in deposits) and not any(
                holds(node, event.node) for node in taken for event in deposits
            ):
                return True
            if any(isinstance(node, Leave) for node in taken):
                return True
    return False


def unsaid(verdict: Verdict, event: SourceEvent, at: int = -1) -> Draft:
    """Return a draft without words, of a verdict that may not be told: `--why-silent` counts it."""
    return Draft(verdict, spot(event), at=at)


def holds(node: Node, wanted: ast.AST) -> bool:
    """Tell whether a flow node holds the statement of an event."""
    todo = [node]
    first, last = getattr(wanted, "lineno", 0), getattr(wanted, "end_lineno", 0)
    while todo:
        node = todo.pop()
        stmt = node.stmt
        if getattr(stmt, "lineno", 0) <= first and last <= getattr(stmt, "end_lineno", 0):
            return True
        todo.extend(item for inner in blocks(node) for item in inner)
    return False


def spot(event: SourceEvent) -> Spot:
    """Where an event stands."""
    return Spot(event.node, event.frame.function.module)


def line(event: SourceEvent) -> int:
    """Return the line of an event."""
    return int(getattr(event.node, "lineno", 0))


def callers(event: SourceEvent) -> list[tuple[str, Spot]]:
    """Return the calls that led to an event in a helper, innermost first."""
    return [
        ("called here", Spot(call, frame.function.module)) for call, frame in event.frame.calls()
    ]


def trail(state_trail: Trail | None) -> Iterator[Trail]:
    """Return a path's steps, latest first."""
    while state_trail is not None:
        yield state_trail
        state_trail = state_trail.before


def answer(branch: Branch, *, taken: bool) -> str:
    """Spell a branch: "`args.amp` is false"."""
    return f"`{text(branch.test)}` is {'true' if taken else 'false'}"


def loops_around(event: SourceEvent) -> list[ast.AST]:
    """Return the loops that an event stands in, outermost first."""
    return [item.node for item in event.context if item.place is EnclosingKind.LOOP]


def tests_around(event: SourceEvent) -> list[tuple[ast.AST, bool]]:
    """The tests that an event stands under, outermost first, with the side."""
    return [
        (item.node, item.place is EnclosingKind.THEN)
        for item in event.context
        if item.place in (EnclosingKind.THEN, EnclosingKind.OTHER)
    ]


def are_alternatives(one: SourceEvent, other: SourceEvent) -> bool:
    """Tell whether two events stand on the two sides of one test: one round runs one of them."""
    sides = (EnclosingKind.THEN, EnclosingKind.OTHER)
    taken = {id(item.node): item.place for item in one.context if item.place in sides}
    return any(
        taken.get(id(item.node), item.place) is not item.place
        for item in other.context
        if item.place in sides
    )
