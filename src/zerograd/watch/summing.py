"""Finds where a deposited loss is added up with its graph: `total += loss`."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, TypeGuard

from zerograd.hooks import Line, Source
from zerograd.hooks.call_site import is_users
from zerograd.watch.parsing import enclosing, tree_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

_DETACHING = {"item", "detach", "tolist", "numpy", "data", "float", "int", "no_grad"}
"""What leaves the graph behind: `loss.item()`, `float(loss)`."""


def first_sum(lines: Iterable[Line]) -> Source | None:
    """Return the first sum over a loss that one of these lines deposits."""
    for line in lines:
        chain = enclosing(line)
        names = _loss_names(chain[-1]) if chain else set()
        if not names:
            continue
        found = _sum_in(chain[0], names, line.path, line.function) or _sum_behind(chain[0], names)
        if found is not None:
            return Source(found)
    return None


def _loss_names(statement: ast.AST) -> set[str]:
    """Return the names in the expression that is deposited."""
    calls = [
        node
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "backward"
    ]
    return {name for call in calls for name in _names(call)}


def _sum_in(scope: ast.AST, names: set[str], path: str, function: str) -> Line | None:
    """Return the first statement of a scope that adds one of these names to something it keeps."""
    sums = [node.lineno for node in ast.walk(scope) if _is_sum(node, names)]
    return Line(path, min(sums), function) if sums else None


def _is_sum(node: ast.AST, names: set[str]) -> TypeGuard[ast.stmt]:
    if isinstance(node, ast.AugAssign):
        return not _same(node.target, names) and _mentions(node.value, names)
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
        # `smooth = 0.98 * smooth + 0.02 * loss`, not `loss = loss / 4`
        kept = {ast.unparse(target) for target in node.targets}
        again = any(ast.unparse(part) in kept for part in ast.walk(node.value) if _is_place(part))
        others = not any(_same(target, names) for target in node.targets)
        return again and others and _mentions(node.value, names)
    return False


def _sum_behind(scope: ast.AST, names: set[str]) -> Line | None:
    """Return the first sum in a method that is handed the loss: `meter.update(loss, n)`."""
    for call in (node for node in ast.walk(scope) if isinstance(node, ast.Call)):
        called = call.func.attr if isinstance(call.func, ast.Attribute) else None
        for at, argument in enumerate(call.args):
            if called is None or not (isinstance(argument, ast.Name) and argument.id in names):
                continue
            for path, function in _functions(called):
                parameters = [parameter.arg for parameter in function.args.args]
                given = parameters[1:] if parameters[:1] == ["self"] else parameters
                found = _sum_in(function, set(given[at : at + 1]), path, function.name)
                if found is not None:
                    return found
    return None


def _functions(name: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield the user's own functions of this name."""
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    for path in sorted(file for file in files if file and is_users(file)):
        tree = tree_of(path)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, _FUNCTIONS) and node.name == name:
                yield path, node


def _mentions(value: ast.expr, names: set[str]) -> bool:
    """Whether one of these names stands in an expression with its graph."""
    if isinstance(value, ast.Attribute) and value.attr in _DETACHING:
        return False
    if isinstance(value, ast.Call):
        called = value.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name in _DETACHING:
            return False
    if isinstance(value, ast.Name):
        return value.id in names
    parts = (part for part in ast.iter_child_nodes(value) if isinstance(part, ast.expr))
    return any(_mentions(part, names) for part in parts)


def _same(target: ast.expr, names: set[str]) -> bool:
    return isinstance(target, ast.Name) and target.id in names


def _is_place(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript)


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
