"""What a scope binds: every assignment of a name, with the tests that it stands under."""

from __future__ import annotations

import ast
from collections import defaultdict
from enum import Enum, auto
from functools import cached_property
from typing import TYPE_CHECKING

from zerograd.lint.program.syntax import AROUND, dotted, kept, nested
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Tests = tuple[tuple[ast.expr, bool], ...]


class BindingKind(Enum):
    """By which kind of statement a name got its value."""

    ASSIGNED = auto()
    ITERATED = auto()
    ENTERED = auto()
    CHANGED = auto()
    """Augmented: the old value takes part."""

    OTHER = auto()


@record(frozen=True, eq=False)
class Binding:
    """One place where a name gets a value."""

    target: str
    value: ast.expr | None
    how: BindingKind
    node: ast.stmt
    index: tuple[int, ...] = ()
    """The position in an unpacked value: `(1,)` for `b` in `a, b = f()`."""

    under: Tests = ()
    """The `if` tests around it within its function, outermost first."""

    note: ast.expr | None = None
    """The annotation, if it has one."""


class Scope:
    """One function's or module's body, read when a name is first asked for."""

    def __init__(self, node: ast.AST, name: str, parent: Scope | None) -> None:
        self.node = node
        self.name = name
        self.parent = parent

    @cached_property
    def bindings(self) -> dict[str, list[Binding]]:
        """Dotted target -> its bindings in source order; `self.x` counts as a target."""
        found: dict[str, list[Binding]] = defaultdict(list)
        for binding in bindings(getattr(self.node, "body", [])):
            found[binding.target].append(binding)
        return dict(found)

    @cached_property
    def outside(self) -> frozenset[str]:
        """Names that the body declares `global` or `nonlocal`."""
        body = getattr(self.node, "body", [])
        return frozenset(
            name
            for node, _ in with_tests(body if isinstance(body, list) else [])
            if isinstance(node, ast.Global | ast.Nonlocal)
            for name in node.names
        )

    @cached_property
    def parameters(self) -> dict[str, ast.arg]:
        """The parameters by name."""
        args = getattr(self.node, "args", None)
        if not isinstance(args, ast.arguments):
            return {}
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        every += [item for item in (args.vararg, args.kwarg) if item]
        return {item.arg: item for item in every}


def with_tests(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, Tests]]:
    """Every statement of a body with the tests that it stands under; no nested scopes."""
    todo: list[tuple[ast.stmt, Tests]] = [(node, ()) for node in reversed(body)]
    while todo:
        node, under = todo.pop()
        yield node, under
        if isinstance(node, ast.If):
            todo.extend((item, (*under, (node.test, False))) for item in reversed(node.orelse))
            todo.extend((item, (*under, (node.test, True))) for item in reversed(node.body))
        elif isinstance(node, ast.Try):
            todo.extend((item, under) for item in reversed([*node.orelse, *node.finalbody]))
            for handler in reversed(node.handlers):
                # What a handler does is done where the exception came, and nowhere else.
                caught = (*under, (handler.type or ast.Name("BaseException"), True))
                todo.extend((item, caught) for item in reversed(handler.body))
            todo.extend((item, under) for item in reversed(node.body))
        elif type(node) in AROUND:
            todo.extend((item, under) for item in reversed(nested(node)))


@kept
def returns(function: ast.AST) -> list[ast.expr]:
    """Return the expressions that a function returns, in source order."""
    return [
        stmt.value
        for stmt, _ in with_tests(getattr(function, "body", []))
        if isinstance(stmt, ast.Return) and stmt.value is not None
    ]


def in_its_loop(found: list[Binding], node: ast.AST) -> list[Binding]:
    """Return the bindings that a use inside a loop over that very name can mean."""
    line = getattr(node, "lineno", 0)
    around = [item for item in found if item.how is BindingKind.ITERATED and _spans(item, line)]
    if not around:
        return found
    return [item for item in found if item is around[-1] or _spans(around[-1], item.node.lineno)]


def _spans(loop: Binding, line: int) -> bool:
    return loop.node.lineno < line <= (loop.node.end_lineno or 0)


def bindings(body: object) -> Iterator[Binding]:
    """Every binding of a body, nested scopes apart."""
    if not isinstance(body, list):
        return
    for node, under in with_tests(body):
        yield from _bound(node, under)


def _bound(node: ast.stmt, under: Tests) -> Iterable[Binding]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _unpacked(target, node.value, BindingKind.ASSIGNED, node, under)
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        yield from _single(node, under)
    elif isinstance(node, ast.For | ast.AsyncFor):
        yield from _unpacked(node.target, node.iter, BindingKind.ITERATED, node, under)
    elif isinstance(node, ast.With | ast.AsyncWith):
        for item in node.items:
            if item.optional_vars is not None:
                yield from _unpacked(
                    item.optional_vars, item.context_expr, BindingKind.ENTERED, node, under
                )
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield Binding(node.name, None, BindingKind.OTHER, node, (), under)


def _single(node: ast.AnnAssign | ast.AugAssign, under: Tests) -> Iterable[Binding]:
    name = dotted(node.target)
    if name is None:
        return
    if isinstance(node, ast.AugAssign):
        yield Binding(name, node.value, BindingKind.CHANGED, node, (), under)
    else:
        yield Binding(name, node.value, BindingKind.ASSIGNED, node, (), under, node.annotation)


def _unpacked(
    target: ast.expr,
    value: ast.expr,
    how: BindingKind,
    node: ast.stmt,
    under: Tests,
    index: tuple[int, ...] = (),
) -> Iterator[Binding]:
    """Bindings of a target, through tuples; a literal on the right is taken apart as well."""
    todo = [(target, value, index)]
    while todo:
        target, value, index = todo.pop()
        if isinstance(target, ast.Tuple | ast.List):
            todo.extend(_parts(target, value, how, index))
            continue
        name = dotted(target.value if isinstance(target, ast.Starred) else target)
        if name:
            yield Binding(name, value, how, node, index, under)


def _parts(
    target: ast.Tuple | ast.List, value: ast.expr, how: BindingKind, index: tuple[int, ...]
) -> list[tuple[ast.expr, ast.expr, tuple[int, ...]]]:
    literal = (
        how is BindingKind.ASSIGNED
        and not index
        and isinstance(value, ast.Tuple | ast.List)
        and len(value.elts) == len(target.elts)
        and not any(isinstance(item, ast.Starred) for item in [*value.elts, *target.elts])
    )
    if literal and isinstance(value, ast.Tuple | ast.List):
        return [(item, part, ()) for item, part in zip(target.elts, value.elts, strict=True)]
    return [(item, value, (*index, place)) for place, item in enumerate(target.elts)]
