"""Where interpretation begins: module bodies, and functions that nobody else runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zerograd.lint.events import events_of
from zerograd.lint.flow import Act
from zerograd.lint.flow.graph import blocks
from zerograd.lint.knowledge.shipped import REPEATED_METHODS
from zerograd.lint.names import frames

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events import Event
    from zerograd.lint.heat import Heat
    from zerograd.lint.module import Function, Module
    from zerograd.lint.names.resolver import Resolver


@dataclass(frozen=True, slots=True)
class Root:
    """A function to interpret, and how it is entered."""

    function: Function
    repeated: bool = False
    """A framework calls it once a batch."""

    fresh: bool = False
    """Nothing happened before it."""


def roots_of(module: Module, resolver: Resolver, heat: Heat) -> list[Root]:
    """The roots of a module: its body and every eventful function that nothing here calls."""
    found = [function for function in module.functions.values()
             if function.name and heat.eventful(function)]
    called = {id(event.enters or event.closure) for function in [module.body, *found]
              for event in own_events(function, resolver, heat)
              if event.enters is not function}
    roots = [Root(module.body, fresh=True)]
    roots += [Root(function, repeats(function, resolver)) for function in found
              if id(function) not in called]
    return roots


def own_events(function: Function, resolver: Resolver, heat: Heat) -> Iterator[Event]:
    """The events of a function's own statements, calls not entered."""
    frame = frames.entered(function, resolver)
    todo = list(heat.flow(function))
    while todo:
        node = todo.pop()
        if isinstance(node, Act):
            for part in node.parts:
                yield from events_of(part, frame, resolver, heat)
        for inner in blocks(node):
            todo.extend(inner)


def repeats(function: Function, resolver: Resolver) -> bool:
    """Tell whether a framework runs a function once a batch."""
    parameters = function.parameters
    if function.owner is None:
        return bool(parameters) and parameters[0].arg == "engine"
    if function.last_name not in REPEATED_METHODS:
        return False
    return bool(frames.outside_bases(function.owner, resolver))
