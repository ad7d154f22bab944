"""Which events a call, an attribute or a statement stands for."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.analysis_budget import CALLS, UnseenError
from zerograd.lint.events import assignments, gradients, methods, unknown
from zerograd.lint.events.event import SourceEvent
from zerograd.lint.events.tensors import has_grads
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.module import Class, Function
from zerograd.lint.program.relevance import aliases
from zerograd.lint.program.syntax import argument, last_name
from zerograd.lint.values import call_frames
from zerograd.lint.values.spelling import bindings_of
from zerograd.lint.values.value import CallFrame, Value, ValueKind

if TYPE_CHECKING:
    from zerograd.lint.program.relevance import Relevance
    from zerograd.lint.values.resolver import Resolver

MANAGERS = frozenset({"contextmanager", "asynccontextmanager"})
LIBRARIES = frozenset({"torch", "ctypes", "np", "numpy", "nn", "F", "functional"})


def events_of(
    part: ast.AST, frame: CallFrame, resolver: Resolver, relevance: Relevance
) -> tuple[SourceEvent, ...]:
    """Read the events of one part of an act; the answer is kept in the frame."""
    key = ("events", id(part))
    found = frame.resolved.get(key)
    if not isinstance(found, tuple):
        found = tuple(_events(part, frame, resolver, relevance))
        frame.resolved[key] = found
    return found


def _events(
    part: ast.AST, frame: CallFrame, resolver: Resolver, relevance: Relevance
) -> list[SourceEvent]:
    if not isinstance(part, ast.Call):
        return assignments.of_statement(part, frame, resolver)
    # The search for other names is worth it only for calls that matter.
    if (
        isinstance(part.func, ast.Name)
        and part.func.id in relevance.parts(frame.function.module).names
    ):
        part = _spelled_out(part, part.func, frame)
    name = last_name(part.func)
    if name is not None and not _may_matter(part, name, frame, resolver, relevance):
        return []
    direct = gradients.of_function(part, name, frame, resolver) if name is not None else None
    if direct is not None and not (isinstance(part.func, ast.Attribute) and _is_tensor(part.func)):
        return direct
    if isinstance(part.func, ast.Attribute):
        handled = methods.of_method(part, part.func, frame, resolver)
        if handled is not None:
            return _with_closure(handled, frame, resolver)
        handled = gradients.of_call(part, part.func, frame, resolver)
        if handled is not None:
            return handled
    entered = _entered(part, frame, resolver, relevance)
    if entered is not None:
        return entered
    return methods.of_function(part, frame, resolver) or unknown.of_call(part, frame, resolver)


def _spelled_out(call: ast.Call, name: ast.Name, frame: CallFrame) -> ast.Call:
    """`step = optimizer.step; step()`: return the call under the method's own name."""
    known = frame.resolved.get(("spelled", id(call)))
    if isinstance(known, ast.Call):
        return known
    if name.id not in aliases(frame.function.module):
        return call
    found, _ = bindings_of(name, frame)
    value = found[0].value if len(found) == 1 else None
    given: list[ast.expr] = []
    if isinstance(value, ast.Call) and last_name(value.func) == "partial" and value.args:
        value, *given = value.args
    if not isinstance(value, ast.Attribute) or not methods.may_name_event(value.attr):
        return call
    spelled = ast.copy_location(ast.Call(value, [*given, *call.args], call.keywords), call)
    # Answers are kept by a node's identity: it must live as long as they do.
    frame.resolved["spelled", id(call)] = spelled
    return spelled


def _may_matter(
    call: ast.Call, name: str, frame: CallFrame, resolver: Resolver, relevance: Relevance
) -> bool:
    """Tell by its words alone whether a call may be an event or enter something that holds one."""
    return (
        name in relevance.parts(frame.function.module).names
        or name in resolver.project.knowledge.rows
        or methods.may_name_event(name)
        or unknown.may_be_unknown(name)
        or gradients.mentions(call)
    )


def _is_tensor(func: ast.Attribute) -> bool:
    """Tell whether a method is called on a gradient or parameter, not on a module of functions."""
    return has_grads(func.value) or last_name(func.value) not in LIBRARIES


def _with_closure(
    events: list[SourceEvent], frame: CallFrame, resolver: Resolver
) -> list[SourceEvent]:
    """Open the frame of a step's closure, which runs before the step."""
    for event in events:
        if event.closure is not None and event.inside is None:
            assert isinstance(event.node, ast.Call)
            bare = ast.copy_location(ast.Call(event.node.func, [], []), event.node)
            value = resolver.value(argument(event.node, 0, "closure"), frame)
            owner = value.wraps if value is not None else None
            event.inside = call_frames.called(event.closure, bare, frame, owner, event.around)
    return events


def _entered(
    call: ast.Call, frame: CallFrame, resolver: Resolver, relevance: Relevance
) -> list[SourceEvent] | None:
    """Read a call of one of the project's own functions that does something to accounts."""
    target, receiver, outer = _callee(call, frame, resolver)
    if target is None:
        return None
    if target.owner is None and target.last_name in methods.CLIP_FUNCTIONS:
        return methods.of_function(call, frame, resolver)
    if not relevance.eventful(target) or _is_cut(target, frame):
        return []
    if any(name.rpartition(".")[2] in MANAGERS for name in target.decorators):
        # One half runs before the body of a `with`, the other behind it.
        return [SourceEvent(CallEffect.UNKNOWN, call, frame, everything=True)]
    inside = call_frames.called(target, call, frame, receiver, outer)
    entered = SourceEvent(None, call, frame, enters=target, inside=inside)
    if _is_wrapped(target, resolver, relevance):
        return [SourceEvent(CallEffect.UNKNOWN, call, frame, everything=True), entered]
    return [entered]


def _is_wrapped(target: Function, resolver: Resolver, relevance: Relevance) -> bool:
    """Tell whether a decorator of the project does something to accounts around a function."""
    home = resolver.body(target.module)
    for node in getattr(target.node, "decorator_list", []):
        found = resolver.definition(node.func if isinstance(node, ast.Call) else node, home)
        if isinstance(found, Function) and relevance.eventful(found):
            return True
    return False


def _callee(
    call: ast.Call, frame: CallFrame, resolver: Resolver
) -> tuple[Function | None, Value | None, CallFrame | None]:
    """Return the function that a call runs, the object it runs on, and the frame around it."""
    target = resolver.definition(call.func, frame)
    if isinstance(target, Class):
        return target.methods.get("__init__"), resolver.value(call, frame), None
    if target is not None:
        return target, _class_of(target, call, frame, resolver), None
    value = resolver.value(call.func, frame)
    if value is not None and value.kind is ValueKind.INSTANCE and isinstance(value.target, Class):
        for cls in call_frames.lineage(value.target, resolver):
            if "__call__" in cls.methods:
                return cls.methods["__call__"], value, None
    if (
        value is None
        or value.kind is not ValueKind.FUNCTION
        or not isinstance(value.target, Function)
    ):
        return None, None, None
    nested = value.target.owner is None
    return value.target, value.wraps, value.frame if nested else None


def _class_of(
    target: Function, call: ast.Call, frame: CallFrame, resolver: Resolver
) -> Value | None:
    """`Trainer.train(data)`: return what `cls` stands for in a method of the class."""
    if "classmethod" not in target.decorators or target.owner is None:
        return None
    named = call.func.value if isinstance(call.func, ast.Attribute) else None
    value = resolver.value(named, frame)
    found = value.target if value is not None else None
    return call_frames.instance(found if isinstance(found, Class) else target.owner, resolver)


def _is_cut(target: Function, frame: CallFrame) -> bool:
    """Tell whether a call is not entered: the function is running already."""
    deeper: list[CallFrame] = []
    around: CallFrame | None = frame
    while around is not None and around.function is not target:
        deeper.append(around)
        around = around.caller
    if around is None:
        if frame.depth < CALLS:
            return False
        raise UnseenError(f"more than {CALLS} calls within calls")
    for item in deeper:
        item.cut = True
    return True
