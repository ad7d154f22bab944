"""Classes that are chosen while the program runs: what all of the candidates have in common.

`getattr(torch.optim, name)`, `OPTIMIZERS[args.optim]`, a name that a branch binds to one class or
another: whichever it is, it makes an optimizer.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.program.module import Class
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import keyword, last_name
from zerograd.lint.values import call_frames, kinds
from zerograd.lint.values.spelling import bindings_of
from zerograd.lint.values.value import ValueKind

if TYPE_CHECKING:
    from zerograd.lint.program.scope import Binding
    from zerograd.lint.values.resolver_questions import ResolverQuestions
    from zerograd.lint.values.value import CallFrame

DEEP = 5

PACKAGES = {
    "torch.optim": ValueKind.OPTIMIZER,
    "optim": ValueKind.OPTIMIZER,
    "torch_optimizer": ValueKind.OPTIMIZER,
    "torch.optim.lr_scheduler": ValueKind.SCHEDULER,
    "torch.nn": ValueKind.MODULE,
}
"""What `getattr(package, name)(...)` makes, whatever the name."""

INSTANTIATE = frozenset({"instantiate", "build_from_cfg", "build", "create", "build_optimizer"})
"""Factories that a configuration tells what to make: hydra's, registries'."""


def kind_made(
    resolver: ResolverQuestions, func: ast.expr, frame: CallFrame, depth: int = 0
) -> ValueKind | None:
    """Return the kind of what a chosen callable makes, if every candidate makes the same."""
    found = {
        _kind(resolver, node, home, depth) for node, home in _candidates(func, frame, resolver)
    }
    return found.pop() if len(found) == 1 else None


def _kind(
    resolver: ResolverQuestions, node: ast.expr, frame: CallFrame, depth: int
) -> ValueKind | None:
    """Return what one candidate makes: a class by its name, or another choice."""
    if depth > DEEP:
        return None
    if isinstance(node, ast.Name | ast.Attribute):
        found = resolver.definition(node, frame)
        if isinstance(found, Class):
            return call_frames.instance_kind(found, resolver)
        kind = kinds.made_by(resolver.origin(node, frame) or "")
        if kind is not None:
            return kind
    return kind_made(resolver, node, frame, depth + 1)


def _candidates(
    func: ast.expr, frame: CallFrame, resolver: ResolverQuestions
) -> list[tuple[ast.expr, CallFrame]]:
    """Return the expressions that a callable may be."""
    if isinstance(func, ast.IfExp):
        return [(func.body, frame), (func.orelse, frame)]
    if isinstance(func, ast.Subscript):
        return _listed(func.value, frame, resolver)
    if isinstance(func, ast.Call):
        return _called(func, frame, resolver)
    if isinstance(func, ast.Name):
        found, home = _bindings(func, frame, resolver)
        plain = [item for item in found if item.how is BindingKind.ASSIGNED and not item.index]
        if home is not None and plain and len(plain) == len(found):
            return [(item.value, home) for item in plain if item.value is not None]
    return []


def _called(
    call: ast.Call, frame: CallFrame, resolver: ResolverQuestions
) -> list[tuple[ast.expr, CallFrame]]:
    """`partial(torch.optim.SGD, lr=0.1)`, `OPTIMIZERS.get(name)`, `getattr(torch.optim, name)`."""
    name = last_name(call.func)
    if name == "partial" and call.args:
        return [(call.args[0], frame)]
    if name == "get" and isinstance(call.func, ast.Attribute):
        return _listed(call.func.value, frame, resolver)
    if name == "getattr" and call.args:
        package = resolver.origin(call.args[0], frame) or ""
        sample = {
            ValueKind.OPTIMIZER: "SGD",
            ValueKind.SCHEDULER: "StepLR",
            ValueKind.MODULE: "Linear",
        }
        if package in PACKAGES:
            # Any class of the package stands for all of them.
            made = ast.Attribute(call.args[0], sample[PACKAGES[package]], ast.Load())
            return [(ast.copy_location(made, call), frame)]
    return []


def _listed(
    node: ast.expr, frame: CallFrame, resolver: ResolverQuestions
) -> list[tuple[ast.expr, CallFrame]]:
    """Return the values of a dict that is written down once."""
    if isinstance(node, ast.Dict):
        return [(item, frame) for item in node.values]
    found, home = _bindings(node, frame, resolver) if isinstance(node, ast.Name) else ([], None)
    if home is None or len(found) != 1 or not isinstance(found[0].value, ast.Dict):
        return []
    return [(item, home) for item in found[0].value.values]


def _bindings(
    node: ast.Name, frame: CallFrame, resolver: ResolverQuestions
) -> tuple[list[Binding], CallFrame | None]:
    """Return the bindings of a name here, around, or in the module's own body."""
    found, home = bindings_of(node, frame)
    if home is None:
        home = resolver.body(frame.function.module)
        found = home.function.scope.bindings.get(node.id, [])
    return found, home


def foreign_class(resolver: ResolverQuestions, call: ast.Call, frame: CallFrame) -> str | None:
    """Name the class that a factory was handed, if it is one of a package that is not torch's.

    `get_optim(getattr(ball, name), net.parameters())`: nobody knows what its `step` does.
    """
    for item in call.args:
        found, home = _bindings(item, frame, resolver) if isinstance(item, ast.Name) else ([], None)
        value, at = (found[0].value, home) if found and home is not None else (item, frame)
        if isinstance(value, ast.Call) and last_name(value.func) == "getattr" and value.args:
            package = resolver.origin(value.args[0], at)
            if package is not None and package not in PACKAGES:
                return f"{package}.{last_name(item) or 'chosen'}"
    return None


def is_configured(resolver: ResolverQuestions, call: ast.Call, frame: CallFrame) -> bool:
    """`instantiate(cfg.optimizer, params=net.parameters())`: whether an optimizer is asked for.

    Somebody's parameters are handed over, and the word stands in the factory or what it reads.
    """
    name = (last_name(call.func) or "").lower()
    given = [*call.args, *(item.value for item in call.keywords)]
    if name in INSTANTIATE and keyword(call, "params") is not None:
        return True  # what every optimizer, and hardly anything else, calls its first argument
    if name not in INSTANTIATE and "optim" not in name:
        return False  # most calls: their arguments are not looked at
    words = " ".join([name, *(last_name(item) or "" for item in given)]).lower()
    handed = (resolver.value(item, frame) for item in given)
    return "optim" in words and any(
        item is not None and item.kind is ValueKind.PARAMETER for item in handed
    )
