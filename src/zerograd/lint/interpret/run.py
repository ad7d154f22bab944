"""Runs a root over all its paths: branches split, equal states merge, loops go to a fixpoint."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.accounts import transitions
from zerograd.lint.events import events_of
from zerograd.lint.flow import Act, Bind, Branch, Guard, Leave, Loop, Way, Within
from zerograd.lint.flow.graph import acts_in
from zerograd.lint.interpret.apply import Applier
from zerograd.lint.interpret.conditions import (
    ZERO,
    Compound,
    Condition,
    Leaf,
    condition,
    leaves,
)
from zerograd.lint.interpret.planning import once, single
from zerograd.lint.interpret.selection import blurred, picks
from zerograd.lint.interpret.state import Scaler, State, States, Trail
from zerograd.lint.names import spelling
from zerograd.lint.syntax import keyword, last_name
from zerograd.lint.unseen import UnseenError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zerograd.lint.events import Event
    from zerograd.lint.flow import Block, Node
    from zerograd.lint.heat import Heat
    from zerograd.lint.interpret.plan import Plan
    from zerograd.lint.names.resolver import Resolver
    from zerograd.lint.names.values import Frame

MOST_STATES = 64
SYNC = "sync_gradients"
BUILT = (
    ast.Call,
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.BinOp,
    ast.JoinedStr,
    ast.Lambda,
)
Exits = dict[Way, States]


class Run:
    """One root's interpretation."""

    def __init__(self, plan: Plan, resolver: Resolver, heat: Heat) -> None:
        self.plan, self.resolver, self.heat = plan, resolver, heat
        self.applier = Applier(plan)
        self.elements: frozenset[str] = frozenset()
        """Variables that stand for every element of a set, while its loop is run."""

    def root(self, start: State, *, repeated: bool) -> None:
        """Run a root from a state, once or as a loop's body."""
        flow = self.heat.flow(self.plan.frame.function)
        if repeated:
            self.rounds(flow, self.plan.frame, States([start]))
        else:
            self.block(flow, self.plan.frame, States([start]))

    def block(self, block: Block, frame: Frame, states: States) -> Exits:
        """Run a block; every way out of it with the states that take it."""
        exits: Exits = {}
        for node in block:
            if not states:
                break
            self.plan.tick()
            out = self.node(node, frame, states)
            states = out.pop(Way.FALL, States())
            if len(states) > MOST_STATES:
                raise UnseenError(f"more than {MOST_STATES} states")
            _join(exits, out)
        exits[Way.FALL] = states
        return exits

    def node(self, node: Node, frame: Frame, states: States) -> Exits:
        """Run one node."""
        if isinstance(node, Act):
            return self.act(node, frame, states)
        if isinstance(node, Branch):
            return self.branch(node, frame, states)
        if isinstance(node, Loop):
            return self.loop(node, frame, states)
        if isinstance(node, Leave):
            return {node.way: states}
        if isinstance(node, Bind):
            return {Way.FALL: self.bind(node, frame, states)}
        if isinstance(node, Guard):
            return self.guard(node, frame, states)
        assert isinstance(node, Within)
        return self.within(node, frame, states)

    def act(self, node: Act, frame: Frame, states: States) -> Exits:
        """Apply the events of one statement in order."""
        exits: Exits = {}
        for part in node.parts:
            for event in events_of(part, frame, self.resolver, self.heat):
                out = self.event(event, frame, states)
                states = out.pop(Way.FALL, States())
                _join(exits, out)
        exits[Way.FALL] = states
        return exits

    def event(self, event: Event, frame: Frame, states: States) -> Exits:
        """Apply one event, or run what it calls."""
        if event.enters is not None and event.inside is not None:
            return self.call(event, states)
        if event.closure is not None and event.inside is not None:
            rounds = 2 if event.repeats_closure else 1
            for _ in range(rounds):
                states = self.closure(event, states)
        if event.gate is not None:
            wanted = condition(event.gate, frame, self.resolver)
            yes, no = self.split(wanted, states)
            return {Way.FALL: States([*self.applier.apply(event, yes), *no])}
        if event.scaler is not None:
            return {Way.FALL: self.scaled(event, states)}
        return {Way.FALL: self.applier.apply(event, states)}

    def scaled(self, event: Event, states: States) -> States:
        """Run an event that goes through a scaler, which may be switched off."""
        scaler = event.scaler
        assert scaler is not None
        enabled = keyword(scaler.site, "enabled") if scaler.site is not None else None
        if enabled is None or scaler.frame is None:
            return self.applier.apply(event, states)
        on, off = self.split(condition(enabled, scaler.frame, self.resolver), states)
        return States(
            [*self.applier.apply(event, on), *self.applier.apply(event, off, scaling=False)]
        )

    def call(self, event: Event, states: States) -> Exits:
        """Run a call of the project's own: returns and the end of the body go on."""
        assert event.enters is not None
        assert event.inside is not None
        entered = States(_forget_names(state, event.inside.path, self.plan) for state in states)
        out = self.block(self.heat.flow(event.enters), event.inside, entered)
        states = out.pop(Way.FALL, States())
        states.update(out.pop(Way.RETURN, ()))
        return {Way.FALL: states, Way.RAISE: out.get(Way.RAISE, States())}

    def closure(self, event: Event, states: States) -> States:
        """Run a step's closure once."""
        assert event.closure is not None
        assert event.inside is not None
        out = self.block(self.heat.flow(event.closure), event.inside, states)
        return States([*out.get(Way.FALL, ()), *out.get(Way.RETURN, ())])

    def branch(self, node: Branch, frame: Frame, states: States) -> Exits:
        """Run both sides of a branch that the states allow."""
        found = condition(node.test, frame, self.resolver)
        if self.elements and any(leaf.paths & self.elements for leaf in leaves(found)):
            return self.filtered(node, frame, states)
        yes, no = self.split(found, states)
        for taken, side in ((True, yes), (False, no)):
            for state in side:
                state.trail = Trail(state.trail, node, taken)
        exits = self.block(node.then, frame, yes)
        _join(exits, self.block(node.other, frame, no))
        return exits

    def filtered(self, node: Branch, frame: Frame, states: States) -> Exits:
        """Run a test on one element of a set: what happens to some is taken as happening to all."""
        if any(acts_in(item) for item in node.then):
            return self.block(node.then, frame, states)
        return self.block(node.other, frame, states)

    def split(self, found: Condition, states: Iterable[State]) -> tuple[States, States]:
        """Return the states in which a condition can hold, and those in which it can fail."""
        if isinstance(found, Leaf):
            return self.split_leaf(found, states)
        assert isinstance(found, Compound)
        decided, rest = States(), States(states)
        for part in found.parts:
            yes, no = self.split(part, rest)
            decided.update(no if found.every else yes)
            rest = yes if found.every else no
        return (rest, decided) if found.every else (decided, rest)

    def split_leaf(self, leaf: Leaf, states: Iterable[State]) -> tuple[States, States]:
        """Split states by one comparison."""
        yes, no = States(), States()
        for state in states:
            answer = leaf.known
            if answer is None and leaf.key in state.facts:
                answer = state.facts[leaf.key] is leaf.positive
            for value, side in ((True, yes), (False, no)):
                if answer is None or answer is value:
                    side.add(self.answered(state, leaf, value=value))
        return yes, no

    def answered(self, state: State, leaf: Leaf, *, value: bool) -> State:
        """Return the state after an answer; unknown when another answer contradicts it."""
        state = state.copy()
        if not leaf.key or leaf.known is not None:
            return state
        if leaf.private:
            state.accounts = tuple(transitions.forget(item) for item in state.accounts)
            state.scalers = tuple(Scaler() for _ in state.scalers)
            return state
        fact = value is leaf.positive
        state.facts = {**state.facts, leaf.key: fact}
        for rival in self.plan.rivals.get(leaf.key, ()):
            other = state.facts.get(rival)
            ordered = leaf.ordered or self.plan.leaves[rival].ordered
            if other is not None and (ordered or other is not fact):
                state.accounts = tuple(transitions.forget(item) for item in state.accounts)
                break
        return state

    def bind(self, node: Bind, frame: Frame, states: States) -> States:
        """Forget what was known of a name, and note what its new value says."""
        paths = {spelling.path_of(name, frame) for name in node.names}
        found = States()
        for state in states:
            state = _without(state, paths, self.plan)
            if node.value is not None and len(paths) == 1:
                self.assigned(state, next(iter(paths)) + ZERO, node.value)
            found.add(state)
        return found

    def assigned(self, state: State, key: str, value: ast.expr) -> None:
        """Note what an assignment answers: a literal its truth, anything built is not None."""
        leaf = self.plan.leaves.get(key)
        if leaf is None:
            return
        if isinstance(value, ast.Constant):
            state.facts = {**state.facts, key: not value.value}
        elif leaf.identity and isinstance(value, BUILT):
            state.facts = {**state.facts, key: False}

    def loop(self, node: Loop, frame: Frame, states: States) -> Exits:
        """Run a loop over data."""
        if once(node, frame, self.resolver):
            return self.once(node, frame, states)
        if single(node, frame, self.resolver):
            out = self.block(node.body, frame, states)
            out[Way.FALL].update(out.pop(Way.CONTINUE, ()))
        else:
            out = self.rounds(node.body, frame, states, node)
        done = out.pop(Way.FALL, States())
        breaks = out.pop(Way.BREAK, States())
        exits = self.block(node.orelse, frame, States() if node.endless else done)
        exits[Way.FALL].update(breaks)
        _join(exits, out)
        return exits

    def once(self, node: Loop, frame: Frame, states: States) -> Exits:
        """Run a loop over parameters or optimizers: its body is one event on all of them."""
        outside = self.elements
        self.elements = outside | {spelling.path_of(name, frame) for name in node.names}
        if picks(node):
            out = self.picked(node, frame, states)
        else:
            out = self.block(node.body, frame, states)
        self.elements = outside
        fall = out.pop(Way.FALL, States())
        for way in (Way.CONTINUE, Way.BREAK):
            fall.update(out.pop(way, ()))
        return {**out, Way.FALL: fall}

    def picked(self, node: Loop, frame: Frame, states: States) -> Exits:
        """Run a loop over some of the parameters: what it changes is unknown afterwards."""
        exits: Exits = {}
        for state in states:
            out = self.block(node.body, frame, States([state]))
            _join(
                exits,
                {way: States(blurred(item, state) for item in some) for way, some in out.items()},
            )
        return exits

    def rounds(self, body: Block, frame: Frame, states: States, loop: Loop | None = None) -> Exits:
        """Round after round until no new state appears."""
        seen, todo, exits = States(), states, Exits()
        done = States()
        names = {spelling.path_of(name, frame) for name in loop.names} if loop else set()
        while todo:
            fresh = States()
            for state in todo:
                news = seen.add(_without(state, names, self.plan) if names else state)
                if news is not None:
                    fresh.add(news)
            if len(seen) > MOST_STATES:
                raise UnseenError(f"more than {MOST_STATES} states")
            out = self.block(body, frame, fresh)
            ends = out.pop(Way.FALL, States())
            for way in (Way.CONTINUE,) if loop else (Way.CONTINUE, Way.RETURN):
                ends.update(out.pop(way, ()))
            _join(exits, out)
            todo = States(self.around(state) for state in ends)
            done.update(todo)
        exits[Way.FALL] = done
        return exits

    def around(self, state: State) -> State:
        """Over the back edge: answers that may change are forgotten."""
        kept = {
            key: value
            for key, value in state.facts.items()
            if key in self.plan.leaves and not self.plan.leaves[key].forgotten
        }
        state = state.copy()
        state.facts = kept
        state.trail = Trail(state.trail, "round")
        return state

    def guard(self, node: Guard, frame: Frame, states: States) -> Exits:
        """`try`; a handler is a path only if it touches accounts itself."""
        exits = self.block(node.body, frame, States(states))
        touched = States([*states, *exits.get(Way.FALL, ())])
        fall = self.block(node.orelse, frame, exits.pop(Way.FALL, States()))
        _join(exits, fall)
        for handler in node.handlers:
            if any(acts_in(item) for item in handler):
                _join(exits, self.block(handler, frame, States(touched)))
        if not node.final:
            return exits
        ended: Exits = {}
        for way, some in exits.items():
            out = self.block(node.final, frame, some)
            _join(ended, {way: out.pop(Way.FALL, States())})
            _join(ended, out)
        return ended

    def within(self, node: Within, frame: Frame, states: States) -> Exits:
        """Run the body of a `with`."""
        if _expects_failure(node):
            return {Way.FALL: States(_forgotten(state) for state in states)}
        if not _accumulates(node):
            return self.block(node.body, frame, states)
        leaf = Leaf(SYNC, forgotten=True)
        self.plan.leaves.setdefault(SYNC, leaf)
        yes, no = self.split_leaf(leaf, states)
        exits = self.block(node.body, frame, States([*yes, *no]))
        return {way: States(_drop(state, SYNC) for state in some) for way, some in exits.items()}


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


def _forgotten(state: State) -> State:
    state = state.copy()
    state.accounts = tuple(transitions.forget(item) for item in state.accounts)
    return state


def _drop(state: State, key: str) -> State:
    if key not in state.facts:
        return state
    state = state.copy()
    state.facts = {name: value for name, value in state.facts.items() if name != key}
    return state


def _join(exits: Exits, more: Exits) -> None:
    for way, states in more.items():
        if way in exits:
            exits[way].update(states)
        else:
            exits[way] = states


def _without(state: State, paths: set[str], plan: Plan) -> State:
    """Return the state without answers that read one of these names."""
    gone = [key for key in state.facts if key in plan.leaves and plan.leaves[key].paths & paths]
    state = state.copy()
    if gone:
        state.facts = {key: value for key, value in state.facts.items() if key not in gone}
    return state


def _forget_names(state: State, path: str, plan: Plan) -> State:
    """Return the state at the entry of a function, whose local names are new."""
    prefix = path + "|"
    gone = [
        key
        for key in state.facts
        if key in plan.leaves and any(item.startswith(prefix) for item in plan.leaves[key].paths)
    ]
    if not gone:
        return state
    state = state.copy()
    state.facts = {key: value for key, value in state.facts.items() if key not in gone}
    return state
