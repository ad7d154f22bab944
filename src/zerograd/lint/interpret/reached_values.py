"""What the loss of a deposit was computed from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.record import record

if TYPE_CHECKING:
    import ast

    from zerograd.lint.values.value import CallFrame, Key


@record()
class ReachedValues:
    """The modules and tensors behind a loss, and whether all of them were found."""

    atoms: frozenset[Key] | None
    complete: bool
    stopped: str | None = None
    """What cut the graph on some way: `.detach()`, `no_grad`."""

    opaque: bool = False
    """A call on the way may have parameters of its own."""

    unread: bool = False
    """A call on the way is another file's, which was not read: it may return a number."""

    calls: tuple[tuple[ast.Call, CallFrame], ...] = ()
    """Every call that the loss came through."""

    carried: frozenset[Key] = frozenset()
    """Only in dicts and lists that were handed to a call, which may leave them alone."""

    @property
    def surely(self) -> frozenset[Key]:
        """What was reached whatever the calls do with what they are handed."""
        return (self.atoms or frozenset()) - self.carried

    @property
    def whole(self) -> bool:
        """Nothing else can have been reached."""
        return self.complete and not self.opaque
