"""Calls that cannot be followed: each can touch only what its receiver and its arguments reach.

A tensor leads to no account, a module to its own, an optimizer to its own. `cut_mix_step(x, y)`
does nothing to any account; `train_step(model, x)` leaves those of `model` unknown, and
`self.run_step(x)` of a base class that cannot be read leaves all of them.
"""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

from zerograd.lint.events.event import SourceEvent
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.knowledge.name_heuristics import (
    HARMLESS_RECEIVERS,
    HOLDER_WORDS,
    NEVER_UNKNOWN,
    is_unknown_call,
    writes_gradients,
)
from zerograd.lint.knowledge.torch_names import TENSOR_NAMES
from zerograd.lint.program.module import Class
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import is_constant, last_name, root_name, text
from zerograd.lint.values import call_frames, parameter_sets
from zerograd.lint.values.spelling import bindings_of
from zerograd.lint.values.value import CallFrame, Value, ValueKind
from zerograd.record import field, record
from zerograd.source.names import words

if TYPE_CHECKING:
    from zerograd.lint.values.resolver import Resolver

GIVEN = (ValueKind.OPTIMIZER, ValueKind.OPTIMIZERS, ValueKind.SCALER)
LIBRARIES = frozenset(
    {"torch", "np", "numpy", "nn", "F", "math", "random", "os", "sys", "time", "torchvision"}
    | {"optim", "transforms", "functional", "scipy", "sklearn", "cv2", "PIL", "json", "logging"}
)
"""Packages, and the usual names of their parts, none of whose functions has an account of ours."""

WITHOUT_ACCOUNTS = (ValueKind.CONSTANT, ValueKind.LOADER, ValueKind.SCHEDULER, ValueKind.CLASS)
NUMBERS = (ast.Constant, ast.JoinedStr, ast.Compare, ast.BinOp, ast.UnaryOp, ast.Lambda)
"""Expressions whose value is a number, a text or a tensor, whatever stands in them."""

DEEP = 4
"""Names that are followed from one to the next to see what an argument is."""


@record()
class _Reached:
    """What the receiver and the arguments of a call lead to."""

    targets: list[Value] = field(default_factory=list)
    atoms: set[tuple[str, ...]] = field(default_factory=set)
    everything: bool = False

    @property
    def anything(self) -> bool:
        return bool(self.targets or self.atoms or self.everything)


def of_call(call: ast.Call, frame: CallFrame, resolver: Resolver) -> list[SourceEvent]:
    """Read the graded effect of an unresolved call."""
    if isinstance(call.func, ast.Call) and last_name(call.func.func) == "getattr":
        if resolver.value(call, frame) is not None:
            return []
        return _of_getattr(call, call.func, frame, resolver)
    name = last_name(call.func)
    if name is None or not may_be_unknown(name):
        return []
    if writes_gradients(name):
        return [_write(call, frame, resolver)]
    if _harmless(call, frame, resolver):
        return []
    reached = _reached(call, frame, resolver)
    return [_unknown(call, frame, reached)] if reached.anything else []


def _of_getattr(
    call: ast.Call, chosen: ast.Call, frame: CallFrame, resolver: Resolver
) -> list[SourceEvent]:
    """`getattr(F, name)(x, y)`: what is chosen from a library does nothing to what it is given."""
    if not chosen.args or root_name(chosen.args[0]) in LIBRARIES:
        return []
    origin = resolver.origin(chosen.args[0], frame) or ""
    if origin.partition(".")[0] in LIBRARIES:
        return []
    if root_name(chosen.args[0]) in frame.function.module.imports:
        # `getattr(networks, name)(size)`: what another file defines knows what it is given.
        reached = _reached(call, frame, resolver)
        return [_unknown(call, frame, reached)] if reached.anything else []
    return [SourceEvent(CallEffect.UNKNOWN, call, frame, everything=True)]


def _write(call: ast.Call, frame: CallFrame, resolver: Resolver) -> SourceEvent:
    """`average_gradients(model)`: what is given is written; else there is no telling what."""
    reached = _reached(call, frame, resolver)
    event = _unknown(call, frame, reached)
    event.effect = CallEffect.WRITE
    event.everything = reached.everything or not reached.anything
    return event


def _unknown(call: ast.Call, frame: CallFrame, reached: _Reached) -> SourceEvent:
    event = SourceEvent(CallEffect.UNKNOWN, call, frame, tuple(reached.targets))
    event.atoms = frozenset(reached.atoms) or None
    event.everything = reached.everything
    return event


@cache
def may_be_unknown(name: str) -> bool:
    """Tell whether a name is one of those that may do something when they cannot be followed."""
    telling = writes_gradients(name) or is_unknown_call(name)
    return telling and NEVER_UNKNOWN.isdisjoint(words(name))


def _given(call: ast.Call, frame: CallFrame, resolver: Resolver) -> tuple[Value, ...]:
    """Return the optimizers and scalers among the arguments."""
    values = (resolver.value(node, frame) for node in _arguments(call))
    return tuple(value for value in values if value is not None and value.kind in GIVEN)


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(item.value for item in call.keywords)]


def _harmless(call: ast.Call, frame: CallFrame, resolver: Resolver) -> bool:
    """Tell by names and kinds whether a call is none of training's own."""
    origin = resolver.origin(call.func, frame) or ""
    first, dot, _ = origin.partition(".")
    if dot and first in LIBRARIES:
        return True
    # `ema_step(model)`, `self.scheduler_step()`: the name says whose step it is.
    if HARMLESS_RECEIVERS.intersection(words(last_name(call.func) or "")[:-1]):
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


def _reached(call: ast.Call, frame: CallFrame, resolver: Resolver) -> _Reached:
    """Collect what a call may touch: through its receiver or what made it, and its arguments."""
    found = _Reached()
    func = call.func
    if isinstance(func, ast.Name):
        found.everything = _is_made_here(func, frame, resolver)
    elif isinstance(func, ast.Attribute):
        found.everything = _receiver_reaches(_owner(func, frame), frame, resolver)
    for node in _arguments(call):
        _argument(node, frame, resolver, found)
    return found


def _is_made_here(func: ast.Name, frame: CallFrame, resolver: Resolver) -> bool:
    """Tell whether a function was handed in or made by a call, with whatever it closes over.

    What is imported, from a file that cannot be read, knows nothing of this file's optimizers.
    """
    bound, home = bindings_of(func, frame)
    if home is None:
        return False
    if not bound:
        return func.id in home.function.scope.parameters
    return any(
        not isinstance(item.value, ast.Call)
        or any(_holds_accounts(node, home, resolver, DEEP) for node in _arguments(item.value))
        for item in bound
        if not isinstance(item.node, ast.Import | ast.ImportFrom)
    )


def _owner(func: ast.Attribute, frame: CallFrame) -> ast.expr:
    """Return whose method it is: the model's, after `self.training_step = self.model.forward`."""
    function = frame.function
    if function.owner is None or text(func.value) != function.self_name:
        return func.value
    bound = [item for _, found in function.owner.assignments(func.attr) for item in found]
    kept = [item.value for item in bound if not is_constant(item.value, None)]
    if len(kept) == 1 and isinstance(kept[0], ast.Attribute):
        return kept[0].value
    return func.value


def _receiver_reaches(receiver: ast.expr, frame: CallFrame, resolver: Resolver) -> bool:
    """Tell whether an object may hold an optimizer: self, or what was given one."""
    if root_name(receiver) in ("self", "super", "cls"):
        return isinstance(receiver, ast.Name | ast.Call)
    value = resolver.value(receiver, frame)
    if value is None or value.site is None or value.frame is None:
        return False
    return bool(_given(value.site, value.frame, resolver))


def _argument(node: ast.expr, frame: CallFrame, resolver: Resolver, found: _Reached) -> None:
    value = resolver.value(node, frame)
    kind = value.kind if value is not None else ValueKind.OTHER
    if value is not None and kind in GIVEN:
        found.targets.append(value)
    elif value is not None and kind in (ValueKind.MODULE, ValueKind.LEAF) and value.key:
        found.atoms |= parameter_sets.within(resolver, value) or {value.key}
    elif value is not None and kind is ValueKind.PARAMETER:
        found.atoms |= parameter_sets.of_parts(resolver, value) or set()
    elif _holds_accounts(node, frame, resolver, DEEP):
        found.everything = True


def _holds_accounts(node: ast.expr, frame: CallFrame, resolver: Resolver, depth: int) -> bool:
    """Tell whether an expression may be an object with an optimizer or closure in it."""
    if isinstance(node, NUMBERS) or depth == 0:
        return False
    value = resolver.value(node, frame)
    if value is not None and value.kind in WITHOUT_ACCOUNTS:
        return False
    if value is not None and value.kind in (*GIVEN, ValueKind.FUNCTION, ValueKind.ENGINE):
        return True
    if value is not None and isinstance(value.target, Class):
        return _keeps_an_optimizer(value, resolver)
    if isinstance(node, ast.Call):
        return _made_from_accounts(node, frame, resolver, depth)
    if isinstance(node, ast.Name):
        return _named_holder(node, frame, resolver, depth)
    if isinstance(node, ast.Attribute):
        return not HOLDER_WORDS.isdisjoint(words(node.attr))
    parts = [item for item in ast.iter_child_nodes(node) if isinstance(item, ast.expr)]
    return any(_holds_accounts(item, frame, resolver, depth - 1) for item in parts)


def _keeps_an_optimizer(value: Value, resolver: Resolver) -> bool:
    """Tell whether an object of the project's own class has an optimizer, as its text shows."""
    return any(
        any("optim" in name.lower() for name in method.scope.bindings)
        for cls in call_frames.lineage(value.target, resolver)
        for method in cls.methods.values()
    )


def _made_from_accounts(call: ast.Call, frame: CallFrame, resolver: Resolver, depth: int) -> bool:
    """Tell whether what a call returns may hold an optimizer that the call was given."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in TENSOR_NAMES:
        return False
    return any(_holds_accounts(item, frame, resolver, depth - 1) for item in _arguments(call))


def _named_holder(node: ast.Name, frame: CallFrame, resolver: Resolver, depth: int) -> bool:
    """Tell whether a name may stand for a trainer, a state, a closure: what holds an optimizer."""
    if node.id == call_frames.self_name(frame.function) or not HOLDER_WORDS.isdisjoint(
        words(node.id)
    ):
        return True
    bound, home = bindings_of(node, frame)
    if home is None:
        return False
    return any(
        item.how is BindingKind.ASSIGNED
        and item.value is not None
        and _holds_accounts(item.value, home, resolver, depth - 1)
        for item in bound
    )
