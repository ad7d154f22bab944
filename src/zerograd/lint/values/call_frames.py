"""Frames for calls: which argument a parameter stands for, and what a call returns."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.program.module import Class, Function
from zerograd.lint.program.scope import returns
from zerograd.lint.values import kinds
from zerograd.lint.values.value import CallFrame, Value, ValueKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.values.resolver_questions import ResolverQuestions

DEEP = 12


def self_name(function: Function) -> str | None:
    """Return the name of a method's first parameter, unless it is static."""
    return function.self_name


def defined(found: Function | Class) -> Value:
    """Return a function or class as a value."""
    kind = ValueKind.CLASS if isinstance(found, Class) else ValueKind.FUNCTION
    return Value(kind, (found.module.path, found.name), named=True, target=found)


def entered(
    function: Function, resolver: ResolverQuestions, receiver: Class | None = None
) -> CallFrame:
    """Return a frame for a function that nobody in the project calls."""
    frame = CallFrame(function)
    if function.owner is not None and self_name(function) is not None:
        frame.receiver = instance(receiver or function.owner, resolver)
    elif function.outer is not None and function.outer.name:
        frame.outer = resolver.alone(function.outer)
    return frame


def instance(cls: Class, resolver: ResolverQuestions) -> Value:
    """Return some object of a class."""
    kind = instance_kind(cls, resolver)
    return Value(kind, (f"{cls.module.path}:{cls.name}",), named=True, target=cls, sure=True)


def instance_kind(cls: Class, resolver: ResolverQuestions) -> ValueKind:
    """Whether a project's class is an optimizer, a module, or neither, by its ancestors."""
    for base in outside_bases(cls, resolver):
        last = base.rpartition(".")[2]
        kind = kinds.made_by(base)
        if kind is ValueKind.OPTIMIZER or last == "Optimizer":
            return ValueKind.OPTIMIZER
        if kind in (ValueKind.SCHEDULER, ValueKind.SCALER, ValueKind.MODULE):
            return kind
        if last.endswith(("Module", "Model", "Net", "ModelMixin")):
            return ValueKind.MODULE
    return ValueKind.INSTANCE


def lineage(target: Function | Class | None, resolver: ResolverQuestions) -> Iterator[Class]:
    """Return a class and its ancestors within the project."""
    if not isinstance(target, Class):
        return
    memory = resolver.body(target.module).resolved
    known = memory.get(("lineage", target))
    if not isinstance(known, list):
        known = memory["lineage", target] = _lineage(target, resolver)
    for cls in known:
        resolver.budget.spend()
        yield cls


def _lineage(target: Class, resolver: ResolverQuestions) -> list[Class]:
    todo: list[Function | Class | None] = [target]
    found: dict[Class, None] = {}
    for cls in todo:
        if isinstance(cls, Class) and cls not in found:
            resolver.budget.spend()
            found[cls] = None
            frame = resolver.body(cls.module)
            todo.extend(resolver.definition(base, frame) for base in cls.bases)
    return list(found)


def outside_bases(cls: Class, resolver: ResolverQuestions) -> list[str]:
    """Return the dotted names of the ancestors that the project does not define."""
    memory = resolver.body(cls.module).resolved
    known = memory.get(("outside", cls))
    if not isinstance(known, list):
        known = memory["outside", cls] = _outside_bases(cls, resolver)
    return known


def _outside_bases(cls: Class, resolver: ResolverQuestions) -> list[str]:
    found = []
    for ancestor in lineage(cls, resolver):
        frame = resolver.body(ancestor.module)
        for base in ancestor.bases:
            name = resolver.origin(base, frame)
            if name and name not in ("object", "abc.ABC") and not resolver.definition(base, frame):
                found.append(name)
    return found


def of_method(method: Function, base: Value, resolver: ResolverQuestions) -> CallFrame:
    """Return the frame of an object's method; `__init__` gets what it was built with."""
    cache = base.frame.resolved if base.frame is not None else resolver.body(method.module).resolved
    key = ("method", base.key, id(method), id(base.site))
    frame = cache.get(key)
    if isinstance(frame, CallFrame):
        return frame
    frame = CallFrame(method, receiver=base)
    if method.last_name == "__init__" and base.site is not None and base.frame is not None:
        frame.arguments = arguments(method, base.site, base.frame, bound=True)
        frame.depth = base.frame.depth + 1
    cache[key] = frame
    return frame


def called(
    function: Function,
    call: ast.Call,
    caller: CallFrame,
    receiver: Value | None = None,
    outer: CallFrame | None = None,
) -> CallFrame:
    """Return the frame that a call of a function opens."""
    key = ("call", id(call), id(function))
    frame = caller.resolved.get(key)
    if isinstance(frame, CallFrame):
        return frame
    outer = outer or _enclosing(function, caller)
    frame = CallFrame(function, {}, receiver, outer, caller, call, caller.depth + 1)
    frame.arguments = arguments(function, call, caller, bound=self_name(function) is not None)
    caller.resolved[key] = frame
    return frame


def _enclosing(function: Function, caller: CallFrame | None) -> CallFrame | None:
    """Return the frame of the function around a nested one, if the caller stands in it."""
    while caller is not None:
        if caller.function is function.outer and function.outer.name:
            return caller
        caller = caller.outer or caller.caller
    return None


def arguments(
    function: Function, call: ast.Call, caller: CallFrame, *, bound: bool
) -> dict[str, tuple[ast.expr, CallFrame]]:
    """Parameter -> argument, defaults included; starred arguments leave the rest unknown."""
    parameters = function.parameters[1:] if bound else function.parameters
    given: dict[str, tuple[ast.expr, CallFrame]] = {}
    starred = any(isinstance(item, ast.Starred) for item in call.args)
    if not starred:
        for parameter, value in zip(parameters, call.args, strict=False):
            given[parameter.arg] = (value, caller)
        if (rest := _rest(function, call, len(parameters))) is not None:
            given[rest[0]] = (rest[1], caller)
    given |= {item.arg: (item.value, caller) for item in call.keywords if item.arg}
    if not starred and all(item.arg for item in call.keywords):
        home = CallFrame(function)
        for parameter in parameters:
            default = function.default(parameter.arg)
            if parameter.arg not in given and default is not None:
                given[parameter.arg] = (default, home)
    return given


def _rest(function: Function, call: ast.Call, taken: int) -> tuple[str, ast.Tuple] | None:
    """`def reset(*nets)`, `reset(gen, critic)`: the tuple that the starred parameter is."""
    if isinstance(function.node, ast.Module) or function.node.args.vararg is None:
        return None
    positional = taken - len(function.node.args.kwonlyargs)
    found = ast.Tuple(call.args[positional:], ast.Load())
    return function.node.args.vararg.arg, ast.copy_location(found, call)


def returned(resolver: ResolverQuestions, frame: CallFrame) -> Value | None:
    """Return what a function returns, if its return statements agree on a kind."""
    if frame.depth > DEEP:
        return None
    found = []
    for node in returns(frame.function.node):
        value = resolver.value(node, frame)
        if value is not None and value.kind is not ValueKind.CONSTANT:
            found.append(value)
    # `return schedule(optimizer) if schedule else optimizer`: whoever takes it clears and steps it.
    made = (value for value in found if value.kind is ValueKind.OPTIMIZER)
    return next(made, found[0] if found else None)


def element(value: Value | None, index: tuple[int, ...]) -> Value | None:
    """Return what a loop variable stands for: each element of a collection."""
    if value is None:
        return None
    if value.maker == "zip" and value.parts:
        if not index or index[0] >= len(value.parts):
            return None
        return element(value.parts[index[0]], index[1:])
    if value.kind in (ValueKind.PARAMETER, ValueKind.OPTIMIZERS):
        return value
    if value.kind is ValueKind.MODULE and value.wraps is not None:
        return value
    if value.kind is ValueKind.TUPLE and value.parts:
        return each(value.parts)
    return None


def each(parts: tuple[Value, ...]) -> Value | None:
    """One value for every element of a literal list."""
    found = {part.kind for part in parts}
    if found == {ValueKind.LEAF}:
        return Value(ValueKind.PARAMETER, parts[0].key, named=True, parts=parts)
    if found == {ValueKind.PARAMETER}:
        # Each once: loops in loops over lists of lists would double them at every level.
        inner = tuple(dict.fromkeys(item for part in parts for item in part.parts))
        return Value(ValueKind.PARAMETER, parts[0].key, named=True, parts=inner)
    if found == {ValueKind.MODULE}:
        return Value(ValueKind.MODULE, parts[0].key, named=True, parts=parts, wraps=parts[0])
    if found <= {ValueKind.MODULE, ValueKind.OTHER} and all(part.key for part in parts):
        # Modules that were handed in; what they are called elsewhere says what they are.
        return Value(ValueKind.OTHER, parts=parts)
    return None


def part(value: Value | None, place: int, name: str) -> Value | None:
    """One element of an unpacked value."""
    if value is None:
        return None
    if value.parts and place < len(value.parts):
        return value.parts[place]
    if value.kind in (ValueKind.OPTIMIZER, ValueKind.OPTIMIZERS):
        # Several makers return an optimizer and its scheduler: the target's name decides.
        kind = kinds.named_like(name)
        return Value(kind, sure=value.sure, maker=value.maker) if kind else None
    return None
