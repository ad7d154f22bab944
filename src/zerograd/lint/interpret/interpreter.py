"""Runs a root over all its paths: branches split, equal states merge, loops go to a fixpoint.

Worked example, one optimizer, with deposit 7 and step 9 (events by number):

    for x in loader:                 states at the top: A {fresh: -, stale: -}
        if x.bad:                    split: A with `x.bad` yes, A with `x.bad` no
            optimizer.zero_grad()    first half: {fresh: -, stale: -}
        loss.backward()              both: {fresh: 7}; they agree in the account, and merge
        optimizer.step()             observed: step 9 met {fresh: 7}; then {stale: 7}

The second round starts with B {stale: 7}, which is new. Where `x.bad` is no, nothing clears: the
backward makes {fresh: 7, stale: 7}, and step 9 meets that. The observation is kept; the checks see
fresh deposits on top of spent ones, with the trail "round, `x.bad` is false, 7, 9". The step leaves
{stale: 7} again: no state is new, and the loop is done.

What makes it end: an account remembers a bounded number of sources, answers that may change are
forgotten at the end of a round, and more than `MOST_STATES` states give the root up.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events import events_of
from zerograd.lint.interpret import loops
from zerograd.lint.interpret.apply_event import Applier
from zerograd.lint.interpret.branch_answers import (
    assigned,
    drop,
    forget_names,
    forgotten,
    split,
    split_leaf,
    without,
)
from zerograd.lint.interpret.conditions import ZERO, Leaf, condition, leaves
from zerograd.lint.interpret.state import AbstractState, AbstractStates, Exits, Trail, join
from zerograd.lint.interpret.widening import MOST_STATES, narrowed
from zerograd.lint.program.flow import (
    Act,
    Bind,
    Branch,
    Guard,
    Leave,
    LeavingKind,
    LoopNode,
    Within,
)
from zerograd.lint.program.flow.graph import acts_in, blocks
from zerograd.lint.program.syntax import keyword, last_name
from zerograd.lint.values import spelling

if TYPE_CHECKING:
    from zerograd.lint.events import SourceEvent
    from zerograd.lint.interpret.plan import RootPlan
    from zerograd.lint.program.flow import Block, Node
    from zerograd.lint.program.relevance import Relevance
    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import CallFrame

SYNC = "sync_gradients"


class Interpreter:
    """One root's interpretation."""

    def __init__(self, plan: RootPlan, resolver: Resolver, relevance: Relevance) -> None:
        self.plan, self.resolver, self.relevance = plan, resolver, relevance
        self.applier = Applier(plan)
        self.elements: frozenset[str] = frozenset()
        """Variables that stand for every element of a set, while its loop is run."""

    def root(self, start: AbstractState, *, repeated: bool) -> None:
        """Run a root from a state, once or as a loop's body."""
        flow = self.relevance.flow(self.plan.frame.function)
        if repeated:
            loops.rounds(self, flow, self.plan.frame, AbstractStates([start]))
        else:
            self.block(flow, self.plan.frame, AbstractStates([start]))

    def block(self, block: Block, frame: CallFrame, states: AbstractStates) -> Exits:
        """Run a block; every way out of it with the states that take it."""
        exits: Exits = {}
        for node in block:
            if not states:
                break
            self.resolver.budget.spend(len(states))
            out = self.node(node, frame, states)
            states = out.pop(LeavingKind.FALL, AbstractStates())
            if len(states) > MOST_STATES or self.plan.lost:
                states = narrowed(states, self.plan)
            join(exits, out)
        exits[LeavingKind.FALL] = states
        return exits

    def node(self, node: Node, frame: CallFrame, states: AbstractStates) -> Exits:
        """Run one node."""
        if isinstance(node, Act):
            return self.act(node, frame, states)
        if isinstance(node, Branch):
            return self.branch(node, frame, states)
        if isinstance(node, LoopNode):
            return loops.run_loop(self, node, frame, states)
        if isinstance(node, Leave):
            return {node.way: states}
        if isinstance(node, Bind):
            return {LeavingKind.FALL: self.bind(node, frame, states)}
        if isinstance(node, Guard):
            return self.guard(node, frame, states)
        assert isinstance(node, Within)
        return self.within(node, frame, states)

    def act(self, node: Act, frame: CallFrame, states: AbstractStates) -> Exits:
        """Apply the events of one statement in order."""
        exits: Exits = {}
        for part in node.parts:
            for event in events_of(part, frame, self.resolver, self.relevance):
                out = self.event(event, frame, states)
                states = out.pop(LeavingKind.FALL, AbstractStates())
                join(exits, out)
        exits[LeavingKind.FALL] = states
        return exits

    def event(self, event: SourceEvent, frame: CallFrame, states: AbstractStates) -> Exits:
        """Apply one event, or run what it calls."""
        if event.enters is not None and event.inside is not None:
            return self.call(event, states)
        if event.closure is not None and event.inside is not None:
            rounds = 2 if event.repeats_closure else 1
            for _ in range(rounds):
                states = self.closure(event, states)
        if event.gate is not None:
            wanted = condition(event.gate, frame, self.resolver)
            yes, no = split(wanted, states, self.plan)
            return {LeavingKind.FALL: AbstractStates([*self.applier.apply(event, yes), *no])}
        if event.scaler is not None:
            return {LeavingKind.FALL: self.scaled(event, states)}
        return {LeavingKind.FALL: self.applier.apply(event, states)}

    def scaled(self, event: SourceEvent, states: AbstractStates) -> AbstractStates:
        """Run an event that goes through a scaler, which may be switched off."""
        scaler = event.scaler
        assert scaler is not None
        enabled = keyword(scaler.site, "enabled") if scaler.site is not None else None
        if enabled is None or scaler.frame is None:
            return self.applier.apply(event, states)
        on, off = split(condition(enabled, scaler.frame, self.resolver), states, self.plan)
        return AbstractStates(
            [*self.applier.apply(event, on), *self.applier.apply(event, off, scaling=False)]
        )

    def call(self, event: SourceEvent, states: AbstractStates) -> Exits:
        """Run a call of the project's own: returns and the end of the body go on."""
        assert event.enters is not None
        assert event.inside is not None
        entered = AbstractStates(
            forget_names(state, event.inside.path, self.plan) for state in states
        )
        out = self.block(self.relevance.flow(event.enters), event.inside, entered)
        states = out.pop(LeavingKind.FALL, AbstractStates())
        states.update(out.pop(LeavingKind.RETURN, ()))
        return {
            LeavingKind.FALL: states,
            LeavingKind.RAISE: out.get(LeavingKind.RAISE, AbstractStates()),
        }

    def closure(self, event: SourceEvent, states: AbstractStates) -> AbstractStates:
        """Run a step's closure once."""
        assert event.closure is not None
        assert event.inside is not None
        out = self.block(self.relevance.flow(event.closure), event.inside, states)
        return AbstractStates([*out.get(LeavingKind.FALL, ()), *out.get(LeavingKind.RETURN, ())])

    def branch(self, node: Branch, frame: CallFrame, states: AbstractStates) -> Exits:
        """Run both sides of a branch that the states allow."""
        exits: Exits = {}
        while True:
            # Along an `elif` chain, which nests to the right, without recursion.
            found = condition(node.test, frame, self.resolver)
            self.resolver.budget.spend(sum(1 + len(state.facts) // 16 for state in states))
            if self.elements and any(leaf.paths & self.elements for leaf in leaves(found)):
                join(exits, self.filtered(node, frame, states))
                return exits
            yes, no = split(found, states, self.plan)
            for taken, side in ((True, yes), (False, no)):
                for state in side:
                    state.trail = Trail(state.trail, node, taken)
            join(exits, self.block(node.then, frame, yes))
            before, chained = node.tail
            out = self.block(before, frame, no)
            if chained is None:
                join(exits, out)
                return exits
            states = out.pop(LeavingKind.FALL, AbstractStates())
            join(exits, out)
            if not states:
                return exits
            node = chained

    def filtered(self, node: Branch, frame: CallFrame, states: AbstractStates) -> Exits:
        """Run a test on one element of a set: what happens to some is taken as happening to all."""
        if any(acts_in(item) for item in node.then):
            return self.block(node.then, frame, states)
        return self.block(node.other, frame, states)

    def bind(self, node: Bind, frame: CallFrame, states: AbstractStates) -> AbstractStates:
        """Forget what was known of a name, and note what its new value says."""
        paths = {spelling.path_of(name, frame) for name in node.names}
        found = AbstractStates()
        for state in states:
            state = without(state, paths, self.plan)
            if node.value is not None and len(paths) == 1:
                assigned(state, next(iter(paths)) + ZERO, node.value, self.plan)
            found.add(state)
        return found

    def guard(self, node: Guard, frame: CallFrame, states: AbstractStates) -> Exits:
        """`try`; a handler is a path only if it touches accounts itself."""
        exits = self.block(node.body, frame, AbstractStates(states))
        touched = AbstractStates([*states, *exits.get(LeavingKind.FALL, ())])
        fall = self.block(node.orelse, frame, exits.pop(LeavingKind.FALL, AbstractStates()))
        join(exits, fall)
        for handler in node.handlers:
            if self.touches(handler, frame):
                join(exits, self.block(handler, frame, AbstractStates(touched)))
        if not node.final:
            return exits
        ended: Exits = {}
        for way, some in exits.items():
            out = self.block(node.final, frame, some)
            join(ended, {way: out.pop(LeavingKind.FALL, AbstractStates())})
            join(ended, out)
        return ended

    def touches(self, block: Block, frame: CallFrame) -> bool:
        """Tell whether a block does anything to an account."""
        todo = list(block)
        while todo:
            node = todo.pop()
            parts = node.parts if isinstance(node, Act) else ()
            if any(events_of(part, frame, self.resolver, self.relevance) for part in parts):
                return True
            todo.extend(item for inner in blocks(node) for item in inner)
        return False

    def within(self, node: Within, frame: CallFrame, states: AbstractStates) -> Exits:
        """Run the body of a `with`."""
        if _expects_failure(node):
            return {LeavingKind.FALL: AbstractStates(forgotten(state) for state in states)}
        if not _accumulates(node):
            return self.block(node.body, frame, states)
        leaf = Leaf(SYNC, forgotten=True)
        self.plan.leaves.setdefault(SYNC, leaf)
        # Each `accumulate()` decides anew, and its decision holds until the next one.
        before = AbstractStates(drop(state, SYNC) for state in states)
        yes, no = split_leaf(leaf, before, self.plan)
        # Not as one set: there states that differ in this answer only would be merged.
        exits = self.block(node.body, frame, yes)
        join(exits, self.block(node.body, frame, no))
        return exits


def _accumulates(node: Within) -> bool:
    items = getattr(node.stmt, "items", [])
    return any(
        isinstance(item.context_expr, ast.Call)
        and last_name(item.context_expr.func) == "accumulate"
        for item in items
    )


def _expects_failure(node: Within) -> bool:
    """`pytest.raises` and the like: the body is expected to stop somewhere."""
    items = getattr(node.stmt, "items", [])
    return any(
        isinstance(item.context_expr, ast.Call)
        and (last_name(item.context_expr.func) or "").startswith(("assertRaises", "raises"))
        for item in items
    )
