"""Calls that cannot be followed: most do nothing, some make accounts unknown from there on."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

from zerograd.lint.events.event import Event
from zerograd.lint.knowledge import Effect
from zerograd.lint.knowledge.words import (
    HARMLESS_RECEIVERS,
    NEVER_UNKNOWN,
    is_unknown_call,
    words,
    writes_gradients,
)
from zerograd.lint.names.values import Frame, Kind, Value
from zerograd.lint.syntax import dotted, last_name, root_name

if TYPE_CHECKING:
    from zerograd.lint.names.resolver import Resolver

GIVEN = (Kind.OPTIMIZER, Kind.OPTIMIZERS, Kind.SCALER)
LIBRARIES = ("torch.", "np.", "numpy.", "nn.", "F.", "math.", "random.", "os.", "sys.", "time.")


def of_call(call: ast.Call, frame: Frame, resolver: Resolver) -> list[Event]:
    """Read the graded effect of an unresolved call."""
    if isinstance(call.func, ast.Call) and last_name(call.func.func) == "getattr":
        if resolver.value(call, frame) is not None:
            return []
        return [Event(Effect.UNKNOWN, call, frame, everything=True)]
    name = last_name(call.func)
    if name is None:
        return []
    if not may_be_unknown(name):
        return []
    given = _given(call, frame, resolver)
    if writes_gradients(name):
        return [Event(Effect.WRITE, call, frame, given, everything=not given)]
    if _harmless(call, frame, resolver):
        return []
    if given:
        return [Event(Effect.UNKNOWN, call, frame, given, everything=True)]
    if _reaches(call, frame, resolver):
        return [Event(Effect.UNKNOWN, call, frame, everything=True)]
    return []


@cache
def may_be_unknown(name: str) -> bool:
    """Tell whether a name is one of those that may do something when they cannot be followed."""
    telling = writes_gradients(name) or is_unknown_call(name)
    return telling and NEVER_UNKNOWN.isdisjoint(words(name))


def _given(call: ast.Call, frame: Frame, resolver: Resolver) -> tuple[Value, ...]:
    """Return the optimizers and scalers among the arguments."""
    nodes = [*call.args, *(item.value for item in call.keywords)]
    values = (resolver.value(node, frame) for node in nodes)
    return tuple(value for value in values if value is not None and value.kind in GIVEN)


def _harmless(call: ast.Call, frame: Frame, resolver: Resolver) -> bool:
    name = dotted(call.func) or ""
    if name.startswith(LIBRARIES):
        return True
    if not isinstance(call.func, ast.Attribute):
        return False
    receiver = last_name(call.func.value) or ""
    if HARMLESS_RECEIVERS.intersection(words(receiver)):
        return True
    value = resolver.value(call.func.value, frame)
    return value is not None and value.kind in (Kind.SCHEDULER, Kind.LOADER, Kind.LEAF)


def _reaches(call: ast.Call, frame: Frame, resolver: Resolver) -> bool:
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
