"""What a file's source does with gradients by hand: whoever takes them may spend them unseen."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

from zerograd.watch.parsing import tree_of

if TYPE_CHECKING:
    from zerograd.hooks import Source

THROUGH = frozenset({"data", "detach"})
"""What gives the same gradient again."""

LOOKING = frozenset(
    {
        *("abs", "all", "any", "device", "dtype", "is_sparse", "isfinite", "isinf", "isnan"),
        *("item", "max", "mean", "min", "norm", "numel", "print", "shape", "size", "std", "sum"),
        *("var", "clamp_", "copy_", "div_", "fill_", "mul_", "zero_"),
    }
)
"""What measures a gradient or writes into it, and takes nothing away."""

TESTS = (ast.BoolOp, ast.Compare, ast.If, ast.IfExp, ast.UnaryOp)
"""`if p.grad is not None`, and the like."""


def reads_gradients(source: Source) -> bool:
    """Whether the source's file reads a `.grad`; `torch.autograd.grad(...)` reads none."""
    return bool(_reads(source.line.path))


def keeps_gradients(source: Source) -> bool:
    """Whether the source's file takes a `.grad` for more than to measure it or to write there."""
    return any(not only_looks for only_looks in _reads(source.line.path))


@lru_cache(maxsize=64)
def _reads(path: str) -> list[bool]:
    """Return of each `.grad` that a file reads whether that is only a look."""
    tree = tree_of(path)
    nodes = [] if tree is None else list(ast.walk(tree))
    around = {id(child): node for node in nodes for child in ast.iter_child_nodes(node)}
    return [
        _only_looks(node, around)
        for node in nodes
        if isinstance(node, ast.Attribute)
        and node.attr == "grad"
        and isinstance(node.ctx, ast.Load)
        and getattr(around[id(node)], "func", None) is not node
    ]


def _only_looks(read: ast.AST, around: dict[int, ast.AST]) -> bool:
    """Whether what is done with a gradient first only looks at it, or writes into it."""
    node = around[id(read)]
    while _is_through(node):
        node = around[id(node)]
    if isinstance(node, ast.Attribute):
        return node.attr in LOOKING
    if isinstance(node, ast.Call):
        return _last_name(node.func) in LOOKING
    if isinstance(node, ast.Subscript):  # `p.grad[0] = 0` reads the gradient to write there
        return not isinstance(node.ctx, ast.Load)
    return isinstance(node, TESTS)


def _is_through(node: ast.AST) -> bool:
    """Whether a node gives the gradient again: `p.grad.data`, and both halves of `.detach()`."""
    name = node.func if isinstance(node, ast.Call) else node
    return isinstance(name, ast.Attribute) and name.attr in THROUGH


def _last_name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
