"""Tests brought to one form, so that equal and negated ones take the same branch."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lint.interpret.flag_tests import assigned_from
from zerograd.lint.interpret.known_answers import about_loss, answer_of, changes, last_of_modulo
from zerograd.lint.interpret.origins import in_loop
from zerograd.lint.program.syntax import is_constant, keyword, last_name, small, walk
from zerograd.lint.values import call_frames, spelling
from zerograd.lint.values.inlined_calls import inlined
from zerograd.lint.values.value import CallFrame, ValueKind
from zerograd.record import record, replace

if TYPE_CHECKING:
    from zerograd.lint.values.resolver import Resolver

DEEP = 8
ZERO = " == 0"
"""How the truth of a plain value is spelled, so that `x`, `x == 0` and `x is None` are one test."""
PRIVATE = frozenset({"_per_optimizer_states", "_found_inf", "_scale", "_growth_tracker"})


@record(frozen=True)
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
    """Reads a scaler's or optimizer's own state: it depends on the accounts in an unknown way."""


@record(frozen=True)
class Compound:
    """`and` or `or` over conditions."""

    every: bool
    parts: tuple[Condition, ...] = ()


Condition = Leaf | Compound


def condition(node: ast.expr, frame: CallFrame, resolver: Resolver) -> Condition:
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


def steady(found: Condition) -> Condition:
    """Return a condition whose answer lasts, whatever it was computed from."""
    if isinstance(found, Compound):
        return replace(found, parts=tuple(steady(part) for part in found.parts))
    return replace(found, forgotten=False)


class _Reader:
    """Reads one test, substituting names by what they were assigned from."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver

    def read(self, node: ast.expr, frame: CallFrame, *, positive: bool, depth: int) -> Condition:
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
        answer = answer_of(node)
        if answer is not None:
            return Leaf("", known=answer is positive)
        if isinstance(node, ast.NamedExpr):
            return self.read(node.value, frame, positive=positive, depth=depth + 1)
        asked = inlined(node, frame, self.resolver)
        if asked is not None:
            return self.read(*asked, positive=positive, depth=depth + 1)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self.compare(node, frame, positive=positive, depth=depth)
        if isinstance(node, ast.Call):
            return self.call(node, frame, positive=positive, depth=depth)
        return self.truth(node, frame, positive=positive, depth=depth)

    def compare(
        self, node: ast.Compare, frame: CallFrame, *, positive: bool, depth: int
    ) -> Condition:
        left, op, right = node.left, node.ops[0], node.comparators[0]
        same = isinstance(op, ast.Is | ast.Eq)
        if same or isinstance(op, ast.IsNot | ast.NotEq):
            positive = positive is same
            if is_constant(right, None, 0, False) and not isinstance(left, ast.Constant):
                if about_loss(left):
                    return Leaf("", known=not positive)
                found = self.read(left, frame, positive=not positive, depth=depth + 1)
                if is_constant(right, None) and isinstance(found, Leaf):
                    return replace(found, identity=True)
                return found
            if is_constant(right, True):
                return self.read(left, frame, positive=positive, depth=depth + 1)
            if last_of_modulo(left, right):
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

    def call(self, node: ast.Call, frame: CallFrame, *, positive: bool, depth: int) -> Condition:
        name = last_name(node.func)
        if name == "is_enabled" and isinstance(node.func, ast.Attribute):
            return self.read(node.func.value, frame, positive=positive, depth=depth + 1)
        if name == "bool" and len(node.args) == 1:
            return self.read(node.args[0], frame, positive=positive, depth=depth + 1)
        return self.leaf([node], "", frame, positive=positive)

    def truth(self, node: ast.expr, frame: CallFrame, *, positive: bool, depth: int) -> Condition:
        """Return a name, attribute or number used as a truth value."""
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Mod) and self.is_one(node.right, frame):
                # `i % 1` is 0 in every round.
                return Leaf("", known=not positive)
            return self.leaf([node], ZERO, frame, positive=not positive)
        if last_name(node) == "sync_gradients":
            return Leaf("sync_gradients", positive, forgotten=True)
        behind = self.behind(node, frame)
        if behind is not None:
            source, home, same = behind
            found = self.read(source, home, positive=positive is same, depth=depth + 1)
            return steady(found) if self.set_once(node, frame) else found
        return self.leaf([node], ZERO, frame, positive=not positive)

    def is_one(self, node: ast.expr, frame: CallFrame) -> bool:
        """Tell whether a length is 1, whoever runs the program: written once, and nowhere given."""
        if is_constant(node, 1):
            return True
        if not isinstance(node, ast.Name | ast.Attribute):
            return False
        value = self.resolver.value(node, frame)
        if value is None or value.kind is not ValueKind.CONSTANT or value.constant != 1:
            return False
        if isinstance(node, ast.Attribute):
            assigned = re.findall(rf"\.{node.attr}\s*=(?!=)", frame.function.module.source.text)
            return len(assigned) == 1
        found, home = spelling.bindings_of(node, frame)
        return home is not None and len(found) == 1 and not found[0].under

    def set_once(self, node: ast.expr, frame: CallFrame) -> bool:
        """Tell whether a flag got its value outside of every loop: no round answers anew."""
        value = self.resolver.value(node, frame)
        if value is not None and value.kind is ValueKind.SCALER and value.site and value.frame:
            return not in_loop(value.site, value.frame)
        found, home = spelling.bindings_of(node, frame)
        if home is None or not found:
            return False
        return not any(in_loop(item.node, home) for item in found)

    def behind(self, node: ast.expr, frame: CallFrame) -> tuple[ast.expr, CallFrame, bool] | None:
        """Return what a truth value was assigned from, where, and whether negated."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return None
        value = self.resolver.value(node, frame)
        if value is not None and value.kind is ValueKind.SCALER and value.site and value.frame:
            enabled = keyword(value.site, "enabled")
            if enabled is not None:
                return enabled, value.frame, True
        if (
            value is not None
            and value.kind is ValueKind.CONSTANT
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
        return assigned_from(found, home)

    def settled(self, node: ast.Attribute, frame: CallFrame) -> bool:
        """`self.flag` that its class sets exactly once."""
        owner = frame.function.owner
        if (
            owner is None
            or not isinstance(node.value, ast.Name)
            or not frame.receiver
            or (node.value.id != call_frames.self_name(frame.function))
        ):
            return False
        count = 0
        for cls in call_frames.lineage(frame.receiver.target, self.resolver):
            for method in cls.methods.values():
                name = f"{call_frames.self_name(method)}.{node.attr}"
                count += len(method.scope.bindings.get(name, ()))
        used = frame.function.module.source.text.count(f".{node.attr} =")
        return count == 1 and used <= 1

    def leaf(self, parts: list[ast.expr], sign: str, frame: CallFrame, *, positive: bool) -> Leaf:
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
            any(changes(part) for part in parts) or any(item.changes for item in spelled),
            ordered=sign == " < ",
            private=any(self.private(part, frame) for part in parts),
        )

    def private(self, node: ast.expr, frame: CallFrame) -> bool:
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

    def opaque(self, node: ast.expr, frame: CallFrame, *, positive: bool) -> Leaf:
        key = f"{frame.path}@{node.lineno}.{node.col_offset}"
        return Leaf(key, positive, forgotten=True)
