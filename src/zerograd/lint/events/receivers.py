"""Whose method a call is: the receiver's own, the project's, or one that a table describes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events.event import Event
from zerograd.lint.knowledge import Effect, On, Row
from zerograd.lint.module import Class
from zerograd.lint.names import frames, parameters
from zerograd.lint.names.values import Frame, Kind, Value
from zerograd.lint.syntax import argument, is_constant, keyword, last_name

if TYPE_CHECKING:
    from zerograd.lint.names.resolver import Resolver

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


def own(func: ast.Attribute, frame: Frame, resolver: Resolver) -> Value | None:
    """Return the receiver, unless the project itself defines this method for it."""
    value = resolver.value(func.value, frame)
    if value is not None and isinstance(value.target, Class):
        for cls in frames.lineage(value.target, resolver):
            if func.attr in cls.methods:
                return None
    return value or Value(Kind.OTHER)


def row_of(func: ast.Attribute, frame: Frame, resolver: Resolver) -> Row | None:
    """Return what a table says of a method, by who made its receiver or by its usual name."""
    knowledge = resolver.project.knowledge
    if func.attr not in knowledge.rows or own(func, frame, resolver) is None:
        # What the project writes itself, `clip_gradients` of its trainer, is no library's.
        return None
    value = resolver.value(func.value, frame)
    maker = value.maker if value is not None else None
    if value is not None and value.target is not None:
        bases = (
            frames.outside_bases(value.target, resolver) if isinstance(value.target, Class) else []
        )
        found = (knowledge.find(func.attr, base, None) for base in bases)
        row = next((item for item in found if item), None)
        if row is not None:
            return row
    if maker is not None:
        return knowledge.find(func.attr, maker, None)
    return knowledge.find(func.attr, None, last_name(func.value))


def by_row(row: Row, call: ast.Call, frame: Frame, resolver: Resolver) -> list[Event]:
    """Read the events that a knowledge table lists."""
    found = []
    for effect in row.effects:
        if effect is Effect.NOTHING:
            continue
        event = Event(effect, call, frame, unscales=row.unscales)
        event.divides = row.divides and is_told_to_divide(call, frame, resolver)
        _aim(event, row, call, resolver)
        if effect is Effect.DEPOSIT:
            event.loss = argument(call, 0, "loss")
            event.everything = False
        found.append(event)
        if is_constant(keyword(call, "zero_grad"), True):
            found.append(
                Event(Effect.CLEAR, call, frame, event.targets, event.atoms, event.everything)
            )
    return found


def is_told_to_divide(call: ast.Call, frame: Frame, resolver: Resolver) -> bool:
    """`Accelerator()`: whether the driver's construction leaves the window at one batch."""
    func = call.func
    driver = resolver.value(func.value, frame) if isinstance(func, ast.Attribute) else None
    if driver is None or driver.site is None or driver.kind is not Kind.DRIVER:
        return True
    given = keyword(driver.site, "gradient_accumulation_steps")
    if given is not None and is_constant(given, 1):
        return False
    told = {item.arg for item in driver.site.keywords}
    return bool(driver.site.args) or not told.isdisjoint(WINDOWED_BY)


def _aim(event: Event, row: Row, call: ast.Call, resolver: Resolver) -> None:
    """Which accounts a row's event touches."""
    place = {On.FIRST: 0, On.SECOND: 1}.get(row.on)
    node = argument(call, place, "optimizer") if place is not None else None
    if row.on is On.RECEIVER and isinstance(call.func, ast.Attribute):
        node = call.func.value
    if node is None:
        event.everything = row.on in (On.ALL, On.FIRST, On.SECOND)
        return
    value = resolver.value(node, event.frame)
    if value is not None and value.kind in (Kind.OPTIMIZER, Kind.OPTIMIZERS, Kind.SCALER):
        event.targets = (value,)
        if value.kind is Kind.SCALER:
            event.scaler = value
        return
    event.atoms = parameters.atoms(resolver, node, event.frame)
    if value is not None and value.kind is Kind.MODULE and event.atoms is None:
        event.atoms = parameters.within(resolver, value)
    event.everything = event.atoms is None
