"""Tests brought to one form, so that equal and negated ones take the same branch."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from zerograd.lint.knowledge.words import NAN_WORDS
from zerograd.lint.names import frames, spelling
from zerograd.lint.names.values import Frame, Kind
from zerograd.lint.scope import Binding, How
from zerograd.lint.syntax import is_constant, keyword, last_name, small, walk

if TYPE_CHECKING:
    from zerograd.lint.names.resolver import Resolver

DEEP = 8
ZERO = " == 0"
"""How the truth of a plain value is spelled, so that `x`, `x == 0` and `x is None` are one test."""

PRIVATE = frozenset({"_per_optimizer_states", "_found_inf", "_scale", "_growth_tracker"})
STEADY_CALLS = frozenset(
    {
        "isinstance",
        "hasattr",
        "is_available",
        "len",
        "getattr",
        "callable",
        "bool",
        "is_enabled",
        "device_count",
        "is_main_process",
        "get_rank",
        "get_world_size",
        "is_initialized",
        "issubclass",
    }
)
"""Calls whose answer does not change from one round of a loop to the next."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One comparison or truth value."""

    key: str
    positive: bool = True
    paths: frozenset[str] = frozenset()
    """The names that it reads; rebinding one makes the answer unknown."""

    operands: frozenset[str] = frozenset()
    forgotten: bool = False
    """Has a modulo or a call: the next round of a loop may answer differently."""

    known: bool | None = None
    """The answer, where it does not depend on the run."""

    ordered: bool = False
    """Compares by size rather than equality."""

    identity: bool = False
    """Asks whether something is None."""

    private: bool = False
    """Reads a scaler's or optimizer's own state: it follows the accounts, nobody knows how."""


@dataclass(frozen=True, slots=True)
class Compound:
    """`and` or `or` over conditions."""

    every: bool
    parts: tuple[Condition, ...] = field(default=())


Condition = Leaf | Compound


def condition(node: ast.expr, frame: Frame, resolver: Resolver) -> Condition:
    """Return a test in its one form; the answer is kept in the frame."""
    key = ("condition", id(node))
    found = frame.resolved.get(key)
    if not isinstance(found, Leaf | Compound):
        found = _Reader(resolver).read(node, frame, positive=True, depth=0)
        frame.resolved[key] = found
    return found


def leaves(found: Condition) -> list[Leaf]:
    """Every comparison in a condition."""
    todo, flat = [found], []
    while todo:
        item = todo.pop()
        if isinstance(item, Compound):
            todo.extend(item.parts)
        else:
            flat.append(item)
    return flat


class _Reader:
    """Reads one test, substituting names by what they were assigned from."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver

    def read(self, node: ast.expr, frame: Frame, *, positive: bool, depth: int) -> Condition:
        if depth > DEEP or not small(node):
            return self.opaque(node, frame, positive=positive)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.read(node.operand, frame, positive=not positive, depth=depth + 1)
        if isinstance(node, ast.BoolOp):
            every = isinstance(node.op, ast.And) is positive
            parts = [
                self.read(item, frame, positive=positive, depth=depth + 1) for item in node.values
            ]
            return Compound(every, tuple(parts))
        answer = _answer(node)
        if answer is not None:
            return Leaf("", known=answer is positive)
        if isinstance(node, ast.NamedExpr):
            return self.read(node.value, frame, positive=positive, depth=depth + 1)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self.compare(node, frame, positive=positive, depth=depth)
        if isinstance(node, ast.Call):
            return self.call(node, frame, positive=positive, depth=depth)
        return self.truth(node, frame, positive=positive, depth=depth)

    def compare(self, node: ast.Compare, frame: Frame, *, positive: bool, depth: int) -> Condition:
        left, op, right = node.left, node.ops[0], node.comparators[0]
        same = isinstance(op, ast.Is | ast.Eq)
        if same or isinstance(op, ast.IsNot | ast.NotEq):
            positive = positive is same
            if is_constant(right, None, 0, False) and not isinstance(left, ast.Constant):
                if _about_loss(left):
                    return Leaf("", known=not positive)
                found = self.read(left, frame, positive=not positive, depth=depth + 1)
                if is_constant(right, None) and isinstance(found, Leaf):
                    return replace(found, identity=True)
                return found
            if is_constant(right, True):
                return self.read(left, frame, positive=positive, depth=depth + 1)
            if _last_of_modulo(left, right):
                assert isinstance(left, ast.BinOp)
                moved = ast.BinOp(
                    ast.BinOp(left.left, ast.Add(), ast.Constant(1)), ast.Mod(), left.right
                )
                return self.truth(moved, frame, positive=not positive, depth=depth + 1)
            return self.leaf([left, right], " == ", frame, positive=positive)
        if isinstance(op, ast.Gt | ast.LtE):
            positive, left, right = positive is isinstance(op, ast.Gt), right, left
        elif isinstance(op, ast.Lt | ast.GtE):
            positive = positive is isinstance(op, ast.Lt)
        else:
            return self.leaf([node], " in ", frame, positive=positive)
        return self.leaf([left, right], " < ", frame, positive=positive)

    def call(self, node: ast.Call, frame: Frame, *, positive: bool, depth: int) -> Condition:
        name = last_name(node.func)
        if name == "is_enabled" and isinstance(node.func, ast.Attribute):
            return self.read(node.func.value, frame, positive=positive, depth=depth + 1)
        if name == "bool" and len(node.args) == 1:
            return self.read(node.args[0], frame, positive=positive, depth=depth + 1)
        return self.leaf([node], "", frame, positive=positive)

    def truth(self, node: ast.expr, frame: Frame, *, positive: bool, depth: int) -> Condition:
        """Return a name, attribute or number used as a truth value."""
        if isinstance(node, ast.BinOp):
            return self.leaf([node], ZERO, frame, positive=not positive)
        if last_name(node) == "sync_gradients":
            return Leaf("sync_gradients", positive, forgotten=True)
        behind = self.behind(node, frame)
        if behind is not None:
            source, home, same = behind
            return self.read(source, home, positive=positive is same, depth=depth + 1)
        return self.leaf([node], ZERO, frame, positive=not positive)

    def behind(self, node: ast.expr, frame: Frame) -> tuple[ast.expr, Frame, bool] | None:
        """Return what a truth value was assigned from, where, and whether negated."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return None
        value = self.resolver.value(node, frame)
        if value is not None and value.kind is Kind.SCALER and value.site and value.frame:
            enabled = keyword(value.site, "enabled")
            if enabled is not None:
                return enabled, value.frame, True
        if (
            value is not None
            and value.kind is Kind.CONSTANT
            and isinstance(node, ast.Attribute)
            and self.settled(node, frame)
        ):
            return ast.Constant(bool(value.constant)), frame, True
        found, home = spelling.bindings_of(node, frame)
        if home is None:
            return None
        if isinstance(node, ast.Name) and node.id in home.arguments and not found:
            given, caller = home.arguments[node.id]
            return given, caller, True
        return _assigned_from(found, home)

    def settled(self, node: ast.Attribute, frame: Frame) -> bool:
        """`self.flag` that its class sets exactly once."""
        owner = frame.function.owner
        if (
            owner is None
            or not isinstance(node.value, ast.Name)
            or not frame.receiver
            or (node.value.id != frames.self_name(frame.function))
        ):
            return False
        count = 0
        for cls in frames.lineage(frame.receiver.target, self.resolver):
            for method in cls.methods.values():
                name = f"{frames.self_name(method)}.{node.attr}"
                count += len(method.scope.bindings.get(name, ()))
        used = frame.function.module.source.text.count(f".{node.attr} =")
        return count == 1 and used <= 1

    def leaf(self, parts: list[ast.expr], sign: str, frame: Frame, *, positive: bool) -> Leaf:
        spelled = [spelling.spell(part, frame) for part in parts]
        texts = [item.text for item in spelled]
        if sign == " == ":
            texts.sort()
        key = texts[0] + sign + (texts[1] if len(texts) > 1 else "")
        return Leaf(
            key,
            positive,
            frozenset().union(*(item.paths for item in spelled)),
            frozenset().union(*(item.operands for item in spelled)),
            any(_changes(part) for part in parts) or any(item.changes for item in spelled),
            ordered=sign == " < ",
            private=any(self.private(part, frame) for part in parts),
        )

    def private(self, node: ast.expr, frame: Frame) -> bool:
        """Tell whether a test looks into a scaler, directly or through a name."""
        todo: list[tuple[ast.AST, int]] = [(node, 0)]
        while todo:
            part, depth = todo.pop()
            for item in walk(part):
                if isinstance(item, ast.Attribute) and item.attr in PRIVATE:
                    return True
                if isinstance(item, ast.Name) and depth < 2:
                    found, _ = spelling.bindings_of(item, frame)
                    todo.extend(
                        (binding.value, depth + 1)
                        for binding in found[:4]
                        if isinstance(binding.value, ast.Subscript | ast.Attribute)
                    )
        return False

    def opaque(self, node: ast.expr, frame: Frame, *, positive: bool) -> Leaf:
        key = f"{frame.path}@{node.lineno}.{node.col_offset}"
        return Leaf(key, positive, forgotten=True)


def _assigned_from(found: list[Binding], home: Frame) -> tuple[ast.expr, Frame, bool] | None:
    """Return the test behind a flag: `x = test`, `x = A() if test else None`."""
    plain = [item for item in found if item.how is How.ASSIGNED and not item.index]
    if len(plain) != len(found):
        return None
    read = {1: _single, 2: _switched}.get(len(plain))
    behind = read(plain) if read is not None else None
    return (behind[0], home, behind[1]) if behind is not None else None


def _single(plain: list[Binding]) -> tuple[ast.expr, bool] | None:
    """Read a flag that is assigned once."""
    binding, value = plain[0], plain[0].value
    if isinstance(value, ast.IfExp):
        if is_constant(value.orelse, None, False):
            return value.test, True
        return (value.test, False) if is_constant(value.body, None, False) else None
    tests = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Name, ast.Attribute, ast.Constant)
    return (value, True) if isinstance(value, tests) and not binding.under else None


def _switched(plain: list[Binding]) -> tuple[ast.expr, bool] | None:
    """Read `x = None` with `if test: x = A()`: the two are one."""
    off = [item for item in plain if is_constant(item.value, None, False)]
    on = [item for item in plain if item not in off]
    if len(off) != 1 or len(on) != 1 or not on[0].under or isinstance(on[0].value, ast.Compare):
        return None
    test, polarity = on[0].under[-1]
    deeper = len(on[0].under) - len(off[0].under)
    beside = deeper == 0 and off[0].under[-1] == (test, not polarity)
    return (test, polarity) if deeper == 1 or beside else None


def _last_of_modulo(left: ast.expr, right: ast.expr) -> bool:
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
        and ast.dump(right.left) == ast.dump(left.right)
    )


def _answer(node: ast.expr) -> bool | None:
    """Return what a test comes to on the paths that are followed: guards hold."""
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if _is_main(node):
        return True
    if _about_gradient(node):
        return not _asks_for_none(node)
    if _about_nan(node):
        return "finite" in ast.dump(node)
    return None


def _is_main(node: ast.AST) -> bool:
    """`__name__ == "__main__"`: lint reads a program as the one that is run."""
    return isinstance(node, ast.Compare) and last_name(node.left) == "__name__"


def _about_gradient(node: ast.AST) -> bool:
    return any(
        isinstance(item, ast.Attribute) and item.attr in ("grad", "requires_grad")
        for item in walk(node)
    ) and not any(isinstance(item, ast.Lt | ast.Gt) for item in walk(node))


def _asks_for_none(node: ast.AST) -> bool:
    return any(isinstance(item, ast.Is | ast.Eq) for item in walk(node))


def _about_nan(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and bool(NAN_WORDS.search(last_name(node.func) or ""))


def _about_loss(node: ast.AST) -> bool:
    name = last_name(node)
    return name is not None and "loss" in name.lower() and isinstance(node, ast.Name)


def _changes(node: ast.AST) -> bool:
    for item in walk(node):
        if isinstance(item, ast.BinOp) and isinstance(item.op, ast.Mod):
            return True
        if isinstance(item, ast.Call) and last_name(item.func) not in STEADY_CALLS:
            return True
    return False
