"""What a loss is divided by on its way to the deposit, and what it was reduced with."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.events.event import EnclosingKind
from zerograd.lint.program.module import Function
from zerograd.lint.program.scope import Binding, BindingKind, Tests, returns
from zerograd.lint.program.syntax import keyword, last_name, text, walk
from zerograd.lint.values import spelling
from zerograd.lint.values.inlined_calls import frame_of
from zerograd.record import field, record

if TYPE_CHECKING:
    from zerograd.lint.checks.evidence.case import Case
    from zerograd.lint.events.event import SourceEvent
    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import CallFrame

DEEP = 6
DIVIDING = ("div", "div_", "divide", "true_divide")
MULTIPLYING = ("mul", "mul_", "multiply")


@record(frozen=True, eq=False)
class Factor:
    """One thing that a loss is divided by or multiplied with."""

    node: ast.expr
    frame: CallFrame
    under: Tests = ()
    """The tests around it that the deposit does not stand under."""


@record()
class Scaling:
    """The factors between a loss and its deposit."""

    divisors: list[ast.expr] = field(default_factory=list)
    factors: list[ast.expr] = field(default_factory=list)
    terms: list[ast.expr] = field(default_factory=list)
    """What remains when the factors are taken off."""

    divided: list[Factor] = field(default_factory=list)
    """Every division on the way, those in functions that return the loss included."""

    multiplied: list[Factor] = field(default_factory=list)


@record()
class _Place:
    """Where a loss is followed: its frame, the tests that hold there, and how far from home."""

    frame: CallFrame
    under: Tests
    beyond: bool = False
    """In a function that returns the loss: what it divides by is its own affair."""

    index: tuple[int, ...] = ()
    """Which part of what a call returns is the loss: `(0,)` in `loss, logits = step(batch)`."""


def scaling_of(event: SourceEvent, resolver: Resolver | None = None) -> Scaling:
    """Follow the deposited value back through its own function, and into those that return it."""
    found = Scaling()
    if event.loss is not None:
        around = tuple(
            (test, item.place is EnclosingKind.THEN)
            for item in event.context
            if item.frame is event.frame
            and item.place in (EnclosingKind.THEN, EnclosingKind.OTHER)
            and isinstance(test := getattr(item.node, "test", None), ast.expr)
        )
        _Trace(found, around, resolver).follow(event.loss, _Place(event.frame, around))
        name = last_name(event.loss)
        changed = event.frame.function.module.attributes(name or "")
        if not changed.isdisjoint(("mul_", "div_")):
            # `loss.mul_(weight)` scales in place, somewhere on the way.
            found.divisors.append(event.loss)
    return found


def are_addends_divided(scaling: Scaling, event: SourceEvent) -> bool:
    """Tell whether a loss is a sum of which every term is divided: `policy / n + value / n`."""
    sums = [term for term in scaling.terms if _is_addition(term)]
    parts = [part for term in sums for part in _addends(term)]
    traces = [_Trace(Scaling(), (), None) for _ in parts]
    for part, trace in zip(parts, traces, strict=True):
        trace.follow(part, _Place(event.frame, ()))
    return bool(parts) and all(trace.found.divisors for trace in traces)


def _is_addition(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)


def _addends(node: ast.expr) -> list[ast.expr]:
    if not (isinstance(node, ast.BinOp) and _is_addition(node)):
        return [node]
    return [*_addends(node.left), *_addends(node.right)]


class _Trace:
    """Follows one loss back, and collects what it meets."""

    def __init__(self, found: Scaling, around: Tests, resolver: Resolver | None) -> None:
        self.found, self.around, self.resolver = found, around, resolver

    def follow(self, node: ast.expr, place: _Place) -> None:
        """Follow an expression as far as one value is handed on."""
        for _ in range(DEEP):
            if not place.beyond:
                rest = node
            onward = self.past(node, place)
            if onward is None:
                break
            node, place = onward
        self.found.terms.append(node if not place.beyond else rest)

    def past(self, node: ast.expr, place: _Place) -> tuple[ast.expr, _Place] | None:
        if isinstance(node, ast.BinOp):
            onward = self.past_factor(node, place)
            return (onward, place) if onward is not None else None
        if isinstance(node, ast.Call):
            return self.past_call(node, place)
        return self.past_name(node, place) if isinstance(node, ast.Name) else None

    def divide(self, node: ast.expr, place: _Place) -> None:
        """Write down a divisor; only what the loss's own function divides by is the window's."""
        self.found.divided.append(Factor(node, place.frame, self.further(place)))
        if not place.beyond:
            self.found.divisors.append(node)

    def multiply(self, node: ast.expr, place: _Place) -> None:
        """Write down a factor."""
        self.found.multiplied.append(Factor(node, place.frame, self.further(place)))
        if not place.beyond:
            self.found.factors.append(node)

    def further(self, place: _Place) -> Tests:
        return tuple(item for item in place.under if item not in self.around)

    def past_factor(self, node: ast.BinOp, place: _Place) -> ast.expr | None:
        """Take one factor off an expression."""
        if isinstance(node.op, ast.Div | ast.FloorDiv):
            self.divide(node.right, place)
            return node.left
        if not isinstance(node.op, ast.Mult):
            return None
        scale = _inverse(node.left) or _inverse(node.right)
        if scale is not None:
            self.divide(scale, place)
        for side in (node.left, node.right):
            self.multiply(side, place)
        leading = _inverse(node.left) is not None or isinstance(node.left, ast.Constant)
        return node.right if leading else node.left

    def past_call(self, node: ast.Call, place: _Place) -> tuple[ast.expr, _Place] | None:
        """`scaler.scale(loss)`, `amp.scale_loss(loss, o)` and `loss.div(k)` hand the loss on."""
        name = last_name(node.func)
        if name in ("scale", "scale_loss") and node.args:
            return node.args[0], place
        if name in (*DIVIDING, *MULTIPLYING) and isinstance(node.func, ast.Attribute):
            given = [node.func.value, *node.args]
            if text(node.func.value) == "torch":
                given = node.args
            if len(given) == 2:  # the loss and the number
                return self.past_method(given, place, divides=name in DIVIDING)
        return self.into(node, place)

    def past_method(
        self, given: list[ast.expr], place: _Place, *, divides: bool
    ) -> tuple[ast.expr, _Place]:
        """`loss.div(k)`, `torch.mul(loss, 1 / k)`."""
        loss, by = given
        inverse = _inverse(by)
        if divides:
            self.divide(by, place)
        elif inverse is not None:
            self.divide(inverse, place)
        else:
            self.multiply(by, place)
        return loss, place

    def into(self, node: ast.Call, place: _Place) -> tuple[ast.expr, _Place] | None:
        """Go on in a function of the project, if it has one thing to return."""
        if self.resolver is None:
            return None
        inside = frame_of(node, place.frame, self.resolver)
        found = returns(inside.function.node) if inside is not None else []
        if inside is None or len(found) != 1:
            return None
        returned = _part(found[0], place.index)
        return (returned, _Place(inside, (), beyond=True)) if returned is not None else None

    def past_name(self, node: ast.Name, place: _Place) -> tuple[ast.expr, _Place] | None:
        """From a name to what it was assigned, or to the caller's argument."""
        bindings = place.frame.function.scope.bindings.get(node.id, [])
        binding = self.last(bindings, node, place)
        if binding is not None and binding.value is not None:
            under = tuple(dict.fromkeys((*place.under, *binding.under)))
            return binding.value, _Place(place.frame, under, place.beyond, binding.index)
        given = place.frame.arguments.get(node.id)
        return (given[0], _Place(given[1], (), place.beyond)) if given is not None else None

    def last(self, found: list[Binding], node: ast.Name, place: _Place) -> Binding | None:
        """Return the assignment that gave a name its value; `loss /= k` on the way is a divisor."""
        line = getattr(node, "lineno", 0)
        for binding in sorted(found, key=lambda item: item.node.lineno, reverse=True):
            if binding.node.lineno > line or _excluded(binding, place):
                continue
            if binding.how is BindingKind.CHANGED:
                self.change(binding, place)
                continue
            if binding.how is BindingKind.ENTERED and isinstance(binding.value, ast.Call):
                return binding
            if binding.how is BindingKind.ASSIGNED and not _is_itself(binding, node, line):
                return binding
        return None

    def change(self, binding: Binding, place: _Place) -> None:
        """`loss /= k`, `loss *= 1 / k`."""
        op, value = getattr(binding.node, "op", None), binding.value
        place = _Place(place.frame, (*place.under, *binding.under), place.beyond)
        if isinstance(op, ast.Div) and value is not None:
            self.divide(value, place)
        elif isinstance(op, ast.Mult) and value is not None:
            self.multiply(value, place)
            inverse = _inverse(value)
            if inverse is not None:
                self.divide(inverse, place)


def _part(returned: ast.expr, index: tuple[int, ...]) -> ast.expr | None:
    """Return the part of what a function returns that an unpacking assignment takes."""
    for at in index:
        if not isinstance(returned, ast.Tuple) or at >= len(returned.elts):
            return None
        returned = returned.elts[at]
    return returned


def _excluded(binding: Binding, place: _Place) -> bool:
    """Tell whether a binding stands on the other side of a test that holds here."""
    return any(
        test is other and side is not held
        for test, side in binding.under
        for other, held in place.under
    )


def _inverse(node: ast.expr) -> ast.expr | None:
    """`k` of `1 / k`."""
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Div)
        and isinstance(node.left, ast.Constant)
    ):
        return node.right
    return None


def _is_itself(binding: Binding, node: ast.Name, line: int) -> bool:
    return (
        binding.node.lineno == line
        and binding.value is not None
        and any(item is node for item in walk(binding.value))
    )


def reduction(scaling: Scaling, event: SourceEvent, resolver: Resolver) -> str:
    """`mean`, `sum` or `unknown`, as far as the source shows it."""
    for term in scaling.terms:
        for item in walk(term):
            if isinstance(item, ast.Call):
                kind = _call_reduction(item, event, resolver)
                if kind is not None:
                    return kind
    return "unknown"


def _own_reduction(function: Function) -> str | None:
    """Return what a function of the project reduces with; a mean of sums is a mean."""
    names = {last_name(node.func) for node in walk(function.node) if isinstance(node, ast.Call)}
    if "mean" in names:
        return "mean"
    return "sum" if "sum" in names else None


def _call_reduction(call: ast.Call, event: SourceEvent, resolver: Resolver) -> str | None:
    name = last_name(call.func) or ""
    target = resolver.definition(call.func, event.frame)
    if isinstance(target, Function):
        return _own_reduction(target)
    if name == "mean":
        return "mean"
    if name in ("sum", "nansum"):
        return "sum"
    given = keyword(call, "reduction")
    if isinstance(given, ast.Constant):
        return str(given.value) if given.value in ("mean", "sum") else "unknown"
    origin = resolver.origin(call.func, event.frame) or ""
    name = origin.rpartition(".")[2] or name
    if "functional" in origin and ("loss" in name or "entropy" in name) and given is None:
        return "mean"
    value = resolver.value(call.func, event.frame)
    if value is not None and value.site is not None and (value.maker or "").endswith("Loss"):
        made = keyword(value.site, "reduction")
        if made is None:
            return "mean"
        return str(made.value) if isinstance(made, ast.Constant) else "unknown"
    return None


def number_of(node: ast.expr, frame: CallFrame, case: Case) -> int | None:
    """Return the constant that an expression stands for."""
    value = case.resolver.value(node, frame)
    if value is None and isinstance(node, ast.Name):
        found, home = spelling.bindings_of(node, frame)
        plain = [item for item in found if item.how is BindingKind.ASSIGNED]
        if home is not None and len(plain) == 1 == len(found):
            value = case.resolver.value(plain[0].value, home)
    if value is None and isinstance(node, ast.BinOp):
        return _folded(node, frame, case)
    number = value.constant if value is not None else None
    if isinstance(number, float) and number.is_integer():
        return int(number)
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _folded(node: ast.BinOp, frame: CallFrame, case: Case) -> int | None:
    """Return a sum, difference or product of constants."""
    left, right = number_of(node.left, frame, case), number_of(node.right, frame, case)
    if left is None or right is None:
        return None
    if isinstance(node.op, ast.Mult):
        return left * right
    if isinstance(node.op, ast.Add):
        return left + right
    return left - right if isinstance(node.op, ast.Sub) else None
