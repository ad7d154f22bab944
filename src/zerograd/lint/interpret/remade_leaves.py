"""What a loop makes anew in each round: its gradients begin in that round, whatever lay there.

Worked example, an attack on every batch:

    for x, y in loader:
        delta = torch.zeros_like(x, requires_grad=True)
        loss(model(x + delta), y).backward()
        delta.data = delta + rate * delta.grad.sign()

Round 1 spends what the backward deposited, and round 2 has another `delta`: nothing is stale there.
Were there a loop of several steps within, its rounds would share one `delta`. Optimizers that are
built in a loop are events of their own; this is about tensors and modules that are updated by hand.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events.accounts import transitions
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import last_name, walk
from zerograd.lint.values.call_frames import self_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zerograd.lint.interpret.plan import RootPlan
    from zerograd.lint.interpret.state import AbstractState
    from zerograd.lint.program.flow import LoopNode
    from zerograd.lint.program.scope import Binding
    from zerograd.lint.values.value import CallFrame, Key


def remade(plan: RootPlan, frame: CallFrame, loop: LoopNode | None) -> frozenset[int]:
    """Return the accounts of tensors and modules that each round of a loop makes anew.

    Without a loop the function itself is repeated: all that it makes is new in the next call.
    """
    return frozenset(
        at
        for at, holder in enumerate(plan.holders)
        if holder.manual and _is_made_in(holder.key, frame, loop)
    )


def begin_again(state: AbstractState, accounts: Iterable[int]) -> AbstractState:
    """Return the state at the start of a round, with nothing known of what is made in it."""
    found = list(state.accounts)
    for at in accounts:
        found[at] = transitions.forget(found[at])
    state = state.copy()
    state.accounts = tuple(found)
    return state


def _is_made_in(key: Key, frame: CallFrame, loop: LoopNode | None) -> bool:
    name, path = key[-1], key[-2]
    if path == frame.path and any(
        _is_within(item, loop) for item in frame.function.scope.bindings.get(name, ())
    ):
        return True
    return _is_member_made_in(name, frame, loop)


def _is_within(binding: Binding, loop: LoopNode | None) -> bool:
    """Tell whether a name gets another object in a loop: `w -= g` leaves it the same."""
    if binding.how is BindingKind.CHANGED:
        return False
    if loop is None:
        return True
    first, last = getattr(loop.stmt, "lineno", 0), getattr(loop.stmt, "end_lineno", 0)
    return bool(first <= binding.node.lineno <= last)


def _is_member_made_in(name: str, frame: CallFrame, loop: LoopNode | None) -> bool:
    """`self.delta = ...` in the loop, or in a method of the class that the loop calls."""
    owner = frame.function.owner
    if owner is None or loop is None:
        return False
    makers = {
        method.last_name: found
        for method in owner.methods.values()
        if method.last_name != "__init__"
        and (found := method.scope.bindings.get(f"{self_name(method)}.{name}"))
    }
    if any(_is_within(item, loop) for item in makers.get(frame.function.last_name, ())):
        return True
    called = {last_name(item.func) for item in walk(loop.stmt) if isinstance(item, ast.Call)}
    return not called.isdisjoint(makers)
