"""One thing that happens to accounts at one place of the source."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from zerograd.record import record

if TYPE_CHECKING:
    import ast

    from zerograd.lint.knowledge import CallEffect
    from zerograd.lint.program.module import Function
    from zerograd.lint.values.parameter_sets import Atoms
    from zerograd.lint.values.value import CallFrame, Value


class EnclosingKind(Enum):
    """What can stand around an event."""

    LOOP = auto()
    THEN = auto()
    OTHER = auto()
    WITH = auto()
    CALL = auto()
    TRY = auto()


@record(frozen=True)
class Enclosing:
    """One thing that an event stands in."""

    place: EnclosingKind
    node: ast.AST
    frame: CallFrame


@record(eq=False)
class SourceEvent:
    """What a call or an assignment does; which accounts it touches is decided per root."""

    effect: CallEffect | None
    """None for a call into the project: see `enters`."""

    node: ast.AST
    frame: CallFrame

    targets: tuple[Value, ...] = ()
    """The optimizers, scalers or schedulers that it is called on or with."""

    atoms: Atoms | None = None
    """The modules and tensors whose gradients it touches."""

    everything: bool = False
    """Touches every account, or an unknown one of them."""

    loss: ast.expr | None = None
    scaler: Value | None = None
    """The scaler that it goes through."""

    maybe_scaled: bool = False
    """The scale depends on a test that the deposit does not stand under."""

    manual: bool = False
    """Done by hand on `.grad`, not by an optimizer's or module's method."""

    replaces: bool = False
    """An update by hand that gives the name to another tensor: `w = w - lr * w.grad`."""

    keeps_zeros: bool | None = None
    """For a clear: whether `.grad` is left as zeros rather than None; None when unknown."""

    fills: bool = False
    """For a clear: a tensor of zeros is put there, whatever was there before."""

    divides: bool = False
    unscales: bool = False
    gate: ast.expr | None = None
    """The argument that decides whether it happens."""

    enters: Function | None = None
    inside: CallFrame | None = None
    closure: Function | None = None
    around: CallFrame | None = None
    """The frame that a closure was defined in."""

    repeats_closure: bool = False

    retains: bool = False
    """A deposit that keeps its graph."""

    creates: bool = False
    """A deposit whose gradients get a graph of their own."""

    freezes: bool | None = None
    others: bool = False
    """Touches every account but those of its targets."""

    must: tuple[int, ...] = ()
    """Accounts that it touches for sure, as indices of the root."""

    may: tuple[int, ...] = ()
    weak: frozenset[int] = frozenset()
    """Accounts of `must` that it reaches only through a whole or a dict that holds more."""

    ends_apart: bool = False
    """A deposit that ends at tensors made anew, as far as it was followed: no step waits for it."""

    number: int = -1
    same_as: int = -1
    """The deposit that makes the same one on the other side of a test, by its number."""

    context: tuple[Enclosing, ...] = ()
    """The loops, tests, contexts and calls around it, outermost first."""

    @property
    def source(self) -> int:
        """The number that its deposits go by; see `same_as`."""
        return self.number if self.same_as < 0 else self.same_as

    @property
    def label(self) -> str:
        """The user's own name for what it is called on."""
        return _label(self.node)


def _label(node: ast.AST) -> str:
    from zerograd.lint.program.syntax import text

    func = getattr(node, "func", None)
    inner = getattr(func, "value", None)
    return text(inner) if inner is not None else text(node)
