"""Symbolic parameter sets: which modules and tensors an expression takes its parameters from."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.program.module import Class
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import dotted, is_constant, text, walk
from zerograd.lint.values import call_frames
from zerograd.lint.values.call_results import PARAMETER_METHODS
from zerograd.lint.values.value import BARE_TENSOR, CallFrame, Key, Value, ValueKind

if TYPE_CHECKING:
    from zerograd.lint.values.resolver_questions import ResolverQuestions

Atoms = frozenset[Key]
GROWING = frozenset({"append", "extend", "insert", "update"})
"""What puts more into a list or dict of parameters."""

DEEP = 8
CONTAINERS = frozenset({"Sequential", "ModuleList"})
"""Modules of torch that have no parameters besides those of what they were built from."""

GATHER = frozenset(
    {
        "list",
        "tuple",
        "chain",
        "from_iterable",
        "sorted",
        "iter",
        "set",
        "sum",
        "enumerate",
        "reversed",
        "dict",
        "zip",
    }
)


def atoms(
    resolver: ResolverQuestions, node: ast.AST | None, frame: CallFrame, depth: int = 0
) -> Atoms | None:
    """Return the modules and leaves whose parameters an expression yields; None when unknown."""
    if node is None or depth > DEEP:
        return None
    if isinstance(node, ast.Call):
        return _of_call(resolver, node, frame, depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _union(resolver, [node.left, node.right], frame, depth)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return _union(resolver, node.elts, frame, depth)
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return _of_comprehension(resolver, node, frame, depth)
    if isinstance(node, ast.Dict):
        return _of_group(resolver, node, frame, depth)
    if isinstance(node, ast.Starred):
        return atoms(resolver, node.value, frame, depth + 1)
    if isinstance(node, ast.IfExp):
        return _union(resolver, [node.body, node.orelse], frame, depth)
    return _of_name(resolver, node, frame, depth)


def _union(
    resolver: ResolverQuestions, nodes: list[ast.expr], frame: CallFrame, depth: int
) -> Atoms | None:
    found: set[Key] = set()
    for node in nodes:
        part = atoms(resolver, node, frame, depth + 1)
        if part is None:
            return None
        found |= part
    return frozenset(found)


def _of_call(
    resolver: ResolverQuestions, node: ast.Call, frame: CallFrame, depth: int
) -> Atoms | None:
    spelled = (
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    )
    origin = resolver.origin(node.func, frame) if isinstance(node.func, ast.Name) else None
    name = (origin or spelled).rpartition(".")[2]
    if name in PARAMETER_METHODS and isinstance(node.func, ast.Attribute):
        if name == "master_params" and node.args:
            return of_optimizer(resolver, resolver.value(node.args[0], frame))
        return of_module(resolver, node.func.value, frame)
    if name == "filter" and len(node.args) == 2:
        return atoms(resolver, node.args[1], frame, depth + 1)
    if name in GATHER and node.args:
        nodes = [item for item in node.args if not is_constant(item, 0)]
        nodes = [item for item in nodes if not (isinstance(item, ast.List) and not item.elts)]
        return _union(resolver, nodes, frame, depth)
    if name == "values" and isinstance(node.func, ast.Attribute):
        return atoms(resolver, node.func.value, frame, depth + 1)
    return _of_helper(resolver, node, frame, name)


def _of_helper(
    resolver: ResolverQuestions, node: ast.Call, frame: CallFrame, name: str
) -> Atoms | None:
    """Return a part of an argument's parameters: the same for the same helper."""
    for item in node.args:
        value = resolver.value(item, frame)
        if value is not None and value.key and value.kind in (ValueKind.MODULE, ValueKind.OTHER):
            return frozenset({(*value.key, f"{name}()")})
    if isinstance(node.func, ast.Attribute) and "param" in name:
        base = resolver.value(node.func.value, frame)
        if base is not None and base.key:
            return frozenset({(*base.key, f"{name}()")})
    return None


def _of_comprehension(
    resolver: ResolverQuestions, node: ast.ListComp | ast.GeneratorExp, frame: CallFrame, depth: int
) -> Atoms | None:
    if isinstance(node.elt, ast.Dict | ast.Call) and len(node.generators) == 1:
        return None
    return atoms(resolver, node.generators[0].iter, frame, depth + 1)


def _of_group(
    resolver: ResolverQuestions, node: ast.Dict, frame: CallFrame, depth: int
) -> Atoms | None:
    for key, value in zip(node.keys, node.values, strict=True):
        if is_constant(key, "params"):
            return atoms(resolver, value, frame, depth + 1)
    return None


def _of_name(
    resolver: ResolverQuestions, node: ast.AST, frame: CallFrame, depth: int
) -> Atoms | None:
    """Return a name: a tensor, a module, or a list that was assigned exactly once."""
    value = resolver.value(node, frame)
    if value is not None and value.kind is ValueKind.LEAF and value.key:
        return frozenset({value.key})
    if isinstance(node, ast.Name) and _grows(frame, node.id):
        return _of_growing(resolver, node.id, frame, depth)
    if value is not None and value.kind is ValueKind.PARAMETER:
        return of_parts(resolver, value)
    if isinstance(node, ast.Name):
        given = frame.arguments.get(node.id)
        if given is not None:
            return atoms(resolver, given[0], given[1], depth + 1)
        found = frame.function.scope.bindings.get(node.id, [])
        if len(found) == 1 and found[0].how is BindingKind.ASSIGNED and not found[0].index:
            return atoms(resolver, found[0].value, frame, depth + 1)
        if not found and frame.outer is not None:
            return _of_name(resolver, node, frame.outer, depth + 1)
    return None


def _of_growing(
    resolver: ResolverQuestions, name: str, frame: CallFrame, depth: int
) -> Atoms | None:
    """Return all that is put into a list: `params += head.parameters()`, `params.append(p)`."""
    parts: list[ast.expr] = []
    for binding in frame.function.scope.bindings.get(name, ()):
        if binding.value is None or binding.index or binding.how is BindingKind.ITERATED:
            return None
        parts += _terms(binding.value, name)
    parts += _put_in(frame, name)
    return _union(resolver, parts, frame, depth + 1) if parts else None


def _terms(value: ast.expr, name: str) -> list[ast.expr]:
    """Return what is added up, but for the list itself: `params = params + more`."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return [*_terms(value.left, name), *_terms(value.right, name)]
    empty = isinstance(value, ast.List) and not value.elts
    return [] if empty or (isinstance(value, ast.Name) and value.id == name) else [value]


def _put_in(frame: CallFrame, name: str) -> list[ast.expr]:
    """Return what the methods of a list are given in its function."""
    return [
        call.args[-1]
        for call in walk(frame.function.node)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in GROWING
        and dotted(call.func.value) == name
        and call.args
    ]


def _grows(frame: CallFrame, name: str) -> bool:
    """Tell whether something is added to a list after it was made."""
    if not frame.function.module.attributes(name).isdisjoint(GROWING):
        return True
    return any(
        item.how is BindingKind.CHANGED for item in frame.function.scope.bindings.get(name, ())
    )


def of_module(resolver: ResolverQuestions, node: ast.AST, frame: CallFrame) -> Atoms | None:
    """Return the set of `node.parameters()`: the module and the modules that it was built from."""
    value = resolver.value(node, frame)
    return within(resolver, value) if value is not None else None


def within(resolver: ResolverQuestions, value: Value, depth: int = 0) -> Atoms | None:
    """Return a module's own key and those of the modules passed to its constructor."""
    if not value.key:
        return None
    if value.parts and value.kind in (ValueKind.MODULE, ValueKind.OTHER):
        # `for net in nets`: each of them.
        every = [within(resolver, part, depth + 1) for part in value.parts]
        return None if None in every else frozenset().union(*(item or () for item in every))
    found: set[Key] = set()
    given = _given(value) if depth < 3 else []
    parts = [resolver.value(item, value.frame) for item in given if value.frame is not None]
    named = [part for part in parts if part is not None and _is_named_module(part)]
    for part in named:
        found |= within(resolver, part, depth + 1) or set()
    if not (named and len(named) == len(given) and _last(value.maker) in CONTAINERS):
        found.add(value.key)
    return frozenset(found | made_inside(resolver, value))


def made_inside(resolver: ResolverQuestions, value: Value) -> set[Key]:
    """`unet = load(); self.unet = unet` in `__init__`: the parts that go by a local name there."""
    if value.kind is not ValueKind.MODULE or not isinstance(value.target, Class):
        return set()
    init = value.target.methods.get("__init__")
    if init is None:
        return set()
    kept = [
        item.value
        for target, found in init.scope.bindings.items()
        if target.startswith(f"{init.self_name}.")
        for item in found
        if isinstance(item.value, ast.Name) and item.value.id in init.scope.bindings
    ]
    if not kept:
        return set()
    inside = call_frames.of_method(init, value, resolver)
    parts = [resolver.value(item, inside) for item in kept]
    return {part.key for part in parts if part is not None and part.key and part.named}


def _given(value: Value) -> list[ast.expr]:
    """Return what a module was built from, one by one; a copy is built from nothing else's."""
    if value.site is None or _last(value.maker) in ("deepcopy", "copy"):
        return []
    found: list[ast.expr] = []
    for item in value.site.args:
        listed = isinstance(item, ast.List | ast.Tuple) and _last(value.maker) in CONTAINERS
        found += item.elts if listed and isinstance(item, ast.List | ast.Tuple) else [item]
    return found


def _is_named_module(part: Value) -> bool:
    return part.kind is ValueKind.MODULE and part.named


def _last(maker: str | None) -> str:
    return (maker or "").rpartition(".")[2]


def of_optimizer(resolver: ResolverQuestions, value: Value | None, depth: int = 0) -> Atoms | None:
    """Return the parameters that an optimizer was built over, or the one that it wraps."""
    if value is None or value.site is None or value.frame is None or depth > DEEP:
        return None
    node = value.site.args[0] if value.site.args else None
    for item in value.site.keywords:
        if item.arg in ("params", "parameters"):
            node = item.value
    if node is None or text(node) == "...":
        return None
    found = atoms(resolver, node, value.frame)
    if found is None and isinstance(node, ast.Name | ast.Attribute):
        made = resolver.value(node, value.frame)
        if made is not None and made.kind is ValueKind.MODULE:
            return within(resolver, made)
        if made is not None and made.kind is ValueKind.OPTIMIZER:
            return of_optimizer(resolver, made, depth + 1)
    return found


def covers(whole: Atoms, part: Atoms) -> bool:
    """Tell whether every parameter of one set is in another."""
    return all(any(atom[: len(big)] == big for big in whole) for atom in part)


def is_bare_tensor(atom: Key) -> bool:
    """Tell whether an atom is a tensor that is no parameter: no module has it as its own."""
    return atom[0] == BARE_TENSOR


def disjoint(one: Atoms, other: Atoms) -> bool:
    """Tell whether two sets can share no parameter."""
    return not any(a[: len(b)] == b or b[: len(a)] == a for a in one for b in other)


def of_parts(resolver: ResolverQuestions, value: Value) -> Atoms | None:
    """Return the set behind a loop variable: modules, leaves, or an optimizer's parameters."""
    found: set[Key] = set()
    for part in value.parts or (value,):
        if part.kind is ValueKind.OPTIMIZER:
            inside = of_optimizer(resolver, part)
            if inside is None:
                return None
            found |= inside
        elif part.key:
            found |= within(resolver, part) or set()
    return frozenset(found)
