"""Loops: over data to a fixpoint, over parameters and optimizers as one event on all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from zerograd.lint.interpret.branch_answers import around, without
from zerograd.lint.interpret.partial_loops import blurred, picks
from zerograd.lint.interpret.planning import once, single
from zerograd.lint.interpret.remade_leaves import begin_again, remade
from zerograd.lint.interpret.state import AbstractStates, Exits, join
from zerograd.lint.interpret.widening import MOST_STATES, narrowed, without_lost
from zerograd.lint.program.flow import LeavingKind
from zerograd.lint.values import spelling

if TYPE_CHECKING:
    from zerograd.lint.interpret.plan import RootPlan
    from zerograd.lint.program.flow import Block, LoopNode
    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import CallFrame


class RunsBodies(Protocol):
    """Who runs a loop's body: the root's interpretation."""

    plan: RootPlan
    resolver: Resolver
    elements: frozenset[str]

    def block(self, block: Block, frame: CallFrame, states: AbstractStates) -> Exits:
        """Run a block; every way out of it with the states that take it."""
        ...


def run_loop(run: RunsBodies, node: LoopNode, frame: CallFrame, states: AbstractStates) -> Exits:
    """Run a loop over data."""
    if once(node, frame, run.resolver):
        return run_once(run, node, frame, states)
    if single(node, frame, run.resolver):
        out = run.block(node.body, frame, states)
        out[LeavingKind.FALL].update(out.pop(LeavingKind.CONTINUE, ()))
    else:
        out = rounds(run, node.body, frame, states, node)
    done = out.pop(LeavingKind.FALL, AbstractStates())
    breaks = out.pop(LeavingKind.BREAK, AbstractStates())
    exits = run.block(node.orelse, frame, AbstractStates() if node.endless else done)
    exits[LeavingKind.FALL].update(breaks)
    join(exits, out)
    return exits


def run_once(run: RunsBodies, node: LoopNode, frame: CallFrame, states: AbstractStates) -> Exits:
    """Run a loop over parameters or optimizers: its body is one event on all of them."""
    outside = run.elements
    run.elements = outside | {spelling.path_of(name, frame) for name in node.names}
    out = _picked(run, node, frame, states) if picks(node) else run.block(node.body, frame, states)
    run.elements = outside
    fall = out.pop(LeavingKind.FALL, AbstractStates())
    for way in (LeavingKind.CONTINUE, LeavingKind.BREAK):
        fall.update(out.pop(way, ()))
    return {**out, LeavingKind.FALL: fall}


def _picked(run: RunsBodies, node: LoopNode, frame: CallFrame, states: AbstractStates) -> Exits:
    """Run a loop over some of the parameters: what it changes is unknown afterwards."""
    exits: Exits = {}
    for state in states:
        out = run.block(node.body, frame, AbstractStates([state]))
        join(
            exits,
            {
                way: AbstractStates(blurred(item, state) for item in some)
                for way, some in out.items()
            },
        )
    return exits


def rounds(
    run: RunsBodies,
    body: Block,
    frame: CallFrame,
    states: AbstractStates,
    loop: LoopNode | None = None,
) -> Exits:
    """Round after round until no new state appears."""
    seen, todo, exits = AbstractStates(), states, Exits()
    done = AbstractStates()
    names = {spelling.path_of(name, frame) for name in loop.names} if loop else set()
    new = remade(run.plan, frame, loop)
    while todo:
        fresh = AbstractStates()
        for state in todo:
            state = begin_again(state, new) if new else state
            news = seen.add(without(state, names, run.plan) if names else state)
            if news is not None:
                fresh.add(news)
        if len(seen) > MOST_STATES:
            # From the beginning: what was seen before is among what is seen now.
            fresh = seen = narrowed(seen, run.plan)
        out = run.block(body, frame, fresh)
        ends = out.pop(LeavingKind.FALL, AbstractStates())
        for way in (LeavingKind.CONTINUE,) if loop else (LeavingKind.CONTINUE, LeavingKind.RETURN):
            ends.update(out.pop(way, ()))
        join(exits, out)
        todo = without_lost(AbstractStates(around(state, run.plan) for state in ends), run.plan)
        done.update(todo)
    exits[LeavingKind.FALL] = done
    return exits
