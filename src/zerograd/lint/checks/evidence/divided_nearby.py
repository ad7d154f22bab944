"""Whether a division elsewhere in a function may be the one that a loss needs.

`loss.backward()` in a window of `k`, and somewhere else in the function `... / k`: what is divided
may come to the loss on a way that nobody can follow. It cannot where it is only shown or kept:

    running += loss.item() / k       # nothing of `running` comes to the backward
    loss = loss / k                  # behind the backward, and the next round computes it anew
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events.event import EnclosingKind
from zerograd.lint.program.scope import BindingKind, with_tests
from zerograd.lint.program.syntax import dotted, text, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.checks.evidence.windows import AbstractWindow
    from zerograd.lint.program.module import Function
    from zerograd.lint.program.scope import Tests

NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def divides(function: Function, length: str) -> bool:
    """Tell whether a function divides anything by a window's length."""
    return next(divisions(function.node, length), None) is not None


def divides_the_loss(window: AbstractWindow, length: str) -> bool:
    """Tell whether a division in the deposit's function may come to what is deposited."""
    function = window.deposit.frame.function
    statements = list(with_tests(getattr(function.node, "body", [])))
    reaching = _reaching(window, [stmt for stmt, _ in statements])
    return any(
        not _is_elsewhere(window, under) and _comes_to(stmt, division, reaching, window)
        for stmt, under in statements
        for part in _parts(stmt)
        for division in divisions(part, length)
    )


def divisions(node: ast.AST, length: str) -> Iterator[ast.AST]:
    """Yield what divides by a window's length, however the length's owner is called."""
    last = length.rpartition(".")[2]
    for item in walk(node):
        if isinstance(item, ast.BinOp | ast.AugAssign) and isinstance(item.op, ast.Div):
            below = item.right if isinstance(item, ast.BinOp) else item.value
            if any(
                text(part).rpartition(".")[2] == last
                for part in walk(below)
                if isinstance(part, ast.Name | ast.Attribute)
            ):
                yield item


def _parts(stmt: ast.stmt) -> list[ast.AST]:
    """Return what a statement consists of, the statements in its blocks apart."""
    if isinstance(stmt, ast.If | ast.While):
        return [stmt.test]
    if isinstance(stmt, ast.For | ast.AsyncFor):
        return [stmt.iter]
    if isinstance(stmt, ast.With | ast.AsyncWith):
        return [item.context_expr for item in stmt.items]
    return [] if isinstance(stmt, ast.Try) else [stmt]


def _reaching(window: AbstractWindow, statements: list[ast.stmt]) -> set[str]:
    """Return the names whose values may come to the deposit, in whatever order."""
    todo = [*_names(window.deposit.node)]
    if isinstance(window.step.node, ast.Call):
        for given in (*window.step.node.args, *window.step.node.keywords):
            todo.extend(_names(given))
    makers: dict[str, list[ast.stmt]] = {}
    for stmt in statements:
        for target in _targets(stmt):
            makers.setdefault(target, []).append(stmt)
    names: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in names:
            names.add(name)
            # Whatever a statement makes, it is followed once.
            for stmt in makers.pop(name, ()):
                todo.extend(found for part in _parts(stmt) for found in _names(part))
    return names


def _targets(stmt: ast.stmt) -> set[str]:
    """Return the names that a statement gives a value or may change: `losses.append(loss)`."""
    if isinstance(stmt, ast.Assign):
        return {name for target in stmt.targets for name in _names(target)}
    if isinstance(stmt, ast.AugAssign | ast.AnnAssign | ast.For | ast.AsyncFor):
        return _names(stmt.target)
    if isinstance(stmt, ast.With | ast.AsyncWith):
        given = [item.optional_vars for item in stmt.items if item.optional_vars is not None]
        return {name for target in given for name in _names(target)}
    if isinstance(stmt, NESTED):
        return {stmt.name}
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        return _names(call.func.value)
    return set()


def _comes_to(
    stmt: ast.stmt, division: ast.AST, reaching: set[str], window: AbstractWindow
) -> bool:
    """Tell whether what a statement divides may come to the deposit."""
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    targets = _targets(stmt)
    if isinstance(call, ast.Call):
        # `scale_losses(losses, 1 / k)` may change whatever it is given as it is.
        given = [*call.args, *(item.value for item in call.keywords)]
        for item in given:
            if isinstance(item, ast.Name | ast.Attribute):
                targets |= _names(item)
    if window.deposit.node in walk(stmt) or isinstance(stmt, NESTED):
        return True
    return any(not _is_computed_anew(name, division, window) for name in sorted(targets & reaching))


def _is_elsewhere(window: AbstractWindow, under: Tests) -> bool:
    """Tell whether a division stands on the other side of a test than the deposit."""
    return any(
        getattr(item.node, "test", None) is test and (item.place is EnclosingKind.THEN) is not side
        for test, side in under
        for item in window.deposit.context
        if item.place in (EnclosingKind.THEN, EnclosingKind.OTHER)
    )


def _is_computed_anew(name: str, division: ast.AST, window: AbstractWindow) -> bool:
    """Tell whether a name is divided behind the deposit, and gets a new value in each round."""
    made = getattr(window.deposit.node, "lineno", 0)
    if getattr(division, "lineno", 0) <= made:
        return False
    first = getattr(window.loop, "lineno", 0)
    around = {id(getattr(item.node, "test", None)) for item in window.deposit.context}
    return any(
        binding.how is BindingKind.ASSIGNED
        and binding.value is not None
        and first < binding.node.lineno <= made
        and all(id(test) in around for test, _ in binding.under)
        and name not in _names(binding.value)
        for binding in window.deposit.frame.function.scope.bindings.get(name, ())
    )


def _names(node: ast.AST) -> set[str]:
    """Return the names in an expression; of an object's own attributes, `self.loss`."""
    found: set[str] = set()
    covered: set[int] = set()
    for item in walk(node):
        if isinstance(item, ast.Attribute):
            path = dotted(item)
            if path is not None and path.startswith("self."):
                found.add(".".join(path.split(".")[:2]))
                covered.update(id(part) for part in walk(item))
        elif isinstance(item, ast.Name) and id(item) not in covered:
            found.add(item.id)
    return found
