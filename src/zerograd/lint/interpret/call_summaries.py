"""Summaries of calls: which functions, called how, do nothing to any account."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from zerograd.lint.values import call_frames
from zerograd.lint.values.value import ValueKind

if TYPE_CHECKING:
    from collections.abc import Hashable

    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import CallFrame

    Situation: TypeAlias = Hashable

MADE = (ValueKind.OPTIMIZER, ValueKind.OPTIMIZERS, ValueKind.TUPLE)


def situation(frame: CallFrame, resolver: Resolver) -> Situation:
    """Return everything on which it depends whether a call does something to an account.

    Events are recognised by what the names in a body stand for. A body sees its parameters, its
    receiver, the names of the function around it, and what its own module binds: with the first
    three alike, two calls of one function hold the same events, whatever the paths to them.
    """
    natures = resolver.natures
    given = tuple(
        (name, natures.of(resolver.value(node, home)))
        for name, (node, home) in frame.arguments.items()
    )
    return (frame.function, natures.of(frame.receiver), frame.outer, given)


def may_be_quiet(frame: CallFrame, resolver: Resolver) -> bool:
    """Tell whether a call in which no event was found may be passed over from now on.

    Not if a call in it was cut off because it is running further out: what that holds is not
    known here. Not if it hands out an optimizer: where that was made says how its account starts.
    """
    if frame.cut:
        return False
    made = call_frames.returned(resolver, frame)
    return made is None or made.kind not in MADE
