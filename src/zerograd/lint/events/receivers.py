"""Whose method a call is: the receiver's own, the project's, or one that a table describes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events.event import SourceEvent
from zerograd.lint.knowledge import CallEffect, Row, TouchedAccounts
from zerograd.lint.program.module import Class
from zerograd.lint.program.syntax import argument, is_constant, keyword, last_name, text
from zerograd.lint.values import bound_names, call_frames, parameter_sets
from zerograd.lint.values.value import CallFrame, Value, ValueKind

if TYPE_CHECKING:
    from zerograd.lint.values.resolver import Resolver

WINDOWED_BY = frozenset(
    {
        "gradient_accumulation_steps",
        "gradient_accumulation_plugin",
        "deepspeed_plugin",
        "deepspeed_plugins",
        "megatron_lm_plugin",
        None,
    }
)
"""What tells Accelerate how long a window is; None stands for `**kwargs`."""

OWNERS = frozenset(
    {
        "engine",
        "model_engine",
        "booster",
        "strategy",
        "deepspeed_engine",
        "ds_engine",
        "runner",
        "deepspeed",
        "kfac",
    }
)


def own(func: ast.Attribute, frame: CallFrame, resolver: Resolver) -> Value | None:
    """Return the receiver, unless the project itself defines this method for it."""
    value = resolver.value(func.value, frame)
    if value is not None and isinstance(value.target, Class):
        for cls in call_frames.lineage(value.target, resolver):
            if func.attr in cls.methods:
                return None
        value = bound_names.forwarded(resolver, value) or value
    return value or Value(ValueKind.OTHER)


def row_of(func: ast.Attribute, frame: CallFrame, resolver: Resolver) -> Row | None:
    """Return what a table says of a method, by who made its receiver or by its usual name."""
    knowledge = resolver.project.knowledge
    if func.attr not in knowledge.rows:
        return None
    value = resolver.value(func.value, frame)
    maker = value.maker if value is not None else None
    if value is not None and value.target is not None:
        bases = (
            call_frames.outside_bases(value.target, resolver)
            if isinstance(value.target, Class)
            else []
        )
        found = (knowledge.find(func.attr, base, None) for base in bases)
        row = next((item for item in found if item), None)
        if row is not None:
            return row
        if isinstance(value.target, Class) and _defines(value.target, func.attr, resolver):
            # `self.clip_gradients()` of a class that has its own: it is entered.
            return None
    if maker is not None:
        return knowledge.find(func.attr, maker, None)
    return knowledge.find(func.attr, None, last_name(func.value))


def _defines(cls: Class, method: str, resolver: Resolver) -> bool:
    """Tell whether a class of the project, or one above it, has a method of that name."""
    return any(method in item.methods for item in call_frames.lineage(cls, resolver))


def by_row(row: Row, call: ast.Call, frame: CallFrame, resolver: Resolver) -> list[SourceEvent]:
    """Read the events that a knowledge table lists."""
    found = []
    for effect in row.effects:
        if effect is CallEffect.NOTHING:
            continue
        event = SourceEvent(effect, call, frame, unscales=row.unscales)
        event.divides = row.divides and is_told_to_divide(call, frame, resolver)
        _aim(event, row, call, resolver)
        if effect is CallEffect.DEPOSIT:
            event.loss = argument(call, 0, "loss")
            event.everything = False
        found.append(event)
        if is_constant(keyword(call, "zero_grad"), True):
            found.append(
                SourceEvent(
                    CallEffect.CLEAR, call, frame, event.targets, event.atoms, event.everything
                )
            )
    return found


def is_told_to_divide(call: ast.Call, frame: CallFrame, resolver: Resolver) -> bool:
    """`Accelerator()`: whether the driver's construction leaves the window at one batch."""
    func = call.func
    driver = resolver.value(func.value, frame) if isinstance(func, ast.Attribute) else None
    if driver is None or driver.site is None or driver.kind is not ValueKind.DRIVER:
        return True
    given = keyword(driver.site, "gradient_accumulation_steps")
    if given is not None and (is_constant(given, 1) or _is_set_to_one(given, driver.frame)):
        return False
    told = {item.arg for item in driver.site.keywords}
    return bool(driver.site.args) or not told.isdisjoint(WINDOWED_BY)


def _is_set_to_one(given: ast.expr, frame: CallFrame | None) -> bool:
    """`config.accumulation_steps` beside `class Config: accumulation_steps = 1`, in one file."""
    if not isinstance(given, ast.Attribute) or frame is None:
        return False
    values = [
        stmt.value
        for cls in frame.function.module.classes.values()
        for stmt in cls.node.body
        if isinstance(stmt, ast.Assign | ast.AnnAssign)
        for target in (stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target])
        if text(target) == given.attr and stmt.value is not None
    ]
    return bool(values) and all(is_constant(value, 1) for value in values)


def _aim(event: SourceEvent, row: Row, call: ast.Call, resolver: Resolver) -> None:
    """Which accounts a row's event touches."""
    place = {TouchedAccounts.FIRST: 0, TouchedAccounts.SECOND: 1}.get(row.on)
    node = argument(call, place, "optimizer") if place is not None else None
    if row.on is TouchedAccounts.RECEIVER and isinstance(call.func, ast.Attribute):
        node = call.func.value
    if node is None:
        event.everything = row.on in (
            TouchedAccounts.ALL,
            TouchedAccounts.FIRST,
            TouchedAccounts.SECOND,
        )
        return
    value = resolver.value(node, event.frame)
    if value is not None and value.kind in (
        ValueKind.OPTIMIZER,
        ValueKind.OPTIMIZERS,
        ValueKind.SCALER,
    ):
        event.targets = (value,)
        if value.kind is ValueKind.SCALER:
            event.scaler = value
        return
    event.atoms = parameter_sets.atoms(resolver, node, event.frame)
    if value is not None and value.kind is ValueKind.MODULE and event.atoms is None:
        event.atoms = parameter_sets.within(resolver, value)
    event.everything = event.atoms is None
