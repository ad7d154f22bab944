"""The terms of a deposited sum, with the frame that each stands in.

    rec = mse(out, x)                        1
    kl = gauss(mean, logvar).detach()        2
    loss = rec + beta * kl                   3
    (loss / k).backward()                    4

The sum behind line 4 is `rec` and `beta * kl` of line 3. A name is followed to its assignments, a
function of the project to what it returns; what is subtracted is kept apart.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.interpret.loss_receivers import REDUCING, SCALING
from zerograd.lint.interpret.origins import before
from zerograd.lint.program.module import Function
from zerograd.lint.program.scope import Binding, BindingKind, returns
from zerograd.lint.program.syntax import last_name
from zerograd.lint.values import call_frames
from zerograd.lint.values.spelling import bindings_of
from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeGuard

    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import CallFrame

DEEP = 8
LARGEST = 60
"""Terms of the longest sum that is taken apart."""

Term = tuple[ast.expr, "CallFrame"]


@record()
class LossSum:
    """What a loss was added up from."""

    resolver: Resolver
    added: list[Term] = field(default_factory=list)
    subtracted: list[Term] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)

    def take(self, loss: ast.expr, frame: CallFrame) -> None:
        """Add the terms of an expression, left to right."""
        todo = [(loss, frame, 0)]
        while todo and len(self.added) <= LARGEST:
            node, home, depth = todo.pop()
            self.resolver.budget.spend()
            inner = _handed_on(node)
            if inner is not None:
                todo.append((inner, home, depth))
            elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
                todo += [(node.right, home, depth), (node.left, home, depth)]
            elif _is_difference(node):
                self.subtracted.append((node.right, home))
                todo.append((node.left, home, depth))
            elif (behind := self._behind(node, home) if depth < DEEP else None) is not None:
                todo += [(part, place, depth + 1) for part, place in reversed(behind)]
            else:
                self.added.append((node, home))

    def _behind(self, node: ast.expr, frame: CallFrame) -> list[Term] | None:
        """Return what a name that stands for a sum was given; None where it is a term itself."""
        if not isinstance(node, ast.Name):
            return None
        found, home = bindings_of(node, frame)
        chosen = before(found, node) if found and home is not None else []
        if home is None or not any(self._is_sum(item, home) for item in chosen):
            return None
        fresh = [item for item in chosen if id(item) not in self.seen]
        self.seen.update(map(id, fresh))
        return [term for item in fresh for term in self._of_binding(item, home)]

    def _is_sum(self, item: Binding, home: CallFrame) -> bool:
        value = item.value
        if item.how is BindingKind.CHANGED:
            return isinstance(getattr(item.node, "op", None), ast.Add)
        if item.how is not BindingKind.ASSIGNED or value is None:
            return False
        while (inner := _handed_on(value)) is not None:
            value = inner
        is_sum = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add)
        return (
            is_sum
            or _is_difference(value)
            or isinstance(value, ast.Name)
            or self._called(value, home) is not None
        )

    def _of_binding(self, item: Binding, home: CallFrame) -> Iterator[Term]:
        if item.value is None:
            return
        called = self._called(item.value, home)
        if called is None:
            yield item.value, home
            return
        function, inside = called
        for returned in returns(function.node):
            part = returned
            for place in item.index:
                parts = part.elts if isinstance(part, ast.Tuple) else []
                part = parts[place] if place < len(parts) else part
            yield part, inside

    def _called(self, node: ast.expr, frame: CallFrame) -> tuple[Function, CallFrame] | None:
        """Return the project's own function that a call runs."""
        if not isinstance(node, ast.Call) or frame.depth > DEEP:
            return None
        target = self.resolver.definition(node.func, frame)
        if not isinstance(target, Function):
            return None
        return target, call_frames.called(target, node, frame)


def _is_difference(node: ast.expr) -> TypeGuard[ast.BinOp]:
    """Tell whether something is taken away from a term: `1 - dice` is one term itself."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Sub)
        and not isinstance(node.left, ast.Constant)
    )


def _handed_on(node: ast.expr) -> ast.expr | None:
    """Return the sum in `scaler.scale(s)`, `s / k`, `s.mean()`, `0.5 * s`, `sum` of two."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return node.left
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        if isinstance(node.left, ast.Constant):
            return node.right
        return node.left if isinstance(node.right, ast.Constant) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if last_name(node.func) in SCALING and node.args:
            return node.args[0]
        return node.func.value if node.func.attr in REDUCING else None
    return None
