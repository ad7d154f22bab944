"""Which names of a training loop hold the graph of a loss whose backward ran.

Worked example, a loss that leaves the function of its backward:

    def train_step(x, y):                    def epoch(loader):
        out = model(x)                           total, kept = 0, []
        loss = criterion(out["y"], y)            for x, y in loader:
        loss.backward()                              loss, out = train_step(x, y)
        optimizer.step()                             total += loss
        return loss, out                             kept.append(out)

In `train_step` the deposit shows that `loss` has a graph. It is returned first, so in `epoch` the
first name that takes the call's result has one too: the sum there keeps the graph of every batch.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events.event import EnclosingKind
from zerograd.lint.interpret.loss_receivers import brought, carried, deposited
from zerograd.lint.interpret.origins import quiet_line
from zerograd.lint.program.module import statements
from zerograd.lint.program.scope import BindingKind, with_tests
from zerograd.lint.program.syntax import dotted, root_name, text
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.values.value import CallFrame


@record(frozen=True, eq=False)
class CarryingLoop:
    """A loop around a deposit, and what holds the deposited graph in its rounds."""

    frame: CallFrame
    loop: ast.AST
    names: frozenset[str]
    """Expressions as they are spelled: `loss`, `out['loss']`, `train_step(x, y)`."""

    whole: frozenset[str]
    """Objects that have the loss in them: `out` of `out["loss"]`."""

    since: int
    """The line of the deposit, or of the call that leads to it."""

    inner: tuple[int, int] = (0, -1)
    """The lines of the loop within, which was looked at by itself."""


def carrying_loops(event: SourceEvent, parts: Iterable[str] = ()) -> Iterator[CarryingLoop]:
    """Yield the loops around a deposit, innermost first, callers' loops included.

    A function that is called in a loop, and has none of its own around the deposit, is one round.
    """
    loss = deposited(event.loss)
    if loss is None:
        return
    frame, since = event.frame, getattr(event.node, "lineno", 0)
    names, whole = {text(loss), *parts}, _whole(loss, event.frame)
    for call, caller in [*event.frame.calls(), (None, None)]:
        inner = (0, -1)
        for loop in _loops(event, frame) or [frame.function.node]:
            yield CarryingLoop(frame, loop, frozenset(names), frozenset(whole), since, inner)
            inner = (getattr(loop, "lineno", 0), getattr(loop, "end_lineno", 0))
            names |= set(_summed(loop, names))
        if call is None or caller is None:
            return
        names, whole = _handed_out(frame, call, caller, names, whole, since)
        frame, since = caller, call.lineno


def _loops(event: SourceEvent, frame: CallFrame) -> list[ast.AST]:
    found = [
        item.node
        for item in event.context
        if item.place is EnclosingKind.LOOP and item.frame is frame
    ]
    return found[::-1]


def _whole(loss: ast.expr, frame: CallFrame) -> set[str]:
    """Return the object that a deposited part is taken from: `out` of `out["loss"]`, `out.loss`."""
    name = root_name(loss)
    inside = isinstance(loss, ast.Subscript | ast.Attribute) and name is not None
    if not inside or name == frame.function.self_name:
        return set()
    made = frame.function.scope.bindings.get(name or "", ())
    # One that is made once outlives the loop whatever it holds.
    fresh = [
        item
        for item in made
        if item.how is BindingKind.ASSIGNED and isinstance(item.value, ast.Call | ast.Dict)
    ]
    return {name} if name is not None and made and len(fresh) == len(made) else set()


def _summed(loop: ast.AST, names: set[str]) -> Iterator[str]:
    """`batch_loss += loss`: a sum of graphs has them all, whoever keeps the sum."""
    for stmt in statements(getattr(loop, "body", [])):
        if isinstance(stmt, ast.AugAssign) and isinstance(stmt.op, ast.Add):
            name = dotted(stmt.target)
            if name is not None and "." not in name and carried(stmt.value, names):
                yield name


def _handed_out(
    frame: CallFrame,
    call: ast.Call,
    caller: CallFrame,
    names: set[str],
    whole: set[str],
    since: int,
) -> tuple[set[str], set[str]]:
    """Return what holds the graph in the caller: the names that take what the function returns."""
    held: set[str] = set()
    objects: set[str] = set()
    for value, line in _returned(frame):
        alive = {
            item
            for item in names
            if not is_renewed(item, frame, since, line) and not _is_sometimes_a_number(item, frame)
        }
        for place, part in _taken_apart(value):
            for target in _takers(call, caller, place):
                if carried(part, alive):
                    held.add(target)
                elif text(part) in whole or brought(part, alive):
                    objects.add(target)
                    held |= set(_slots(part, alive, target))
    return held, objects


def _returned(frame: CallFrame) -> Iterator[tuple[ast.expr, int]]:
    for stmt, _ in with_tests(getattr(frame.function.node, "body", [])):
        if not isinstance(stmt, ast.Return) or quiet_line(stmt.lineno, frame):
            continue
        if stmt.value is not None:
            yield stmt.value, stmt.lineno


def _is_sometimes_a_number(name: str, frame: CallFrame) -> bool:
    """`penalty = 0` on one side of a test: whoever gets it may get the number."""
    found = frame.function.scope.bindings.get(name, ())
    plain = [item for item in found if item.how is BindingKind.ASSIGNED]
    return len(plain) > 1 and any(isinstance(item.value, ast.Constant) for item in plain)


def is_renewed(name: str, frame: CallFrame, since: int, line: int) -> bool:
    """Tell whether a name is given another value between two lines: `loss = loss.item()`."""
    bound = frame.function.scope.bindings
    root = name.partition(".")[0].partition("[")[0].partition("(")[0]
    return any(
        since < item.node.lineno < line and item.how is BindingKind.ASSIGNED
        for item in (*bound.get(root, ()), *bound.get(name, ()))
    )


def _taken_apart(value: ast.expr) -> Iterator[tuple[int | None, ast.expr]]:
    """Yield a returned value, or each part of a returned tuple by its place."""
    if isinstance(value, ast.Tuple):
        yield from enumerate(value.elts)
    else:
        yield None, value


def _slots(part: ast.expr, names: set[str], target: str) -> Iterator[str]:
    """Yield `out['loss']` for a returned `{"loss": loss}` that is called `out`."""
    if isinstance(part, ast.Dict):
        for key, value in zip(part.keys, part.values, strict=True):
            if isinstance(key, ast.Constant) and carried(value, names):
                yield f"{target}[{key.value!r}]"


def _takers(call: ast.Call, caller: CallFrame, place: int | None) -> Iterator[str]:
    """Yield the names that take a call's result, or one place of it, and the call's own text."""
    if place is None:
        yield text(call)
    else:
        yield f"{text(call)}[{place}]"
    for found in caller.function.scope.bindings.values():
        for item in found:
            if item.value is call and item.how is BindingKind.ASSIGNED:
                if item.index == (() if place is None else (place,)):
                    yield item.target
                elif not item.index and place is not None:
                    yield f"{item.target}[{place}]"
