"""Before a root is run: every event it can meet, the accounts, and who touches which."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.analysis_budget import UnseenError
from zerograd.lint.events import SourceEvent, events_of
from zerograd.lint.events.accounts import EMPTY, UNKNOWN
from zerograd.lint.events.event import Enclosing, EnclosingKind
from zerograd.lint.interpret.call_summaries import may_be_quiet, situation
from zerograd.lint.interpret.conditions import condition, leaves
from zerograd.lint.interpret.event_targets import touch
from zerograd.lint.interpret.plan import Holder, RootPlan
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.flow import Act, Block, Branch, Guard, LoopNode, Within
from zerograd.lint.program.syntax import dotted, keyword, text
from zerograd.lint.values import call_frames, parameter_sets
from zerograd.lint.values.value import CallFrame, Value, ValueKind

if TYPE_CHECKING:
    from zerograd.lint.interpret.conditions import Leaf
    from zerograd.lint.program.flow import Node
    from zerograd.lint.program.relevance import Relevance
    from zerograd.lint.values.resolver import Resolver

LARGEST = 5_000
"""Statements a root may have, those of the functions it calls included."""


def fill(plan: RootPlan, resolver: Resolver, relevance: Relevance, *, fresh: bool) -> None:
    """Walk a root once and decide which accounts each of its events touches.

    `fresh` says that nothing happened before the root: a program's own beginning.
    """
    frame = plan.frame
    walk = _Walk(plan, resolver, relevance)
    walk.block(relevance.flow(frame.function), frame, ())
    _hold(plan, resolver, fresh=fresh)
    touch(plan, resolver)
    if plan.holders:
        # Without accounts there is nothing to run: no test will be asked.
        walk.read_tests()
        _compare(plan)


def once(loop: LoopNode, frame: CallFrame, resolver: Resolver) -> bool:
    """Tell whether a loop runs over parameters, optimizers or modules: one event on the set."""
    stmt = loop.stmt
    if not isinstance(stmt, ast.For | ast.AsyncFor):
        return False
    value = resolver.value(stmt.iter, frame)
    if value is None:
        return False
    if value.maker == "zip":
        return any(call_frames.element(part, ()) is not None for part in value.parts)
    return call_frames.element(value, ()) is not None


def single(loop: LoopNode, frame: CallFrame, resolver: Resolver) -> bool:
    """Tell whether a loop is over `range(1)`, the number spelled out or a constant's."""
    call = getattr(loop.stmt, "iter", None)
    if not (isinstance(call, ast.Call) and dotted(call.func) == "range" and len(call.args) == 1):
        return False
    rounds = resolver.value(call.args[0], frame)
    return rounds is not None and rounds.kind is ValueKind.CONSTANT and rounds.constant == 1


class _Walk:
    """Visits every node of a root once, with what stands around it."""

    def __init__(self, plan: RootPlan, resolver: Resolver, relevance: Relevance) -> None:
        self.plan, self.resolver, self.relevance = plan, resolver, relevance
        self.tests: list[tuple[ast.expr, CallFrame, bool]] = []
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

    def block(self, block: Block, frame: CallFrame, around: tuple[Enclosing, ...]) -> None:
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

    def node(self, node: Node, frame: CallFrame, around: tuple[Enclosing, ...]) -> None:
        if isinstance(node, Act):
            self.act(node, frame, around)
        elif isinstance(node, Branch):
            self.branch(node, frame, around)
        elif isinstance(node, LoopNode):
            inside = around
            if not once(node, frame, self.resolver) and not single(node, frame, self.resolver):
                inside = (*around, Enclosing(EnclosingKind.LOOP, node.stmt, frame))
            self.block(node.body, frame, inside)
            self.block(node.orelse, frame, around)
        elif isinstance(node, Guard):
            self.guard(node, frame, around)
        elif isinstance(node, Within):
            self.block(node.body, frame, (*around, Enclosing(EnclosingKind.WITH, node.stmt, frame)))

    def branch(self, node: Branch, frame: CallFrame, around: tuple[Enclosing, ...]) -> None:
        """Walk both sides; along an `elif` chain, which nests to the right, without recursion."""
        chained: Node | None = node
        while isinstance(chained, Branch):
            self.tests.append((chained.test, frame, True))
            self.block(
                chained.then, frame, (*around, Enclosing(EnclosingKind.THEN, chained.stmt, frame))
            )
            around = (*around, Enclosing(EnclosingKind.OTHER, chained.stmt, frame))
            before, chained = chained.tail
            self.block(before, frame, around)
            self.count()

    def guard(self, node: Guard, frame: CallFrame, around: tuple[Enclosing, ...]) -> None:
        self.block(node.body, frame, (*around, Enclosing(EnclosingKind.TRY, node.stmt, frame)))
        for handler in node.handlers:
            self.block(handler, frame, around)
        self.block(node.orelse, frame, around)
        self.block(node.final, frame, around)

    def act(self, node: Act, frame: CallFrame, around: tuple[Enclosing, ...]) -> None:
        for part in node.parts:
            for event in events_of(part, frame, self.resolver, self.relevance):
                self.event(event, frame, around)

    def event(self, event: SourceEvent, frame: CallFrame, around: tuple[Enclosing, ...]) -> None:
        event.context = around
        self.switch(event)
        event.number = len(self.plan.events)
        self.plan.events.append(event)
        if event.effect is not None:
            self.effects += 1
        entered = event.enters or event.closure
        if entered is not None and event.inside is not None:
            call = Enclosing(EnclosingKind.CALL, event.node, frame)
            self.enter(event, self.relevance.flow(entered), event.inside, (*around, call))

    def enter(
        self, event: SourceEvent, flow: Block, inside: CallFrame, around: tuple[Enclosing, ...]
    ) -> None:
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

    def switch(self, event: SourceEvent) -> None:
        """Let the test behind a scaler's `enabled` take part in splitting."""
        scaler = event.scaler
        if scaler is None or scaler.site is None or scaler.frame is None:
            return
        enabled = keyword(scaler.site, "enabled")
        if enabled is not None:
            self.tests.append((enabled, scaler.frame, False))


def _hold(plan: RootPlan, resolver: Resolver, *, fresh: bool) -> None:
    """One account per optimizer that is stepped, one per tensor or module updated by hand."""
    for event in plan.events:
        if event.effect is CallEffect.STEP and not event.manual:
            for target in event.targets:
                _add(plan, target, event, resolver, fresh=fresh)
        if event.scaler is not None and event.scaler.key not in plan.scalers:
            plan.scalers.append(event.scaler.key)
    for event in plan.events:
        if event.effect is CallEffect.STEP and event.manual and event.atoms:
            _add_by_hand(plan, event, fresh=fresh)


def _add(
    plan: RootPlan, target: Value, event: SourceEvent, resolver: Resolver, *, fresh: bool
) -> None:
    members = target.parts if target.kind is ValueKind.OPTIMIZERS and target.parts else (target,)
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
                parameter_sets.of_optimizer(resolver, member),
                member.sure,
                summary=member.kind is ValueKind.OPTIMIZERS,
                start=EMPTY if inside else UNKNOWN,
            )
        )


def _add_by_hand(plan: RootPlan, event: SourceEvent, *, fresh: bool) -> None:
    assert event.atoms is not None
    owned = [item.atoms for item in plan.holders if item.atoms and not item.manual]
    for atom in sorted(event.atoms):
        held = any(not parameter_sets.disjoint(atoms, frozenset({atom})) for atoms in owned)
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


def _compare(plan: RootPlan) -> None:
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
