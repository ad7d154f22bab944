"""Loops over parameters that act on some of them only: which ones is unknown."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events.accounts import transitions
from zerograd.lint.program.flow.graph import Branch, Leave, acts_in, blocks
from zerograd.lint.program.syntax import names_in, small, walk

if TYPE_CHECKING:
    from zerograd.lint.events.accounts import AbstractAccount
    from zerograd.lint.interpret.state import AbstractState
    from zerograd.lint.program.flow import LoopNode, Node

WHOLE = frozenset({"grad", "_grad", "requires_grad", "is_leaf"})
"""What every parameter that can hold a gradient answers alike."""


def picks(loop: LoopNode) -> bool:
    """Tell whether a test on the element decides whether something happens to it."""
    names = set(loop.names)
    todo: list[Node] = list(loop.body)
    while todo:
        node = todo.pop()
        if isinstance(node, Branch) and _decides(node) and _partial(node.test, names):
            return True
        todo.extend(item for inner in blocks(node) for item in inner)
    return False


def blurred(state: AbstractState, before: AbstractState) -> AbstractState:
    """Return a state in which every account that changed is unknown."""
    state = state.copy()
    state.accounts = tuple(map(_blurred, state.accounts, before.accounts))
    state.scalers = before.scalers
    return state


def _blurred(new: AbstractAccount, old: AbstractAccount) -> AbstractAccount:
    # Of what is frozen in part, the rest is still trained; what is thawed in part is trained again.
    new = new._replace(frozen=old.frozen and new.frozen)
    return new if new == old else transitions.forget(new)


def _decides(node: Branch) -> bool:
    return acts_in(node) or any(isinstance(item, Leave) for item in (*node.then, *node.other))


def _partial(test: ast.expr, names: set[str]) -> bool:
    """Tell whether a test separates one element from another."""
    if not small(test):
        return True
    if isinstance(test, ast.BoolOp):
        return any(_partial(part, names) for part in test.values)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _partial(test.operand, names)
    if not names_in(test) & names or isinstance(test, ast.Name):
        return False
    return not any(_asks_for_all(item) for item in walk(test))


def _asks_for_all(node: ast.AST) -> bool:
    """`p.grad is None`, `hasattr(p, "grad")`, `x is not None`."""
    if isinstance(node, ast.Attribute):
        return node.attr in WHOLE
    return isinstance(node, ast.Constant) and (node.value is None or node.value in WHOLE)
