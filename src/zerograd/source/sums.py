"""Find where a deposited loss is added up with its graph: `total += loss`."""

from __future__ import annotations

import ast
import sys
from functools import partial
from typing import TYPE_CHECKING, TypeGuard

from zerograd.source.lines import CallSite, Line, is_users
from zerograd.source.parsing import enclosing, spelled, statements_on, tree_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

_STORING = {"append", "appendleft", "extend", "insert", "add", "put", "update", "log", "setdefault"}
"""What keeps its argument."""

_DETACHING = {"item", "detach", "tolist", "numpy", "data", "float", "int", "no_grad"}
"""What leaves the graph behind: `loss.item()`, `float(loss)`."""


def first_sum(lines: Iterable[Line]) -> CallSite | None:
    """Return the first sum over a loss that one of these lines deposits, or hands to the next."""
    returned = ""
    for line in lines:
        chain = enclosing(line)
        if not chain:
            continue
        names = _loss_names(statements_on(line))
        found = _sum_in(chain[0], names, line.path, line.function) or _sum_behind(chain[0], names)
        found = found or _sum_of_calls(line, returned)
        if found is not None:
            return CallSite(found)
        returned = line.function.rpartition(".")[2] if _returns(chain[0], names) else ""
    return None


def first_store(lines: Iterable[Line]) -> CallSite | None:
    """Return the first line that puts a deposited loss away whole: into a list, a dict, a meter."""
    for line in lines:
        chain = enclosing(line)
        if not chain:
            continue
        names = _loss_names(statements_on(line))
        nodes = (node for node in ast.walk(chain[0]) if isinstance(node, ast.stmt | ast.expr))
        stores = [node.lineno for node in nodes if _is_store(node, names)]
        if stores:
            return CallSite(Line(line.path, min(stores), line.function))
    return None


def first_keeper(source: CallSite) -> CallSite:
    """Return the line that keeps what a call returns, or is computed from it; else the call's."""
    for line in (source.line, source.caller):
        chain = enclosing(line) if line is not None else ()
        loops = [node for node in chain if isinstance(node, ast.For | ast.AsyncFor | ast.While)]
        if line is None or not loops:
            continue
        names: set[str] = set()
        for node in _in_order(loops[-1], line.line):
            if _is_sum(node, partial(_is_made_of, names=names, line=line.line)) or _stores(
                node, names, line.line
            ):
                return CallSite(Line(line.path, node.lineno, line.function))
            if isinstance(node, ast.Assign) and _holds(
                node.value, partial(_is_made_of, names=names, line=line.line)
            ):
                names |= {name for target in node.targets for name in _names(target)}
    return source


def _in_order(loop: ast.AST, first: int) -> list[ast.stmt]:
    """Return the simple statements of a loop from a line on."""
    found = [node for node in ast.walk(loop) if isinstance(node, ast.stmt)]
    simple = [node for node in found if not hasattr(node, "body") and node.lineno >= first]
    return sorted(simple, key=lambda node: node.lineno)


def _stores(statement: ast.stmt, names: set[str], line: int) -> bool:
    """Whether a statement puts what a line calls, or one of these names, away whole."""
    calls = {node for node in ast.walk(statement) if isinstance(node, ast.Call)}
    return any(
        _is_store(node, names) or (statement.lineno == line and _is_store_of_call(node, calls))
        for node in (statement, *calls)
    )


def _is_store_of_call(node: ast.AST, calls: set[ast.Call]) -> bool:
    """Whether it is `outputs.append(model(x))`."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    inner = calls - {node}
    return node.func.attr in _STORING and any(
        _holds(one, lambda part: part in inner) for one in node.args
    )


def _is_made_of(part: ast.expr, *, names: set[str], line: int) -> bool:
    """Whether an expression is one of these names, or a call on a line."""
    return _is_one_of(part, names) or (isinstance(part, ast.Call) and part.lineno == line)


def _is_store(node: ast.AST, names: set[str]) -> bool:
    """Whether it is `losses.append(loss)`, `history[step] = loss` or `meter.update(loss=loss)`."""

    def wanted(part: ast.expr) -> bool:
        return _is_one_of(part, names)

    if isinstance(node, ast.Assign):
        into = any(isinstance(target, ast.Subscript | ast.Attribute) for target in node.targets)
        return into and _holds(node.value, wanted)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        given = (*node.args, *(keyword.value for keyword in node.keywords))
        return node.func.attr in _STORING and any(_holds(one, wanted) for one in given)
    return False


def _loss_names(statements: Iterable[ast.AST]) -> set[str]:
    """Return the names in the expressions that are deposited."""
    calls = [
        node
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "backward"
    ]
    return {name for call in calls for name in _names(call)}


def _sum_in(scope: ast.AST, names: set[str], path: str, function: str) -> Line | None:
    """Return the first statement of a scope that adds one of these names to something it keeps."""
    sums = [
        node.lineno
        for node in ast.walk(scope)
        if _is_sum(node, lambda part: _is_one_of(part, names)) and not _changes(node, names)
    ]
    return Line(path, min(sums), function) if sums else None


def _is_sum(node: ast.AST, wanted: Callable[[ast.expr], bool]) -> TypeGuard[ast.stmt]:
    """Whether a statement adds what is wanted, with its graph, to something that it keeps."""
    if isinstance(node, ast.AugAssign):
        return _holds(node.value, wanted)
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
        kept = {spelled(target) for target in node.targets}
        again = any(spelled(part) in kept for part in ast.walk(node.value) if _is_place(part))
        return again and _holds(node.value, wanted)
    return False


def _changes(node: ast.stmt, names: set[str]) -> bool:
    """Whether it is `loss = loss / 4`, not `smooth = 0.98 * smooth + 0.02 * loss`."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
    return any(_is_one_of(target, names) for target in targets)


def _returns(scope: ast.AST, names: set[str]) -> bool:
    """Whether a function returns one of these names with its graph."""
    return any(
        isinstance(node, ast.Return)
        and node.value is not None
        and _holds(node.value, lambda part: _is_one_of(part, names))
        for node in ast.walk(scope)
    )


def _sum_of_calls(line: Line, function: str) -> Line | None:
    """Return a line if it adds up what calls of a function return: `total += train(batch)`."""

    def wanted(part: ast.expr) -> bool:
        return _is_call(part, function)

    nodes = [node for statement in statements_on(line) for node in ast.walk(statement)]
    builtin = (node for node in nodes if isinstance(node, ast.Call) and _is_call(node, "sum"))
    summed = any(_holds(argument, wanted) for call in builtin for argument in call.args)
    return line if function and (summed or any(_is_sum(node, wanted) for node in nodes)) else None


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


def _holds(value: ast.expr, wanted: Callable[[ast.expr], bool]) -> bool:
    """Whether an expression contains what is wanted, with its graph."""
    if isinstance(value, ast.Attribute) and value.attr in _DETACHING:
        return False
    if isinstance(value, ast.Call):
        called = value.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name in _DETACHING:
            return False
    parts = (part for part in ast.iter_child_nodes(value) if isinstance(part, ast.expr))
    return wanted(value) or any(_holds(part, wanted) for part in parts)


def _is_one_of(node: ast.AST, names: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _is_call(node: ast.AST, function: str) -> bool:
    called = getattr(node, "func", None)
    return function in (getattr(called, "attr", None), getattr(called, "id", None))


def _is_place(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript)


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
