"""Tests that a small function or property answers, read as what it returns.

    @property                                        def due(self, i):
    def is_update_step(self):                            last = i + 1 == len(self.loader)
        return (self.it + 1) % self.accum == 0           return (i + 1) % self.accum == 0 or last

`if trainer.is_update_step:` asks `(self.it + 1) % self.accum == 0`, in the property's own frame.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.program.module import Class, Function
from zerograd.lint.program.scope import returns
from zerograd.lint.program.syntax import text
from zerograd.lint.values import call_frames
from zerograd.lint.values.value import ValueKind
from zerograd.source.names import has_word

if TYPE_CHECKING:
    from zerograd.lint.values.resolver_questions import ResolverQuestions
    from zerograd.lint.values.value import CallFrame

PROPERTIES = frozenset({"property", "cached_property"})
SIMPLE = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Name, ast.Attribute)
LONGEST = 4
"""Statements of a function that is read as one expression."""


def inlined(
    node: ast.expr, frame: CallFrame, resolver: ResolverQuestions
) -> tuple[ast.expr, CallFrame] | None:
    """Return the one expression that a call or property stands for, and the frame to read it in."""
    found = (
        frame_of(node, frame, resolver)
        if isinstance(node, ast.Call)
        else _property(node, frame, resolver)
        if isinstance(node, ast.Attribute)
        else None
    )
    if found is None:
        return None
    returned = returns(found.function.node)
    body = getattr(found.function.node, "body", [])
    if len(returned) != 1 or len(body) > LONGEST or not isinstance(body[-1], ast.Return):
        return None
    plain = all(isinstance(stmt, ast.Assign | ast.Expr | ast.Return) for stmt in body)
    return (returned[0], found) if plain and isinstance(returned[0], SIMPLE) else None


def answers_about(
    node: ast.expr, frame: CallFrame, resolver: ResolverQuestions, subject: tuple[str, ...]
) -> bool:
    """Tell whether a small function of the project answers, and reads something of a subject.

    `def due(self, progress): return self.needed(self.args.accumulation_steps, progress)`
    """
    found = frame_of(node, frame, resolver) if isinstance(node, ast.Call) else None
    return (
        found is not None
        and len(getattr(found.function.node, "body", [])) <= LONGEST
        and any(has_word(text(item), subject) for item in returns(found.function.node))
    )


def frame_of(node: ast.Call, frame: CallFrame, resolver: ResolverQuestions) -> CallFrame | None:
    """Return the frame of the project's function or method that a call enters."""
    if frame.depth > call_frames.DEEP:
        return None
    target = resolver.definition(node.func, frame)
    value = resolver.value(node.func, frame) if target is None else None
    if value is not None and value.kind is ValueKind.FUNCTION:
        target = value.target
    if not isinstance(target, Function) or target is frame.function:
        return None
    return call_frames.called(target, node, frame, value.wraps if value else None)


def _property(
    node: ast.Attribute, frame: CallFrame, resolver: ResolverQuestions
) -> CallFrame | None:
    base = resolver.value(node.value, frame)
    if base is None or not isinstance(base.target, Class):
        return None
    for cls in call_frames.lineage(base.target, resolver):
        method = cls.methods.get(node.attr)
        if method is not None:
            made = PROPERTIES.intersection(method.decorators) and method is not frame.function
            return call_frames.of_method(method, base, resolver) if made else None
    return None
