"""Before a root is run: every event it can meet, the accounts, and who touches which."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.analysis_budget import UnseenError
from zerograd.lint.events import Event, events_of
from zerograd.lint.events.accounts import EMPTY, UNKNOWN
from zerograd.lint.events.event import Around, Place
from zerograd.lint.interpret.call_summaries import may_be_quiet, situation
from zerograd.lint.interpret.conditions import condition, leaves
from zerograd.lint.interpret.event_targets import touch
from zerograd.lint.interpret.plan import Holder, Plan
from zerograd.lint.knowledge import Effect
from zerograd.lint.program.flow import Act, Block, Branch, Guard, Loop, Within
from zerograd.lint.program.syntax import dotted, keyword, text
from zerograd.lint.values import call_frames as frames
from zerograd.lint.values import parameter_sets as parameters
from zerograd.lint.values.value import Frame, Kind, Value

if TYPE_CHECKING:
    from zerograd.lint.interpret.conditions import Leaf
    from zerograd.lint.program.flow import Node
    from zerograd.lint.program.relevance import Heat
    from zerograd.lint.values.resolver import Resolver

LARGEST = 5_000
"""Statements a root may have, those of the functions it calls included."""


def fill(plan: Plan, resolver: Resolver, heat: Heat, *, fresh: bool) -> None:
    """Walk a root once and decide which accounts each of its events touches.

    `fresh` says that nothing happened before the root: a program's own beginning.
    """
    frame = plan.frame
    walk = _Walk(plan, resolver, heat)
    walk.block(heat.flow(frame.function), frame, ())
    _hold(plan, resolver, fresh=fresh)
    touch(plan, resolver)
    if plan.holders:
        # Without accounts there is nothing to run: no test will be asked.
        walk.read_tests()
        _compare(plan)


def once(loop: Loop, frame: Frame, resolver: Resolver) -> bool:
    """Tell whether a loop runs over parameters, optimizers or modules: one event on the set."""
    stmt = loop.stmt
    if not isinstance(stmt, ast.For | ast.AsyncFor):
        return False
    value = resolver.value(stmt.iter, frame)
    if value is None:
        return False
    if value.maker == "zip":
        return any(frames.element(part, ()) is not None for part in value.parts)
    return frames.element(value, ()) is not None


def single(loop: Loop, frame: Frame, resolver: Resolver) -> bool:
    """Tell whether a loop is over `range(1)`, the number spelled out or a constant's."""
    call = getattr(loop.stmt, "iter", None)
    if not (isinstance(call, ast.Call) and dotted(call.func) == "range" and len(call.args) == 1):
        return False
    rounds = resolver.value(call.args[0], frame)
    return rounds is not None and rounds.kind is Kind.CONSTANT and rounds.constant == 1


class _Walk:
    """Visits every node of a root once, with what stands around it."""

    def __init__(self, plan: Plan, resolver: Resolver, heat: Heat) -> None:
        self.plan, self.resolver, self.heat = plan, resolver, heat
        self.tests: list[tuple[ast.expr, Frame, bool]] = []
        """Every test in order, and whether it stands in the source as a branch."""

        self.effects = 0

    def read_tests(self) -> None:
        """Bring the tests to their forms; of equal ones the last branch is kept."""
        known = self.plan.leaves
        for test, frame, branches in self.tests:
            for leaf in leaves(condition(test, frame, self.resolver)):
                if not branches:
                    known.setdefault(leaf.key, leaf)
                elif leaf.key:
                    known[leaf.key] = leaf

    def block(self, block: Block, frame: Frame, around: tuple[Around, ...]) -> None:
        self.plan.frames.add(id(frame))
        for node in block:
            self.count()
            self.node(node, frame, around)

    def count(self) -> None:
        """Count one statement of the root."""
        self.plan.statements += 1
        if self.plan.statements > LARGEST:
            raise UnseenError(f"more than {LARGEST:,} statements")
        self.resolver.budget.spend()

    def node(self, node: Node, frame: Frame, around: tuple[Around, ...]) -> None:
        if isinstance(node, Act):
            self.act(node, frame, around)
        elif isinstance(node, Branch):
            self.branch(node, frame, around)
        elif isinstance(node, Loop):
            inside = around
            if not once(node, frame, self.resolver) and not single(node, frame, self.resolver):
                inside = (*around, Around(Place.LOOP, node.stmt, frame))
            self.block(node.body, frame, inside)
            self.block(node.orelse, frame, around)
        elif isinstance(node, Guard):
            self.guard(node, frame, around)
        elif isinstance(node, Within):
            self.block(node.body, frame, (*around, Around(Place.WITH, node.stmt, frame)))

    def branch(self, node: Branch, frame: Frame, around: tuple[Around, ...]) -> None:
        """Walk both sides; along an `elif` chain, which nests to the right, without recursion."""
        chained: Node | None = node
        while isinstance(chained, Branch):
            self.tests.append((chained.test, frame, True))
            self.block(chained.then, frame, (*around, Around(Place.THEN, chained.stmt, frame)))
            around = (*around, Around(Place.OTHER, chained.stmt, frame))
            before, chained = chained.tail
            self.block(before, frame, around)
            self.count()

    def guard(self, node: Guard, frame: Frame, around: tuple[Around, ...]) -> None:
        self.block(node.body, frame, (*around, Around(Place.TRY, node.stmt, frame)))
        for handler in node.handlers:
            self.block(handler, frame, around)
        self.block(node.orelse, frame, around)
        self.block(node.final, frame, around)

    def act(self, node: Act, frame: Frame, around: tuple[Around, ...]) -> None:
        for part in node.parts:
            for event in events_of(part, frame, self.resolver, self.heat):
                self.event(event, frame, around)

    def event(self, event: Event, frame: Frame, around: tuple[Around, ...]) -> None:
        event.context = around
        self.switch(event)
        event.number = len(self.plan.events)
        self.plan.events.append(event)
        if event.effect is not None:
            self.effects += 1
        entered = event.enters or event.closure
        if entered is not None and event.inside is not None:
            call = Around(Place.CALL, event.node, frame)
            self.enter(event, self.heat.flow(entered), event.inside, (*around, call))

    def enter(self, event: Event, flow: Block, inside: Frame, around: tuple[Around, ...]) -> None:
        """Walk what a call runs; a call that does nothing to any account is not entered again."""
        asked = situation(inside, self.resolver) if event.effect is None else None
        if asked in self.resolver.quiet:
            event.inside = None
            return
        effects, events, tests = self.effects, len(self.plan.events), len(self.tests)
        self.block(flow, inside, around)
        if asked is None or self.effects > effects:
            return
        del self.plan.events[events:], self.tests[tests:]
        if may_be_quiet(inside, self.resolver):
            event.inside = None
            self.resolver.quiet.add(asked)

    def switch(self, event: Event) -> None:
        """Let the test behind a scaler's `enabled` take part in splitting."""
        scaler = event.scaler
        if scaler is None or scaler.site is None or scaler.frame is None:
            return
        enabled = keyword(scaler.site, "enabled")
        if enabled is not None:
            self.tests.append((enabled, scaler.frame, False))


def _hold(plan: Plan, resolver: Resolver, *, fresh: bool) -> None:
    """One account per optimizer that is stepped, one per tensor or module updated by hand."""
    for event in plan.events:
        if event.effect is Effect.STEP and not event.manual:
            for target in event.targets:
                _add(plan, target, event, resolver, fresh=fresh)
        if event.scaler is not None and event.scaler.key not in plan.scalers:
            plan.scalers.append(event.scaler.key)
    for event in plan.events:
        if event.effect is Effect.STEP and event.manual and event.atoms:
            _add_by_hand(plan, event, fresh=fresh)


def _add(plan: Plan, target: Value, event: Event, resolver: Resolver, *, fresh: bool) -> None:
    members = target.parts if target.kind is Kind.OPTIMIZERS and target.parts else (target,)
    for member in members:
        if plan.index(member.key) is not None:
            continue
        inside = fresh or (member.frame is not None and id(member.frame) in plan.frames)
        label = (
            text(event.node.args[0])
            if event.scaler and isinstance(event.node, ast.Call) and event.node.args
            else event.label
        )
        plan.holders.append(
            Holder(
                member.key,
                label,
                member,
                parameters.of_optimizer(resolver, member),
                member.sure,
                summary=member.kind is Kind.OPTIMIZERS,
                start=EMPTY if inside else UNKNOWN,
            )
        )


def _add_by_hand(plan: Plan, event: Event, *, fresh: bool) -> None:
    assert event.atoms is not None
    owned = [item.atoms for item in plan.holders if item.atoms and not item.manual]
    for atom in sorted(event.atoms):
        held = any(not parameters.disjoint(atoms, frozenset({atom})) for atoms in owned)
        if plan.index(atom) is None and not held:
            plan.holders.append(
                Holder(
                    atom,
                    atom[-1],
                    None,
                    frozenset({atom}),
                    sure=True,
                    manual=True,
                    start=EMPTY if fresh else UNKNOWN,
                )
            )


def _compare(plan: Plan) -> None:
    """Find the tests that share an operand but not a form."""
    sharing: dict[str, set[str]] = {}
    for key, leaf in plan.leaves.items():
        for operand in leaf.operands:
            sharing.setdefault(operand, set()).add(key)
    for key, leaf in plan.leaves.items():
        found = set().union(*(sharing[operand] for operand in leaf.operands))
        plan.rivals[key] = frozenset(
            other for other in found - {key} if not _independent(leaf, plan.leaves[other])
        )


def _independent(one: Leaf, other: Leaf) -> bool:
    """`i % k == 0` and `i >= last` go together in every way."""
    return one.ordered is not other.ordered and ("Mod(" in one.key) is not ("Mod(" in other.key)
