"""What statements do to `.grad` by hand: clears, writes, manual updates, freezing, uses."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events.event import Event
from zerograd.lint.knowledge import Effect
from zerograd.lint.names import parameters
from zerograd.lint.names.values import Frame, Kind, Value
from zerograd.lint.scope import with_tests
from zerograd.lint.syntax import argument, is_constant, names_in, walk

if TYPE_CHECKING:
    from zerograd.lint.names.parameters import Atoms
    from zerograd.lint.names.resolver import Resolver

ZERO_CALLS = frozenset({"zeros", "zeros_like", "new_zeros", "zero_"})
CLEARING = frozenset({"zero_"})
IN_PLACE = frozenset(
    {
        "mul_",
        "div_",
        "add_",
        "sub_",
        "clamp_",
        "copy_",
        "addcmul_",
        "addcdiv_",
        "fill_",
        "masked_fill_",
        "sign_",
        "normal_",
        "copy",
        "set_",
        "clamp",
        "lerp_",
    }
)
UPDATES = frozenset({"add_", "sub_", "copy_", "addcmul_", "addcdiv_", "mul_", "set_"})
WRITERS = frozenset({"memset", "memmove", "copyto", "from_dlpack"})
READERS = frozenset(
    {
        "print",
        "norm",
        "mean",
        "abs",
        "item",
        "max",
        "min",
        "sum",
        "log",
        "info",
        "add_scalar",
        "add_histogram",
        "debug",
        "append",
        "isnan",
        "isinf",
        "any",
        "all",
        "cpu",
        "numpy",
        "str",
        "format",
        "len",
        "tolist",
        "std",
        "view",
        "flatten",
        "size",
        "dim",
        "numel",
        "isfinite",
        "histc",
        "square",
        "pow",
    }
)


def holder(node: ast.AST) -> ast.expr | None:
    """`p` of `p.grad`, `p.grad.data`, `p._grad`; None for anything else."""
    while isinstance(node, ast.Attribute):
        if node.attr in ("grad", "_grad"):
            return node.value
        if node.attr not in ("data",):
            return None
        node = node.value
    return None


def grads_in(node: ast.AST) -> list[ast.expr]:
    """Return the tensors whose `.grad` an expression reads."""
    return [
        item.value for item in walk(node) if isinstance(item, ast.Attribute) and item.attr == "grad"
    ]


def aimed(event: Event, node: ast.expr, resolver: Resolver) -> Event:
    """Point an event at the parameters that an expression stands for."""
    value = resolver.value(node, event.frame)
    event.manual = True
    if value is None:
        event.everything = True
    elif value.kind is Kind.PARAMETER:
        event.targets = tuple(part for part in value.parts if part.kind is Kind.OPTIMIZER)
        event.atoms = _atoms(resolver, value)
        event.everything = event.atoms is None and not event.targets
    elif value.kind is Kind.OTHER and event.effect not in (Effect.STEP, Effect.READ):
        # Some tensor: nobody can tell whose parameter it is.
        event.everything = True
    elif value.kind is Kind.LEAF or value.key:
        event.atoms = frozenset({value.key})
    else:
        event.everything = True
    return event


def _atoms(resolver: Resolver, value: Value) -> Atoms | None:
    return parameters.of_parts(resolver, value)


def of_statement(node: ast.AST, frame: Frame, resolver: Resolver) -> list[Event]:
    """Read assignments and deletions."""
    if isinstance(node, ast.Assign):
        return [
            event
            for target in node.targets
            for event in _assigned(node, target, node.value, frame, resolver)
        ]
    if isinstance(node, ast.AugAssign):
        return _changed(node, frame, resolver)
    if isinstance(node, ast.Attribute):
        return _read(node, frame, resolver)
    if isinstance(node, ast.Delete):
        found = [base for target in node.targets if (base := holder(target)) is not None]
        return [
            aimed(Event(Effect.CLEAR, node, frame, keeps_zeros=False), base, resolver)
            for base in found
        ]
    return []


def _read(node: ast.Attribute, frame: Frame, resolver: Resolver) -> list[Event]:
    """`p.grad.norm`: whoever asks for an attribute of a gradient takes it for a tensor."""
    inner = node.value
    if not (isinstance(inner, ast.Attribute) and inner.attr == "grad"):
        return []
    return [aimed(Event(Effect.READ, node, frame, loss=inner), inner.value, resolver)]


def _reads(node: ast.AST, frame: Frame, resolver: Resolver) -> list[Event]:
    """Gradients that an update by hand computes with."""
    return [
        aimed(Event(Effect.READ, node, frame, loss=item), item.value, resolver)
        for item in walk(node)
        if isinstance(item, ast.Attribute)
        and item.attr == "grad"
        and isinstance(item.ctx, ast.Load)
    ]


def _assigned(
    stmt: ast.stmt, target: ast.expr, value: ast.expr, frame: Frame, resolver: Resolver
) -> list[Event]:
    if isinstance(target, ast.Tuple):
        return [event for item in target.elts for event in _returned(stmt, item, frame, resolver)]
    base = holder(target.value if isinstance(target, ast.Subscript) else target)
    if base is None and isinstance(target, ast.Subscript) and grads_in(target.value):
        # `p.grad.numpy()[...] = 0` writes through a view.
        base = grads_in(target.value)[0]
    if base is not None:
        effect = Effect.CLEAR if is_zero(value) else Effect.WRITE
        event = Event(effect, stmt, frame, keeps_zeros=not is_constant(value, None))
        event.fills = bool(event.keeps_zeros)
        return [aimed(event, base, resolver)]
    if isinstance(target, ast.Attribute) and target.attr == "requires_grad":
        return _frozen(stmt, target.value, value, frame, resolver)
    if isinstance(target, ast.Attribute) and target.attr == "data" and grads_in(value):
        return [_update(stmt, target.value, frame, resolver)]
    built = resolver.value(value, frame) if isinstance(value, ast.Call) else None
    if built is not None and built.kind is Kind.OPTIMIZER and built.site is not None:
        made = resolver.value(target, frame)
        return [Event(Effect.BUILD, stmt, frame, (made,))] if made is not None else []
    if isinstance(target, ast.Name | ast.Attribute):
        return _rebound(stmt, target, value, frame, resolver)
    return []


def _returned(stmt: ast.stmt, target: ast.expr, frame: Frame, resolver: Resolver) -> list[Event]:
    """Read an optimizer among what a helper returns."""
    made = resolver.value(target, frame)
    if made is None or made.kind is not Kind.OPTIMIZER or made.site is None:
        return []
    return [Event(Effect.BUILD, stmt, frame, (made,))]


def _rebound(
    stmt: ast.stmt, target: ast.expr, value: ast.expr, frame: Frame, resolver: Resolver
) -> list[Event]:
    """`w = w - lr * w.grad`: an update that replaces the leaf, see ZG309."""
    used = {ast.dump(item) for item in grads_in(value)}
    spelled = ast.dump(target).replace("Store()", "Load()")
    if spelled not in used or not isinstance(value, ast.BinOp | ast.Call):
        return []
    event = _update(stmt, target, frame, resolver)
    return [event]


def _frozen(
    stmt: ast.stmt, base: ast.expr, value: ast.expr, frame: Frame, resolver: Resolver
) -> list[Event]:
    event = aimed(Event(Effect.FREEZE, stmt, frame), base, resolver)
    given = resolver.value(value, frame)
    if given is None or given.kind is not Kind.CONSTANT:
        event.effect = Effect.UNKNOWN
        return [event] if event.atoms else []
    event.freezes = not given.constant
    return [event]


def is_zero(value: ast.expr) -> bool:
    """None, 0, zeros in any spelling."""
    if is_constant(value, None, 0, 0.0):
        return True
    if isinstance(value, ast.Call):
        func = value.func
        name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        if name in ZERO_CALLS:
            return True
        return (
            name in ("detach", "clone", "to")
            and isinstance(func, ast.Attribute)
            and is_zero(func.value)
        )
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        return is_constant(value.left, 0, 0.0) or is_constant(value.right, 0, 0.0)
    return False


def _changed(node: ast.AugAssign, frame: Frame, resolver: Resolver) -> list[Event]:
    base = holder(node.target)
    if base is not None:
        clears = isinstance(node.op, ast.Mult) and is_constant(node.value, 0, 0.0)
        event = Event(Effect.CLEAR if clears else Effect.WRITE, node, frame, keeps_zeros=True)
        return [aimed(event, base, resolver)]
    if grads_in(node.value):
        target = node.target
        inner = (
            target.value if isinstance(target, ast.Attribute) and target.attr == "data" else target
        )
        if isinstance(inner, ast.Name | ast.Attribute | ast.Subscript):
            return [
                *_reads(node.value, frame, resolver),
                *_maybe_update(node, inner, frame, resolver),
            ]
    return []


def _maybe_update(stmt: ast.AST, base: ast.expr, frame: Frame, resolver: Resolver) -> list[Event]:
    """Read a write into a parameter from its own gradient; other sums only use the gradient."""
    value = resolver.value(base, frame)
    spelled = ast.dump(base).replace("Store()", "Load()")
    own = any(ast.dump(item) == spelled for item in grads_in(stmt))
    if own or (value is not None and value.kind in (Kind.PARAMETER, Kind.LEAF)):
        return [_update(stmt, base, frame, resolver)]
    return [Event(Effect.USE, stmt, frame, everything=True, manual=True)]


def _update(stmt: ast.AST, base: ast.expr, frame: Frame, resolver: Resolver) -> Event:
    return aimed(Event(Effect.STEP, stmt, frame), base, resolver)


def of_call(
    call: ast.Call, func: ast.Attribute, frame: Frame, resolver: Resolver
) -> list[Event] | None:
    """`p.grad.zero_()`, `p.data.add_(-lr * p.grad)`, `net.requires_grad_(False)`."""
    base = holder(func.value)
    if base is None and func.attr in ("zero_", "fill_") and grads_in(func.value):
        base = grads_in(func.value)[0]
    if base is not None:
        return _on_grad(call, func, base, frame, resolver)
    if func.attr == "requires_grad_":
        given = argument(call, 0, "requires_grad")
        flag = given if given is not None else ast.Constant(True)
        value = resolver.value(func.value, frame)
        if value is not None and value.kind in (Kind.MODULE, Kind.OTHER, Kind.PARAMETER):
            return _frozen_call(call, func.value, flag, frame, resolver)
        return []
    if func.attr in UPDATES:
        target = func.value
        if isinstance(target, ast.Attribute) and target.attr == "data":
            target = target.value
        if any(grads_in(item) for item in [*call.args, *_values(call)]):
            return _maybe_update(call, target, frame, resolver)
        value = resolver.value(target, frame)
        if value is not None and value.kind in (Kind.PARAMETER, Kind.LEAF):
            # A write into a parameter between a deposit and its clear makes use of the deposit.
            return [aimed(Event(Effect.USE, call, frame), target, resolver)]
    if func.attr == "zero_" and isinstance(func.value, ast.Name):
        return _buffer(call, func.value.id, frame, resolver)
    return _uses(call, func, frame)


def _buffer(call: ast.Call, name: str, frame: Frame, resolver: Resolver) -> list[Event] | None:
    """`flat.zero_()` where gradients were made views of `flat`."""
    home: Frame | None = frame
    while home is not None:
        for stmt, _ in with_tests(getattr(home.function.node, "body", [])):
            if not isinstance(stmt, ast.Assign) or name not in _behind(stmt.value, home):
                continue
            base = holder(stmt.targets[0])
            if base is not None:
                event = Event(Effect.CLEAR, call, home, keeps_zeros=True)
                return [aimed(event, base, resolver)]
        home = home.outer
    return None


def _behind(node: ast.expr, home: Frame) -> set[str]:
    """Return the names that an expression is made from, two assignments back."""
    names = names_in(node)
    for _ in range(2):
        names |= {
            name
            for known in names
            for binding in home.function.scope.bindings.get(known, ())
            if binding.value is not None
            for name in names_in(binding.value)
        }
    return names


def _values(call: ast.Call) -> list[ast.expr]:
    return [item.value for item in call.keywords]


def _frozen_call(
    call: ast.Call, base: ast.expr, flag: ast.expr, frame: Frame, resolver: Resolver
) -> list[Event]:
    given = flag.value if isinstance(flag, ast.Constant) else None
    value = resolver.value(flag, frame) if given is None else None
    known = given if given is not None else getattr(value, "constant", None)
    event = aimed(Event(Effect.FREEZE, call, frame), base, resolver)
    if known is None:
        event.effect = Effect.UNKNOWN
        return [event] if event.atoms else []
    event.freezes = not known
    return [event]


def _on_grad(
    call: ast.Call, func: ast.Attribute, base: ast.expr, frame: Frame, resolver: Resolver
) -> list[Event]:
    zero = func.attr in CLEARING or (
        func.attr in ("fill_", "mul_") and is_constant(argument(call, 0), 0, 0.0)
    )
    if func.attr in ("copy_", "set_") and call.args and is_zero(call.args[0]):
        zero = True
    if zero:
        return [aimed(Event(Effect.CLEAR, call, frame, keeps_zeros=True), base, resolver)]
    if func.attr in IN_PLACE:
        return [aimed(Event(Effect.WRITE, call, frame, keeps_zeros=True), base, resolver)]
    if func.attr in ("clone", "detach", "copy"):
        return [aimed(Event(Effect.USE, call, frame), base, resolver)]
    return []


def _uses(call: ast.Call, func: ast.Attribute, frame: Frame) -> list[Event] | None:
    """Read a gradient handed to a call that does more than look at it."""
    if func.attr in READERS and func.attr != "append":
        return None
    direct = [item for item in [*call.args, *_values(call)] if holder(item) is not None]
    if not direct:
        return None
    return [Event(Effect.USE, call, frame, everything=True, manual=True)]


def of_function(call: ast.Call, name: str, frame: Frame, resolver: Resolver) -> list[Event] | None:
    """Read functions on gradients or parameters: `torch.zero_(p.grad)`, `_foreach_add_(ps, v)`."""
    values = [*call.args, *_values(call)]
    found = [base for item in values for base in grads_in(item)]
    if name == "setattr" and len(call.args) == 3 and is_constant(call.args[1], "grad"):
        zero = is_zero(call.args[2])
        event = Event(Effect.CLEAR if zero else Effect.WRITE, call, frame)
        event.keeps_zeros = not is_constant(call.args[2], None)
        return [aimed(event, call.args[0], resolver)]
    if found and name in ("zero_", "_foreach_zero_"):
        event = Event(Effect.CLEAR, call, frame, keeps_zeros=True)
        return [aimed(event, found[0], resolver)]
    if found and (name.endswith("_") or name in WRITERS or _writes_out(call)):
        return [aimed(Event(Effect.UNKNOWN, call, frame), found[0], resolver)]
    if name.startswith("_foreach_") and name.endswith("_"):
        return [Event(Effect.USE, call, frame, everything=True, manual=True)]
    return None


def _writes_out(call: ast.Call) -> bool:
    return any(item.arg == "out" and grads_in(item.value) for item in call.keywords)
