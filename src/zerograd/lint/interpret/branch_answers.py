"""What tests answer on a path: states split by an answer, and answers that no longer hold."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events.accounts import transitions
from zerograd.lint.interpret.conditions import ZERO, Compound, Condition, Leaf
from zerograd.lint.interpret.state import AbstractState, AbstractStates, Scaler, Trail

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zerograd.lint.interpret.plan import RootPlan

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


def split(
    found: Condition, states: Iterable[AbstractState], plan: RootPlan
) -> tuple[AbstractStates, AbstractStates]:
    """Return the states in which a condition can hold, and those in which it can fail."""
    if isinstance(found, Leaf):
        return split_leaf(found, states, plan)
    assert isinstance(found, Compound)
    decided, rest = AbstractStates(), AbstractStates(states)
    for part in found.parts:
        yes, no = split(part, rest, plan)
        decided.update(no if found.every else yes)
        rest = yes if found.every else no
    return (rest, decided) if found.every else (decided, rest)


def split_leaf(
    leaf: Leaf, states: Iterable[AbstractState], plan: RootPlan
) -> tuple[AbstractStates, AbstractStates]:
    """Split states by one comparison."""
    yes, no = AbstractStates(), AbstractStates()
    for state in states:
        answer = leaf.known
        if answer is None and leaf.key in state.facts:
            answer = state.facts[leaf.key] is leaf.positive
        for value, side in ((True, yes), (False, no)):
            if answer is None or answer is value:
                side.add(answered(state, leaf, plan, value=value))
    return yes, no


def answered(state: AbstractState, leaf: Leaf, plan: RootPlan, *, value: bool) -> AbstractState:
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
    for rival in plan.rivals.get(leaf.key, ()):
        other = state.facts.get(rival)
        ordered = leaf.ordered or plan.leaves[rival].ordered
        if other is None or _says_nothing(leaf.key, rival, fact=fact, other=other):
            continue
        if ordered or other is not fact:
            state.accounts = tuple(transitions.forget(item) for item in state.accounts)
            break
    return state


def _says_nothing(key: str, rival: str, *, fact: bool, other: bool) -> bool:
    """`i != 0` says nothing of `i % k == 0`: of two such tests, whether the plain one fails."""
    if not (key.endswith(ZERO) and rival.endswith(ZERO)) or ("Mod(" in key) is ("Mod(" in rival):
        return False
    return not (other if "Mod(" in key else fact)


def assigned(state: AbstractState, key: str, value: ast.expr, plan: RootPlan) -> None:
    """Note what an assignment answers: a literal its truth, anything built is not None."""
    leaf = plan.leaves.get(key)
    if leaf is None:
        return
    if isinstance(value, ast.Constant):
        state.facts = {**state.facts, key: not value.value}
    elif leaf.identity and isinstance(value, BUILT):
        state.facts = {**state.facts, key: False}


def around(state: AbstractState, plan: RootPlan) -> AbstractState:
    """Over the back edge: answers that may change are forgotten."""
    kept = {
        key: value
        for key, value in state.facts.items()
        if key in plan.leaves and not plan.leaves[key].forgotten
    }
    state = state.copy()
    state.facts = kept
    state.trail = Trail(state.trail, "round")
    return state


def forgotten(state: AbstractState) -> AbstractState:
    """Return the state after something that cannot be seen: no account is known."""
    state = state.copy()
    state.accounts = tuple(transitions.forget(item) for item in state.accounts)
    return state


def drop(state: AbstractState, key: str) -> AbstractState:
    """Return the state without one answer."""
    if key not in state.facts:
        return state
    state = state.copy()
    state.facts = {name: value for name, value in state.facts.items() if name != key}
    return state


def without(state: AbstractState, paths: set[str], plan: RootPlan) -> AbstractState:
    """Return the state without answers that read one of these names."""
    gone = [key for key in state.facts if key in plan.leaves and plan.leaves[key].paths & paths]
    state = state.copy()
    if gone:
        state.facts = {key: value for key, value in state.facts.items() if key not in gone}
    return state


def forget_names(state: AbstractState, path: str, plan: RootPlan) -> AbstractState:
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
