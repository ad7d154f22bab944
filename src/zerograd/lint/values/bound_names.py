"""From a name or attribute to its value, through whatever the scopes bind."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.program.scope import Binding, BindingKind, in_its_loop
from zerograd.lint.program.syntax import dotted, last_name, text, walk
from zerograd.lint.values import call_frames, kinds, spelling
from zerograd.lint.values.value import BARE_TENSOR, CallFrame, Key, Value, ValueKind, several
from zerograd.record import replace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zerograd.lint.program.module import Class
    from zerograd.lint.values.resolver_questions import ResolverQuestions

LEAF_MAKERS = frozenset({"requires_grad", "requires_grad_"})
"""Attributes by which a tensor is made one that has a gradient."""

SAME = frozenset({"module", "_orig_mod", "model_without_ddp"})
"""Attributes that lead from a wrapper to what it wraps."""

WRAPPED = frozenset(
    {"optimizer", "optim", "base_optimizer", "inner_optimizer"} | {"_optimizer", "_optim"}
)
"""Attributes under which a wrapper keeps the optimizer whose parameters it steps."""


def by_name(
    resolver: ResolverQuestions, name: str, frame: CallFrame | None, node: ast.Name | None = None
) -> Value | None:
    """Return the value of a bare name, looked up outwards from a frame; `node` is its use."""
    asked = frame
    while frame is not None:
        scope = frame.function.scope
        if name in frame.elements:
            return frame.elements[name]
        if name == call_frames.self_name(frame.function) and frame.receiver is not None:
            return frame.receiver
        if name in scope.parameters:
            return _parameter(resolver, name, frame)
        if name in scope.bindings and name not in scope.outside:
            found = scope.bindings[name]
            if node is not None and frame is asked:
                found = in_its_loop(found, node)
            return _bound(resolver, found, (frame.path, name), frame)
        frame = frame.outer or _around(resolver, frame)
    return _imported(resolver, name, asked) if asked else None


def _around(resolver: ResolverQuestions, frame: CallFrame) -> CallFrame | None:
    """Return the frame in which a function's free names live, when nobody called it from there."""
    function = frame.function
    if function.outer is None:
        return None
    if function.outer.name == "":
        return resolver.body(function.module)
    frame.outer = resolver.alone(function.outer)
    return frame.outer


def _imported(resolver: ResolverQuestions, name: str, frame: CallFrame) -> Value | None:
    module = frame.function.module
    origin = module.imports.get(name)
    if origin is None:
        return None
    found = resolver.definition(ast.Name(name), frame)
    if found is not None:
        return call_frames.defined(found)
    package, _, last = origin.rpartition(".")
    owner = resolver.project.imported(package, module) if package else None
    if owner is not None and last in owner.body.scope.bindings:
        return by_name(resolver, last, resolver.body(owner))
    return None


def _parameter(resolver: ResolverQuestions, name: str, frame: CallFrame) -> Value | None:
    """Return a parameter: the caller's argument, a class's own rebinding, or what its name says."""
    key = (frame.path, name)
    rebound = frame.function.scope.bindings.get(name, [])
    given = frame.arguments.get(name)
    if given is not None:
        value = resolver.value(given[0], given[1])
        if value is not None and not _replaces(rebound, name):
            chosen = _chosen_by(resolver, value, rebound, key, frame)
            return chosen or (value if value.named else value.called(value.key))
    if rebound:
        value = _bound(resolver, rebound, key, frame)
        if value is not None and value.kind is not ValueKind.OTHER:
            return value
    note = frame.function.scope.parameters[name].annotation
    kind = kinds.annotated_as(text(note)) if note is not None else None
    if kind is not None:
        return Value(kind, key, named=True, sure=True)
    if not rebound and _is_made_leaf(name, frame):
        return Value(ValueKind.LEAF, (BARE_TENSOR, *key), frame=frame, named=True, sure=True)
    return resolver.suggested(name, key, frame)


def _chosen_by(
    resolver: ResolverQuestions, given: Value, rebound: list[Binding], key: Key, frame: CallFrame
) -> Value | None:
    """`optimizer = build(optimizer)`, given a text: return what the text chose."""
    if not rebound or given.kind not in (ValueKind.OTHER, ValueKind.CONSTANT):
        return None
    made = _bound(resolver, rebound, key, frame)
    return made if made is not None and made.kind is ValueKind.OPTIMIZER else None


def _is_made_leaf(name: str, frame: CallFrame) -> bool:
    """`def dream(image): image.requires_grad_(); ... image.grad`: a tensor, which is trained."""
    used = frame.function.module.attributes(name)
    if "grad" not in used or used.isdisjoint(LEAF_MAKERS):
        return False
    here = {
        item.attr
        for item in walk(frame.function.node)
        if isinstance(item, ast.Attribute) and dotted(item.value) == name
    }
    return "grad" in here and not here.isdisjoint(LEAF_MAKERS)


def _replaces(rebound: list[Binding], name: str) -> bool:
    """Tell whether a function puts something else into its own parameter."""
    for binding in rebound:
        if binding.how is BindingKind.CHANGED or binding.value is None:
            continue
        if not any(
            isinstance(node, ast.Name) and node.id == name for node in ast.walk(binding.value)
        ):
            return True
    return False


def by_attribute(
    resolver: ResolverQuestions, node: ast.Attribute, frame: CallFrame
) -> Value | None:
    """Return the value of `base.attr`."""
    base = resolver.value(node.value, frame)
    if base is None:
        return by_path(resolver, node, frame)
    if base.kind in (ValueKind.INSTANCE, ValueKind.MODULE) and base.target is not None:
        found = of_instance(resolver, base, node.attr)
        if found is not None:
            return _filled_later(resolver, found, base, node, frame) or found
    if base.kind is ValueKind.PARAMETER:
        return base if node.attr in ("data", "values") else None
    if node.attr == "param_groups":
        return Value(ValueKind.PARAMETER, base.key, named=True, parts=(base,))
    if node.attr in SAME and base.kind is not ValueKind.INSTANCE:
        return base
    if base.kind is ValueKind.OPTIMIZER and node.attr in WRAPPED:
        return base
    return _member(resolver, base, node, frame)


def _filled_later(
    resolver: ResolverQuestions, found: Value, base: Value, node: ast.Attribute, frame: CallFrame
) -> Value | None:
    """`self.optimizer = None`, and what is put there later is unknown: nobody steps None."""
    if found.kind is not ValueKind.CONSTANT or found.constant is not None:
        return None
    named = resolver.suggested(dotted(node) or node.attr, (*base.key, node.attr), frame)
    trains = named is not None and named.kind in (ValueKind.OPTIMIZER, ValueKind.SCALER)
    return named if trains else None


def _member(
    resolver: ResolverQuestions, base: Value, node: ast.Attribute, frame: CallFrame
) -> Value | None:
    """Return an attribute that no class of the project explains."""
    path = dotted(node)
    local = _assigned_path(resolver, path, frame) if path else None
    if local is not None:
        return local
    key = (*base.key, node.attr) if base.key else (frame.path, path or node.attr)
    return resolver.suggested(path or node.attr, key, frame)


def by_path(resolver: ResolverQuestions, node: ast.AST, frame: CallFrame) -> Value | None:
    """Return a chain whose beginning is unknown, as an object of its own."""
    path = dotted(node)
    if path is None:
        return None
    local = _assigned_path(resolver, path, frame)
    if local is not None:
        return local
    if path.partition(".")[0] in frame.function.module.imports:
        found = resolver.definition(node, frame)
        return call_frames.defined(found) if found is not None else None
    return resolver.suggested(path, (frame.path, path), frame)


def _assigned_path(resolver: ResolverQuestions, path: str, frame: CallFrame) -> Value | None:
    holder: CallFrame | None = frame
    while holder is not None:
        found = holder.function.scope.bindings.get(path)
        if found:
            return _bound(resolver, found, (holder.path, path), holder)
        holder = holder.outer
    return None


def of_instance(resolver: ResolverQuestions, base: Value, attr: str) -> Value | None:
    """Return an attribute of an object whose class is in the project; the answer is remembered."""
    assert base.target is not None
    memory = resolver.body(base.target.module).resolved
    key = ("attribute", base.key, attr, id(base.site))
    if key not in memory:
        resolver.find(memory, key, _of_instance, resolver, base, attr)
    found = memory[key]
    return found if isinstance(found, Value) else None


def forwarded(resolver: ResolverQuestions, base: Value) -> Value | None:
    """Return what an object asks for each attribute that it lacks itself.

    `def __getattr__(self, name): return getattr(self.optimizer, name)`
    """
    for cls in call_frames.lineage(base.target, resolver):
        method = cls.methods.get("__getattr__")
        for node in walk(method.node) if method is not None else ():
            asked = node.args[0] if isinstance(node, ast.Call) and node.args else None
            if (
                isinstance(node, ast.Call)
                and dotted(node.func) == "getattr"
                and isinstance(asked, ast.Attribute)
                and method is not None
                and dotted(asked.value) == method.self_name
            ):
                return of_instance(resolver, base, asked.attr)
    return None


def _of_instance(resolver: ResolverQuestions, base: Value, attr: str) -> Value | None:
    for cls in call_frames.lineage(base.target, resolver):
        method = cls.methods.get(attr)
        if method is not None:
            if "property" in method.decorators or "cached_property" in method.decorators:
                return call_frames.returned(resolver, call_frames.of_method(method, base, resolver))
            return Value(
                ValueKind.FUNCTION, (*base.key, attr), named=True, target=method, wraps=base
            )
        found = _class_attribute(resolver, cls, base, attr)
        if found is not None:
            return found
    return None


def _class_attribute(
    resolver: ResolverQuestions, cls: Class, base: Value, attr: str
) -> Value | None:
    """Return what the class's own methods assign to `self.attr`, `__init__` first."""
    key = (*base.key, attr)
    unknown: Value | None = _declared(cls, attr, key)
    known = cls.assignments(attr)
    if len(known) > 1 and cls.module.mentions("DistributedDataParallel"):
        # What is wrapped later on is the wrapper to every other method.
        wrapping = [item for item in known if any(map(_wraps, item[1]))]
        known = [*wrapping, *(item for item in known if item not in wrapping)]
    for method, found in known:
        inside = call_frames.of_method(method, base, resolver)
        value = _bound(resolver, found, key, inside)
        if value is not None and value.kind not in (ValueKind.OTHER, ValueKind.CONSTANT):
            return value
        unknown = unknown or value
    return unknown


def _wraps(binding: Binding) -> bool:
    """Tell whether a name takes a wrapper: `self.model = DDP(self.model)`."""
    made = binding.value
    return isinstance(made, ast.Call) and last_name(made.func) in kinds.PARALLEL


def _declared(cls: Class, attr: str, key: Key) -> Value | None:
    """`optimizer: torch.optim.Optimizer` in the body of a class, as a dataclass has it."""
    for stmt in cls.node.body:
        if isinstance(stmt, ast.AnnAssign) and dotted(stmt.target) == attr:
            kind = kinds.annotated_as(text(stmt.annotation))
            return Value(kind, key, named=True, sure=True) if kind is not None else None
    return None


def _bound(
    resolver: ResolverQuestions, found: list[Binding], key: Key, frame: CallFrame
) -> Value | None:
    """Return the one value that all bindings of a name agree on, under that name."""
    values = []
    resolver.budget.spend(len(found))
    for binding in found:
        value = _bound_value(resolver, binding, frame)
        if value is not None and not (value.kind is ValueKind.CONSTANT and len(found) > 1):
            values.append((binding, value))
    if not values:
        return _noted(found, key) or _suggested(resolver, found, key, frame)
    keys = {value.key for _, value in values}
    if several(value for _, value in values):
        return Value(ValueKind.OPTIMIZERS, key, named=True, sure=True)
    if _throwaway(value for _, value in values):
        return Value(ValueKind.OTHER, key, named=True)
    first = next((value for _, value in values if value.kind is not ValueKind.OTHER), values[0][1])
    first = next(
        (
            value
            for _, value in values
            if value.wraps is not None and value.kind is ValueKind.MODULE
        ),
        first,
    )
    if len(keys) == 1 and first.named:
        if first.kind is ValueKind.OTHER and _noted(found, key):
            return _noted(found, key)
        return first
    if first.kind in (ValueKind.OTHER,):
        suggested = resolver.suggested(_spelled(key, found), key, frame)
        if suggested is not None and suggested.kind is not ValueKind.OTHER:
            return _of_several(suggested) if any(map(_is_collection, found)) else suggested
    return replace(first.called(key), remade=_is_remade(value for _, value in values))


def _is_remade(values: Iterable[Value]) -> bool:
    """`opt = Adam(net.parameters())`, later `opt = Adam(copy.parameters())`."""
    built = [value for value in values if value.kind is ValueKind.OPTIMIZER and value.site]
    spelled = {text(node) for value in built for node in _parameters_given(value.site)}
    return len(spelled) > 1


def _parameters_given(site: ast.Call | None) -> list[ast.expr]:
    """Return what an optimizer is built over, as it is written there."""
    if site is None:
        return []
    named = [item.value for item in site.keywords if item.arg == "params"]
    return named or site.args[:1]


def _suggested(
    resolver: ResolverQuestions, found: list[Binding], key: Key, frame: CallFrame
) -> Value | None:
    """Return what a name alone says; `for o in optimizers.values()` is another one each round."""
    named = resolver.suggested(_spelled(key, found), key, frame)
    iterated = bool(found) and all(item.how is BindingKind.ITERATED for item in found)
    return _of_several(named) if named is not None and iterated else named


def _of_several(named: Value) -> Value:
    """Return what a singular name stands for, where it is that of a collection."""
    is_one = named.kind is ValueKind.OPTIMIZER
    return replace(named, kind=ValueKind.OPTIMIZERS) if is_one else named


def _is_collection(binding: Binding) -> bool:
    """`self.optimizer = {}`, which is filled by the key."""
    return isinstance(binding.value, ast.Dict | ast.List)


def _throwaway(values: Iterable[Value]) -> bool:
    """Tell whether a name takes an optimizer and then other objects: `_, _ = load(net, opt)`."""
    found = [value for value in values if value.kind is not ValueKind.OTHER]
    known = {value.kind for value in found}
    return ValueKind.OPTIMIZER in known and len(known) > 1 and all(value.named for value in found)


def _spelled(key: Key, found: list[Binding]) -> str:
    return found[0].target if found else key[-1]


def _noted(found: list[Binding], key: Key) -> Value | None:
    notes = [binding.note for binding in found if binding.note is not None]
    kind = kinds.annotated_as(text(notes[0])) if notes else None
    return Value(kind, key, named=True, sure=True) if kind else None


def _bound_value(resolver: ResolverQuestions, binding: Binding, frame: CallFrame) -> Value | None:
    if isinstance(binding.node, ast.FunctionDef | ast.AsyncFunctionDef):
        return _nested(binding.node, frame)
    if binding.how is BindingKind.CHANGED or binding.value is None:
        return None
    value = resolver.value(binding.value, frame)
    if value is None and _becomes_leaf(binding, frame):
        return Value(ValueKind.LEAF, (frame.path, binding.target), frame=frame, sure=True)
    if binding.how is BindingKind.ITERATED:
        return call_frames.element(value, binding.index) or _each(binding, frame)
    if binding.how is BindingKind.ENTERED:
        return None
    for place in binding.index:
        value = call_frames.part(value, place, binding.target)
    return value


def _becomes_leaf(binding: Binding, frame: CallFrame) -> bool:
    """`w = torch.zeros(1)`, and `w.requires_grad_()` later."""
    made = binding.value
    used = frame.function.module.attributes(binding.target)
    return (
        "requires_grad_" in used
        and isinstance(made, ast.Call)
        and last_name(made.func) in kinds.TENSOR_MAKERS
    )


def _nested(node: ast.FunctionDef | ast.AsyncFunctionDef, frame: CallFrame) -> Value | None:
    """Return a function defined in this frame: it sees the frame's names wherever it is called."""
    function = frame.function
    name = f"{function.name}.{node.name}" if function.name else node.name
    found = function.module.functions.get(name)
    if found is None or found.node is not node:
        return None
    return Value(ValueKind.FUNCTION, (frame.path, node.name), named=True, target=found, frame=frame)


def _each(binding: Binding, frame: CallFrame) -> Value | None:
    """Every optimizer of an iterable that only its text identifies."""
    if kinds.named_like(binding.target) is not ValueKind.OPTIMIZER or binding.value is None:
        return None
    spelled = spelling.spell(binding.value, frame).text
    found = frame.function.module.attributes(binding.target)
    used = kinds.used_like_optimizer(binding.target, found)
    if used is None:
        return None
    return Value(ValueKind.OPTIMIZERS, ("each", spelled), named=True, sure=used)
