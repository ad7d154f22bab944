"""Tests whose answer is known without their names: `p.grad is not None` holds on a path we follow.

Also what may change such an answer from one round to the next.
"""

from __future__ import annotations

import ast

from zerograd.lint.knowledge.name_heuristics import NAN_WORDS
from zerograd.lint.program.syntax import has_word_in, is_constant, kept, last_name, same, walk
from zerograd.lint.values.spelling import STEADY_CALLS
from zerograd.source.names import has_word, words

REDUCTIONS = ("any", "all", "item", "sum", "max", "cpu")
"""What makes one answer of one for each element."""

NAMED = frozenset({"finite", "isfinite", "nan", "nans", "isnan"})
"""Words of names that keep the answer."""


@kept
def answer_of(node: ast.expr) -> bool | None:
    """Return what a test comes to on the paths that are followed: guards hold."""
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if _is_main(node) or _gradients_are_on(node):
        return True
    if about_nan(node):
        return has_word_in(node, "finite")
    if _about_gradient(node):
        return not _asks_for_none(node)
    return None


def _is_main(node: ast.AST) -> bool:
    """`__name__ == "__main__"`: lint reads a program as the one that is run."""
    return isinstance(node, ast.Compare) and last_name(node.left) == "__name__"


def _gradients_are_on(node: ast.AST) -> bool:
    """`torch.is_grad_enabled()`: where it is false nothing is deposited either."""
    return isinstance(node, ast.Call) and last_name(node.func) == "is_grad_enabled"


def _about_gradient(node: ast.AST) -> bool:
    return any(
        isinstance(item, ast.Attribute) and item.attr in ("grad", "requires_grad")
        for item in walk(node)
    ) and not any(isinstance(item, ast.Lt | ast.Gt) for item in walk(node))


def _asks_for_none(node: ast.AST) -> bool:
    return any(isinstance(item, ast.Is | ast.Eq) for item in walk(node))


def about_nan(node: ast.AST) -> bool:
    """`math.isnan(x)`, `torch.isnan(p.grad).any()`: a guard against numbers that never come."""
    while isinstance(node, ast.Call):
        if has_word(last_name(node.func) or "", NAN_WORDS):
            return True
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in REDUCTIONS:
            return False
        node = node.func.value
    # `is_loss_finite`: what such a call was kept as.
    return isinstance(node, ast.Name) and not NAMED.isdisjoint(words(node.id))


def about_loss(node: ast.AST) -> bool:
    """Tell whether a name is that of a loss, which is skipped where it is None."""
    name = last_name(node)
    return name is not None and has_word(name, ("loss",)) and isinstance(node, ast.Name)


def last_of_modulo(left: ast.expr, right: ast.expr) -> bool:
    """`i % k == k - 1` says what `(i + 1) % k == 0` says."""
    if not (isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod)):
        return False
    if isinstance(right, ast.Constant) and isinstance(left.right, ast.Constant):
        a, b = right.value, left.right.value
        return isinstance(a, int) and isinstance(b, int) and a == b - 1
    return (
        isinstance(right, ast.BinOp)
        and isinstance(right.op, ast.Sub)
        and is_constant(right.right, 1)
        and same(right.left, left.right)
    )


@kept
def changes(node: ast.AST) -> bool:
    """Tell whether the next round of a loop may answer a test differently."""
    for item in walk(node):
        if isinstance(item, ast.BinOp) and isinstance(item.op, ast.Mod):
            return True
        if isinstance(item, ast.Call) and last_name(item.func) not in STEADY_CALLS:
            return True
    return False
