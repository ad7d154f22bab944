"""Parse the user's files, each once; a file that cannot be parsed has no nodes."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

from zerograd.bounded_read import source_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.source.lines import Line

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)


@cache
def enclosing(line: Line) -> tuple[ast.AST, ...]:
    """Return the nodes around a line, from its function (or module) inwards."""
    tree = tree_of(line.path)
    chain: list[ast.AST] = []
    node: ast.AST | None = tree
    while node is not None:
        if isinstance(node, _SCOPES):
            chain.clear()
        chain.append(node)
        node = next((child for child in _children(node) if _covers(child, line.line)), None)
    return tuple(chain) if tree is not None else ()


def statements_on(line: Line) -> tuple[ast.AST, ...]:
    """Return the innermost statements of a line: several in `for x in data: a(x); b(x)`."""
    chain = enclosing(line)
    siblings = _children(chain[-2]) if len(chain) > 1 else iter(chain)
    return tuple(node for node in siblings if node is chain[-1] or _covers(node, line.line))


def statement_at(line: Line) -> ast.stmt | ast.expr | None:
    """Return the simple statement of a line, or of a compound one the expression of its head.

    None where several begin on one line (`a(); b()`): a line number cannot tell them apart.
    """
    chain = enclosing(line)
    node = chain[-1] if chain else None
    if len(chain) > 1 and _begin_at(chain[-2], line.line) > 1:
        return None
    if isinstance(node, (ast.If, ast.While)):
        return node.test
    if isinstance(node, ast.Expr):
        return node.value
    if isinstance(node, ast.stmt) and not hasattr(node, "body"):
        return node
    return None


@cache
def tree_of(path: str) -> ast.Module | None:
    """Return a file's tree; None where it cannot be read."""
    source = "".join(source_lines(path))
    try:
        return ast.parse(source) if source else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def spelled(node: ast.AST) -> str:
    """Return a node as source; empty where it is nested too deeply: a sum of hundreds of terms."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return ""


def last_name(function: ast.expr) -> str:
    """Return what a function is called at last: `norm` of `torch.linalg.norm`."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield child


def _covers(node: ast.AST, line: int) -> bool:
    if isinstance(node, ast.match_case):
        return node.pattern.lineno <= line <= (node.body[-1].end_lineno or line)
    first = getattr(node, "lineno", 0)
    last = getattr(node, "end_lineno", None) or 0
    return first <= line <= last


def _begin_at(parent: ast.AST, line: int) -> int:
    """Return how many simple statements of a block begin on this line."""
    return sum(
        isinstance(child, ast.stmt) and child.lineno == line and not hasattr(child, "body")
        for child in ast.iter_child_nodes(parent)
    )
