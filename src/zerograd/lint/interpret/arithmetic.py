"""Small arithmetic on counters: what a test says where a loop's index and a length have values."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING

from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import dotted, last_name, small
from zerograd.lint.values import spelling
from zerograd.lint.values.inlined_calls import inlined
from zerograd.lint.values.value import ValueKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.lint.program.flow import Bind
    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import CallFrame

Numbers = dict[str, int | None]
"""Path or spelling -> a number; None where it is known that nobody knows."""

DEEP = 8

OPERATIONS: dict[type[ast.AST], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
CALLS: dict[str, Callable[..., int]] = {"int": int, "abs": abs, "max": max, "min": min}


class Arithmetic:
    """Values of expressions, from counters that run and numbers that were agreed on."""

    def __init__(self, resolver: Resolver, counters: Numbers, numbers: Numbers) -> None:
        self.resolver, self.counters = resolver, counters
        self.numbers = dict(numbers)

    def bind(self, node: Bind, frame: CallFrame) -> None:
        """Give the names of an assignment their values."""
        stmt = node.stmt
        value: int | None = None
        if isinstance(stmt, ast.AugAssign):
            operation = OPERATIONS.get(type(stmt.op))
            before, by = self.value(stmt.target, frame), self.value(stmt.value, frame)
            if operation is not None and before is not None and by is not None:
                value = _done(operation, before, by)
        elif node.value is not None:
            value = self.value(node.value, frame)
        for name in node.names:
            self.counters[spelling.path_of(name, frame)] = value

    def forget(self, frame: CallFrame) -> None:
        """Forget the local names of a function that is entered anew."""
        prefix = f"{frame.path}|"
        for path in [path for path in self.counters if path.startswith(prefix)]:
            del self.counters[path]

    def value(self, node: ast.expr, frame: CallFrame, depth: int = 0) -> int | None:
        """Return the number that an expression stands for; None when nobody knows."""
        if depth > DEEP or not small(node):
            return None
        found = self._computed(node, frame, depth)
        if found is None and not isinstance(node, ast.Constant):
            found = self.numbers.get(spelling.spell(node, frame).text)
        return found

    def _computed(self, node: ast.expr, frame: CallFrame, depth: int) -> int | None:
        if isinstance(node, ast.Constant):
            return int(node.value) if isinstance(node.value, int) else None
        asked = inlined(node, frame, self.resolver)
        if asked is not None:
            return self.value(*asked, depth + 1)
        if isinstance(node, ast.Name | ast.Attribute):
            return self._named(node, frame, depth)
        if isinstance(node, ast.BoolOp):
            return self._joined(node, frame, depth)
        if isinstance(node, ast.UnaryOp):
            return self._signed(node, frame, depth)
        if isinstance(node, ast.BinOp):
            return self._operation(type(node.op), [node.left, node.right], frame, depth)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._operation(
                type(node.ops[0]), [node.left, node.comparators[0]], frame, depth
            )
        if isinstance(node, ast.IfExp):
            test = self.value(node.test, frame, depth + 1)
            chosen = node.body if test else node.orelse
            return None if test is None else self.value(chosen, frame, depth + 1)
        return self._called(node, frame, depth) if isinstance(node, ast.Call) else None

    def _named(self, node: ast.Name | ast.Attribute, frame: CallFrame, depth: int) -> int | None:
        name = dotted(node)
        if name is None:
            return None
        path = spelling.path_of(name, frame)
        if path in self.counters:
            return self.counters[path]
        found, home = spelling.bindings_of(node, frame)
        if home is not None and isinstance(node, ast.Name) and not found:
            given = home.arguments.get(node.id)
            if given is not None:
                return self.value(given[0], given[1], depth + 1)
        starts = [item for item in found if item.how is BindingKind.ASSIGNED and not item.index]
        if home is not None and len(starts) == 1 and starts[0].value is not None:
            if len(found) == 1 or isinstance(starts[0].value, ast.Constant):
                return self.value(starts[0].value, home, depth + 1)
            return None
        return self._constant(node, frame) if not found else None

    def _constant(self, node: ast.expr, frame: CallFrame) -> int | None:
        """Return the constant that an object's attribute starts from, or a name of elsewhere."""
        value = self.resolver.value(node, frame)
        if value is None or value.kind is not ValueKind.CONSTANT:
            return None
        number = value.constant
        return int(number) if isinstance(number, int) else None

    def _joined(self, node: ast.BoolOp, frame: CallFrame, depth: int) -> int | None:
        """`and`, `or`: one answer may decide, whatever the others are."""
        every = isinstance(node.op, ast.And)
        said = [self.value(item, frame, depth + 1) for item in node.values]
        if any(item is not None and bool(item) is not every for item in said):
            return int(not every)
        return None if None in said else int(every)

    def _signed(self, node: ast.UnaryOp, frame: CallFrame, depth: int) -> int | None:
        said = self.value(node.operand, frame, depth + 1)
        if said is None:
            return None
        if isinstance(node.op, ast.Not):
            return int(not said)
        return -said if isinstance(node.op, ast.USub) else None

    def _operation(
        self, kind: type[ast.AST], nodes: list[ast.expr], frame: CallFrame, depth: int
    ) -> int | None:
        operation = OPERATIONS.get(kind)
        said = [self.value(item, frame, depth + 1) for item in nodes]
        if operation is None or said[0] is None or said[1] is None:
            return None
        return _done(operation, said[0], said[1])

    def _called(self, node: ast.Call, frame: CallFrame, depth: int) -> int | None:
        """`len(loader)`, and a few functions of numbers."""
        name = last_name(node.func) or ""
        if name == "len" and len(node.args) == 1:
            spelled = spelling.spell(node.args[0], frame).text
            return self.numbers.get(f"len({spelled})")
        call = CALLS.get(name) if isinstance(node.func, ast.Name) else None
        said = [self.value(item, frame, depth + 1) for item in node.args]
        known = [item for item in said if item is not None]
        if call is None or node.keywords or not known or len(known) != len(said):
            return None
        if name in ("max", "min") and len(known) < 2:  # they compare two
            return None
        return call(*known)


def _done(operation: Callable[[int, int], int], one: int, other: int) -> int | None:
    try:
        return int(operation(one, other))
    except ZeroDivisionError:
        return None
