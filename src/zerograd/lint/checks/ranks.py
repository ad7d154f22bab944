"""ZG501, ZG503 and ZG504: gradients that ranks never share, or share too often."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lint.checks.case import Case, Draft, Spot, loops_around, spot
from zerograd.lint.checks.unnormalised_window import summed
from zerograd.lint.checks.windows import windows
from zerograd.lint.events.event import Event, Place
from zerograd.lint.knowledge import Effect
from zerograd.lint.names.kinds import PARALLEL
from zerograd.lint.names.values import Kind
from zerograd.lint.syntax import last_name, text, walk
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.module import Module
    from zerograd.lint.names.values import Frame, Key, Value

BY_HAND = re.compile(r"all_reduce|reduce_scatter|average_(?:grad|param)|sync_(?:grad|param)\w*\(")
"""Programs that share gradients or parameters themselves."""

QUIET = re.compile("no_grad|inference_mode")
FLAGS = ("require_backward_grad_sync",)


def check(case: Case) -> Iterator[Draft]:
    """Programs that wrap a module for several ranks."""
    modules = {
        id(event.frame.function.module): event.frame.function.module for event in case.plan.events
    }
    if not any(_parallel(module) for module in modules.values()) or any(
        BY_HAND.search(module.source.text) for module in modules.values()
    ):
        return
    yield from _never_synced(case)
    yield from _flag_too_late(case)
    yield from _bypassed(case)
    if not any(
        "no_sync" in module.source.text or "grad_sync" in module.source.text
        for module in modules.values()
    ):
        yield from _each_micro_batch(case)


def _parallel(module: Module) -> bool:
    return any(name in module.source.text for name in ("DistributedDataParallel", "DDP("))


def _never_synced(case: Case) -> Iterator[Draft]:
    """Every deposit that a step spends was made under `no_sync`."""
    told: set[int] = set()
    for seen in case.steps():
        fresh = [case.event(item.source) for item in seen.account.fresh]
        contexts = [_no_sync(event) for event in fresh]
        if not fresh or None in contexts or seen.account.extra:
            continue
        block = contexts[-1]
        if block is None or id(block.node) in told:
            continue
        told.add(id(block.node))
        message = (
            f"`{text(fresh[-1].node)}` closes the window under `no_sync`: "
            "the ranks never share these gradients"
        )
        yield Draft(
            "never-synced",
            block,
            message,
            Severity.ERROR,
            "leave `no_sync` for the last micro-batch of a window",
            [("deposited here", spot(fresh[-1])), ("spent here", spot(seen.event))],
        )


def _no_sync(event: Event) -> Spot | None:
    """Return the `with model.no_sync():` around a deposit, if nothing else decides about it."""
    for item in event.context:
        for entry in getattr(item.node, "items", []) if item.place is Place.WITH else []:
            call = entry.context_expr
            if (
                isinstance(call, ast.Call)
                and last_name(call.func) == "no_sync"
                and not (call.args or call.keywords)
            ):
                return Spot(call, item.frame.function.module)
    return None


def _flag_too_late(case: Case) -> Iterator[Draft]:
    """DDP reads the flag in forward: setting it between forward and backward does nothing."""
    for event in case.plan.events:
        if event.effect is not Effect.DEPOSIT or not loops_around(event):
            continue
        loop = loops_around(event)[-1]
        made = getattr(event.node, "lineno", 0)
        for node in walk(loop):
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.targets[0], ast.Attribute)
                and (node.targets[0].attr in FLAGS and node.lineno < made)
            ):
                model = text(node.targets[0].value)
                calls = [
                    item.lineno
                    for item in walk(loop)
                    if isinstance(item, ast.Call) and text(item.func) == model
                ]
                if calls and max(calls) < node.lineno:
                    message = (
                        f"`{text(node)}` comes after the forward that reads it: "
                        "it has no effect on this backward"
                    )
                    yield Draft(
                        "never-synced",
                        Spot(node, event.frame.function.module),
                        message,
                        Severity.ERROR,
                        f"set it before `{model}(...)` is called",
                        [("deposited here", spot(event))],
                    )


def _bypassed(case: Case) -> Iterator[Draft]:
    """Find calls of the bare module in functions that deposit, while its wrapper exists."""
    wrapped = _wrapped(case)
    told: set[int] = set()
    frames = {
        id(event.frame): event.frame for event in case.plan.events if event.effect is Effect.DEPOSIT
    }
    for frame in frames.values():
        for node in walk(frame.function.node):
            if not isinstance(node, ast.Call) or id(node) in told:
                continue
            if (
                isinstance(node.func, ast.Attribute)
                and node.func.attr != "module"
                and last_name(node.func.value) != "self"
            ):
                continue
            value = case.resolver.value(node.func, frame)
            wrapper = _past(node, value, wrapped)
            if wrapper is None or _chosen(node, wrapper, frame):
                continue
            if _trains(node, frame.function.node):
                told.add(id(node))
                message = f"`{text(node.func)}(...)` goes past its wrapper `{wrapper}`"
                yield Draft(
                    "wrapper-bypassed",
                    Spot(node, frame.function.module),
                    message,
                    Severity.ERROR,
                    f"call `{wrapper}(...)`",
                )


def _past(call: ast.Call, value: Value | None, wrapped: dict[Key, str]) -> str | None:
    """Return the wrapper that a call of the bare module goes past."""
    if value is None or value.kind is not Kind.MODULE:
        return None
    if isinstance(call.func, ast.Attribute) and call.func.attr == "module":
        return text(call.func.value) if value.wraps is not None else None
    return wrapped.get(value.key) if value.wraps is None else None


def _chosen(call: ast.Call, wrapper: str, frame: Frame) -> bool:
    """Tell whether the name that is called may be the wrapper: `net = wrapped if ddp else bare`."""
    values = [item.value for item in frame.function.scope.bindings.get(text(call.func), ())]
    return any(wrapper in text(value) for value in values if value is not None)


def _trains(call: ast.Call, function: ast.AST) -> bool:
    """Tell whether a call stands where gradients are on."""
    for node in walk(function):
        if (
            isinstance(node, ast.With)
            and QUIET.search(text(node.items[0].context_expr))
            and (node.lineno <= call.lineno <= (node.end_lineno or 0))
        ):
            return False
    return True


def _wrapped(case: Case) -> dict[Key, str]:
    """Modules that have a wrapper under another name: key -> the wrapper's name."""
    found: dict[Key, str] = {}
    frames = {id(event.frame): event.frame for event in case.plan.events}
    for frame in list(frames.values()):
        for name, bindings in frame.function.scope.bindings.items():
            for binding in bindings:
                value = binding.value
                if isinstance(value, ast.Call) and last_name(value.func) in PARALLEL and value.args:
                    made = case.resolver.value(value, frame)
                    if made is not None and made.wraps is not None and text(value.args[0]) != name:
                        found[made.key] = name
    return found


def _each_micro_batch(case: Case) -> Iterator[Draft]:
    for window in windows(case):
        if window.gated or not summed(case, window):
            continue
        message = f"`{text(window.deposit.node)}` reduces over the ranks at every micro-batch"
        yield Draft(
            "sync-each-micro-batch",
            spot(window.deposit),
            message,
            Severity.HINT,
            "run all but the last micro-batch under `model.no_sync()`",
            [("spent here", spot(window.step))],
            (window.deposit,),
            window.at,
        )
