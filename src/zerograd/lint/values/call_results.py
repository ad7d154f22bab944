"""From a call to what it returns: constructors, wrappers, makers and the project's functions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.program.module import Class, Function
from zerograd.lint.program.syntax import argument, dotted, is_constant, keyword, last_name, text
from zerograd.lint.values import call_frames, kinds
from zerograd.lint.values.chosen_classes import foreign_class, is_configured, kind_made
from zerograd.lint.values.lightning_optimizers import configured
from zerograd.lint.values.value import CallFrame, Value, ValueKind

if TYPE_CHECKING:
    from zerograd.lint.values.resolver_questions import ResolverQuestions

PARAMETER_METHODS = frozenset(
    {
        "parameters",
        "named_parameters",
        "trainable_parameters",
        "get_parameters",
        "params",
        "weights",
        "master_params",
    }
)
PREPARERS = frozenset(
    {
        "prepare",
        "setup",
        "prepare_model",
        "prepare_optimizer",
        "setup_module",
        "setup_optimizers",
        "setup_dataloaders",
        "prepare_data_loader",
    }
)
COPIES = frozenset({"clone", "detach"})
"""Methods of a tensor that return another one."""

CHOSEN = {ValueKind.OPTIMIZER: "torch.optim.Optimizer", ValueKind.MODULE: "torch.nn.Module"}
"""The maker of what was made by a class that is chosen while the program runs."""

UNWRAPPED = ("module", "_orig_mod")
"""`getattr(net, "module", net)`: under which names wrappers keep what they wrap."""

PASSING = frozenset(
    {"list", "tuple", "reversed", "sorted", "iter", "enumerate", "zip", "filter", "chain", "set"}
)


def by_call(resolver: ResolverQuestions, node: ast.Call, frame: CallFrame) -> Value | None:
    """Find what a call returns."""
    if isinstance(node.func, ast.Attribute):
        found = _by_method(resolver, node, node.func, frame)
        if found is not None:
            return found
    target = resolver.definition(node.func, frame)
    if isinstance(target, Class):
        return _instance(resolver, target, node, frame)
    if isinstance(target, Function):
        return _by_function(resolver, target, node, frame, None)
    return _by_origin(resolver, node, frame)


def _key(node: ast.Call, frame: CallFrame) -> tuple[str, ...]:
    getter = dotted(node.func) if isinstance(node.func, ast.Attribute) else None
    if getter is not None and getter.rpartition(".")[2].startswith("get_") and not node.args:
        # `net.get_optimizer()` twice is one optimizer.
        return (frame.path, f"{getter}()")
    return (frame.path, f"@{node.lineno}.{node.col_offset}")


def _instance(resolver: ResolverQuestions, cls: Class, node: ast.Call, frame: CallFrame) -> Value:
    kind = call_frames.instance_kind(cls, resolver)
    return Value(kind, _key(node, frame), cls.name, node, frame, sure=True, target=cls)


def _by_function(
    resolver: ResolverQuestions,
    target: Function,
    node: ast.Call,
    frame: CallFrame,
    receiver: Value | None,
) -> Value | None:
    """Return what a project's function returns, under an identity of the call's own."""
    if frame.depth > call_frames.DEEP or _recursive(target, frame):
        return None
    inside = call_frames.called(target, node, frame, receiver)
    value = call_frames.returned(resolver, inside)
    if value is None or (
        value.kind is ValueKind.OPTIMIZER and value.site is None and not value.sure
    ):
        # `return REGISTRY.get(name)(params)`: the factory says itself what it makes.
        note = getattr(target.node, "returns", None)
        kind = kinds.annotated_as(text(note)) if note is not None else None
        sure = kind is ValueKind.OPTIMIZER
        kind = kind if sure else kinds.made_by(target.last_name)
        if kind is not None:
            sure = sure or (
                kind is ValueKind.OPTIMIZER and _hands_parameters(resolver, node, frame)
            )
            return Value(kind, _key(node, frame), target.name, node, frame, sure=sure)
    return value


def _hands_parameters(resolver: ResolverQuestions, node: ast.Call, frame: CallFrame) -> bool:
    """Tell whether a call is given parameters, or the module that has them."""
    wanted = (ValueKind.PARAMETER, ValueKind.MODULE)
    given = [*node.args, *(item.value for item in node.keywords)]
    handed = (resolver.value(item, frame) for item in given)
    return any(item is not None and item.kind in wanted for item in handed)


def _recursive(target: Function, frame: CallFrame) -> bool:
    around: CallFrame | None = frame
    while around is not None:
        if around.function is target:
            return True
        around = around.caller
    return False


def _by_method(
    resolver: ResolverQuestions, node: ast.Call, func: ast.Attribute, frame: CallFrame
) -> Value | None:
    if func.attr in PREPARERS:
        return _prepared(resolver, node, frame)
    if func.attr == "optimizers" and not node.args:
        known = configured(resolver, resolver.value(func.value, frame))
        key = _lightning_key(resolver, func, frame)
        return known or Value(ValueKind.OPTIMIZER, key, sure=True, named=False)
    base = resolver.value(func.value, frame)
    if base is None:
        return _made_leaf(node, func, frame)
    collected = _collected(func.attr, base)
    if collected is not None:
        return collected
    if func.attr in kinds.KEEP_METHODS and base.kind is not ValueKind.OTHER and base.target is None:
        return base
    if base.target is not None and base.kind in (
        ValueKind.INSTANCE,
        ValueKind.MODULE,
        ValueKind.OPTIMIZER,
    ):
        method = resolver.value(func, frame)
        if method and isinstance(method.target, Function):
            return _by_function(resolver, method.target, node, frame, base)
    if func.attr in kinds.KEEP_METHODS and base.kind is not ValueKind.CONSTANT:
        return base if base.named or base.kind is not ValueKind.OTHER else None
    return None


def _made_leaf(node: ast.Call, func: ast.Attribute, frame: CallFrame) -> Value | None:
    """`image.clone().requires_grad_()`, `torch.randn(3).mul(0.1).requires_grad_()`: new leaves."""
    given = argument(node, 0, "requires_grad")
    if func.attr != "requires_grad_" or not (given is None or is_constant(given, True)):
        return None
    inner: ast.expr = func.value
    while isinstance(inner, ast.Call):
        name = last_name(inner.func)
        if name in COPIES or name in kinds.TENSOR_MAKERS:
            return Value(ValueKind.LEAF, _key(node, frame), name, node, frame, sure=True)
        inner = inner.func.value if isinstance(inner.func, ast.Attribute) else inner.func
    return None


def _collected(name: str, base: Value) -> Value | None:
    """Return what `m.parameters()`, `m.modules()` and `opts.values()` run over."""
    if name in PARAMETER_METHODS and base.kind is not ValueKind.CONSTANT:
        return Value(ValueKind.PARAMETER, base.key, named=True, parts=(base,))
    if name in ("modules", "children") and base.key:
        return Value(ValueKind.MODULE, base.key, named=True, wraps=base)
    if name in ("values", "items") and base.kind in (ValueKind.OPTIMIZERS, ValueKind.PARAMETER):
        return base
    return None


def _lightning_key(
    resolver: ResolverQuestions, func: ast.Attribute, frame: CallFrame
) -> tuple[str, ...]:
    base = resolver.value(func.value, frame)
    return (*(base.key if base else (frame.path,)), "optimizers()")


def _prepared(resolver: ResolverQuestions, node: ast.Call, frame: CallFrame) -> Value | None:
    """Return `a, b = accelerator.prepare(a, b)`: the same objects, in the same order."""
    parts = tuple(resolver.value(item, frame) or Value(ValueKind.OTHER) for item in node.args)
    if len(parts) == 1:
        return parts[0]
    return Value(ValueKind.TUPLE, parts=parts)


def _by_origin(resolver: ResolverQuestions, node: ast.Call, frame: CallFrame) -> Value | None:
    """Return what a callable outside the project returns, as far as its name tells."""
    kind = kind_made(resolver, node.func, frame)
    maker = CHOSEN.get(kind) if kind is not None else None
    if kind is None and is_configured(resolver, node, frame):
        kind = ValueKind.OPTIMIZER
        maker = foreign_class(resolver, node, frame) or CHOSEN[kind]
    if kind is not None:
        return Value(kind, _key(node, frame), maker, node, frame, sure=True)
    name = resolver.origin(node.func, frame)
    return _by_name(resolver, node, name, frame) if name is not None else None


def _by_name(
    resolver: ResolverQuestions, node: ast.Call, name: str, frame: CallFrame
) -> Value | None:
    """Return what a callable of a dotted name returns."""
    last = name.rpartition(".")[2]
    if last in kinds.KEEP and node.args:
        inner = resolver.value(node.args[0], frame)
        if inner is not None and last in kinds.PARALLEL:
            return Value(
                ValueKind.MODULE,
                inner.key,
                inner.maker,
                inner.site,
                inner.frame,
                inner.sure,
                inner.named,
                inner.parts,
                inner.target,
                wraps=inner,
            )
        if inner is None and last in kinds.PARALLEL:
            # `self.model = DDP(self.model)`: a wrapper, whatever is in it.
            bare = Value(ValueKind.MODULE)
            return Value(ValueKind.MODULE, _key(node, frame), name, node, frame, wraps=bare)
        return inner
    if last in ("deepcopy", "copy"):
        return Value(ValueKind.MODULE, _key(node, frame), name, node, frame)
    if last in kinds.TENSOR_MAKERS:
        return _leaf(node, name, frame)
    if last == "getattr" and len(node.args) == 3 and is_constant(node.args[1], *UNWRAPPED):
        return resolver.value(node.args[0], frame)
    if last in PASSING and node.args:
        return _passed(resolver, node, last, frame)
    kind = kinds.made_by(name)
    if kind is None:
        kind = ValueKind.OTHER
        if not last[:1].isupper():
            return None
    return Value(kind, _key(node, frame), name, node, frame, sure=True)


def _leaf(node: ast.Call, name: str, frame: CallFrame) -> Value | None:
    if is_constant(keyword(node, "requires_grad"), True):
        return Value(ValueKind.LEAF, _key(node, frame), name, node, frame, sure=True)
    return None


def _passed(
    resolver: ResolverQuestions, node: ast.Call, name: str, frame: CallFrame
) -> Value | None:
    """Return what `list`, `zip`, `filter` and the like hand on."""
    if name == "zip":
        parts = tuple(resolver.value(item, frame) or Value(ValueKind.OTHER) for item in node.args)
        return Value(ValueKind.TUPLE, parts=parts, maker="zip")
    if name == "enumerate":
        inner = resolver.value(node.args[0], frame) or Value(ValueKind.OTHER)
        return Value(ValueKind.TUPLE, parts=(Value(ValueKind.OTHER), inner), maker="zip")
    if name == "chain" and len(node.args) > 1:
        every = tuple(resolver.value(item, frame) or Value(ValueKind.OTHER) for item in node.args)
        return call_frames.each(every) if _are_parameters(every) else None
    return resolver.value(node.args[-1 if name == "filter" else 0], frame)


def _are_parameters(values: tuple[Value, ...]) -> bool:
    return all(value.kind is ValueKind.PARAMETER for value in values)
