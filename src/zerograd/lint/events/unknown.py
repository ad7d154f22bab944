"""Calls that cannot be followed: most do nothing, some make accounts unknown from there on."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

from zerograd.lint.events.event import SourceEvent
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.knowledge.name_heuristics import (
    HARMLESS_RECEIVERS,
    NEVER_UNKNOWN,
    is_unknown_call,
    writes_gradients,
)
from zerograd.lint.program.syntax import dotted, last_name, root_name
from zerograd.lint.values.value import CallFrame, Value, ValueKind
from zerograd.source.names import words

if TYPE_CHECKING:
    from zerograd.lint.values.resolver import Resolver

GIVEN = (ValueKind.OPTIMIZER, ValueKind.OPTIMIZERS, ValueKind.SCALER)
LIBRARIES = ("torch.", "np.", "numpy.", "nn.", "F.", "math.", "random.", "os.", "sys.", "time.")


def of_call(call: ast.Call, frame: CallFrame, resolver: Resolver) -> list[SourceEvent]:
    """Read the graded effect of an unresolved call."""
    if isinstance(call.func, ast.Call) and last_name(call.func.func) == "getattr":
        if resolver.value(call, frame) is not None:
            return []
        return [SourceEvent(CallEffect.UNKNOWN, call, frame, everything=True)]
    name = last_name(call.func)
    if name is None:
        return []
    if not may_be_unknown(name):
        return []
    given = _given(call, frame, resolver)
    if writes_gradients(name):
        return [SourceEvent(CallEffect.WRITE, call, frame, given, everything=not given)]
    if _harmless(call, frame, resolver):
        return []
    if given:
        return [SourceEvent(CallEffect.UNKNOWN, call, frame, given, everything=True)]
    if _reaches(call, frame, resolver):
        return [SourceEvent(CallEffect.UNKNOWN, call, frame, everything=True)]
    return []


@cache
def may_be_unknown(name: str) -> bool:
    """Tell whether a name is one of those that may do something when they cannot be followed."""
    telling = writes_gradients(name) or is_unknown_call(name)
    return telling and NEVER_UNKNOWN.isdisjoint(words(name))


def _given(call: ast.Call, frame: CallFrame, resolver: Resolver) -> tuple[Value, ...]:
    """Return the optimizers and scalers among the arguments."""
    nodes = [*call.args, *(item.value for item in call.keywords)]
    values = (resolver.value(node, frame) for node in nodes)
    return tuple(value for value in values if value is not None and value.kind in GIVEN)


def _harmless(call: ast.Call, frame: CallFrame, resolver: Resolver) -> bool:
    name = dotted(call.func) or ""
    if name.startswith(LIBRARIES):
        return True
    if not isinstance(call.func, ast.Attribute):
        return False
    receiver = last_name(call.func.value) or ""
    if HARMLESS_RECEIVERS.intersection(words(receiver)):
        return True
    value = resolver.value(call.func.value, frame)
    return value is not None and value.kind in (
        ValueKind.SCHEDULER,
        ValueKind.LOADER,
        ValueKind.LEAF,
    )


def _reaches(call: ast.Call, frame: CallFrame, resolver: Resolver) -> bool:
    """Tell whether a call may reach an optimizer: through self, an object, or a global."""
    if isinstance(call.func, ast.Name):
        return True
    if not isinstance(call.func, ast.Attribute):
        return False
    if root_name(call.func.value) in ("self", "super", "cls"):
        return isinstance(call.func.value, ast.Name | ast.Call)
    value = resolver.value(call.func.value, frame)
    if value is None or value.site is None or value.frame is None:
        return False
    return bool(_given(value.site, value.frame, resolver))
