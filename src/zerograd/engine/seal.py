"""The seal on an open window's accounts: a write to `.grad` between two engine calls shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.engine.interference import Snapshot, moved, refusal, snapshot

if TYPE_CHECKING:
    from zerograd.engine.books import Books

SCANNED = 1000
"""Up to so many parameters `check="auto"` looks at every micro-batch: 0.2 us each."""


class Seal:
    """Notices writes that no torch call announces: `p.grad = None`, `p.grad.mul_(2)`.

    Writes through `.data` and numpy move neither identity nor version: they are out of reach.
    """

    def __init__(self, books: Books, check: str) -> None:
        self._books = books
        if check == "auto":
            check = "micro-batch" if len(books.accounts.parameters) <= SCANNED else "step"
        self.check = check
        self._sealed: Snapshot = []

    def put(self, *, create_graph: bool) -> None:
        """Seal the accounts after a deposit that leaves the window open."""
        if self.check == "micro-batch":
            self._sealed = snapshot(self._books.accounts.parameters)
            self._books.excused = False
        elif self.check == "step" and create_graph:
            self._sealed = []  # each such deposit makes new tensors: identity says nothing
        elif self.check == "step" and self._books.window.deposits == 1:
            self._books.excused = False
            filled = [p for p in self._books.accounts.parameters if p.grad is not None]
            self._sealed = snapshot(filled)

    def lift(self) -> None:
        """Forget the seal; the window is closed or discarded."""
        self._sealed = []
        self._books.excused = False

    def verify(self, *, closing: bool) -> None:
        """Raise if an account was written since the seal was put."""
        if not self._sealed or (self.check == "step" and not closing):
            return
        parameter = moved(self._sealed, versions=self.check == "micro-batch")
        if parameter is None or self._books.excused:
            return
        self._sealed = []
        name = self._books.accounts.name(parameter)
        cleared = parameter.grad is None
        error = refusal(
            "zero-inside-window" if cleared else "leaked-deposit",
            f".grad of {name} was {'cleared' if cleared else 'written'} in mid-window, noticed",
            self._books,
            "gradients.discard() drops a window"
            if cleared
            else "write gradients in transform=, which sees the finished sum",
        )
        if error:
            raise error
