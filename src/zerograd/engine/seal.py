"""The seal on an open window's accounts: a write to `.grad` between two engine calls shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.engine.interference import Snapshot, moved, refusal, snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

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
        self._parameters: list[Tensor] = []
        self._weights: list[int] = []
        """The parameters when the seal was put, and their versions."""

        self._between = _versions(books.accounts.parameters)
        """The same when the last window closed."""

        self._rewritten: frozenset[int] = frozenset()
        """Parameters that were written before this window's first deposit: `nn.Embedding` with
        max_norm writes its weights in every forward, and in mid-window that is no news."""

    def put(self, *, create_graph: bool) -> None:
        """Seal the accounts after a deposit that leaves the window open."""
        if self.check == "micro-batch":
            parameters = self._parameters = self._books.accounts.parameters
            self._sealed = snapshot(parameters)
            self._weights = _versions(parameters)
            self._books.excused = False
            if self._books.window.deposits == 1:
                self._rewritten = self._written_since(self._between)
        elif self.check == "step" and create_graph:
            self._sealed = []  # each such deposit makes new tensors: identity says nothing
        elif self.check == "step" and self._books.window.deposits == 1:
            self._books.excused = False
            filled = [p for p in self._books.accounts.parameters if p.grad is not None]
            self._sealed = snapshot(filled)

    def lift(self) -> None:
        """Forget the seal; the window is closed or discarded."""
        if self.check == "micro-batch" and self._books.accumulate != 1:
            self._between = _versions(self._books.accounts.parameters)
        self._sealed = []
        self._books.excused = False

    @property
    def is_put(self) -> bool:
        """Whether there is anything to compare with."""
        return bool(self._sealed)

    def is_whole(self) -> bool:
        """Whether no account moved since the seal was put, where versions are looked at."""
        return self.check == "micro-batch" and moved(self._sealed) is None

    def verify(self, *, closing: bool) -> None:
        """Raise if an account was written since the seal was put."""
        if not self._sealed or (self.check == "step" and not closing):
            return
        parameter = moved(self._sealed, versions=self.check == "micro-batch")
        if self._books.excused:
            return
        if parameter is None:
            if self.check == "micro-batch" and _versions(self._parameters) != self._weights:
                self._refuse_written_weights()
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

    def _refuse_written_weights(self) -> None:
        """Raise if a parameter itself was written, though it is not written in every forward."""
        sealed = zip(self._sealed, self._weights, strict=True)
        for (parameter, _, _), version in sealed:
            if parameter._version == version or id(parameter) in self._rewritten:  # noqa: SLF001
                continue
            error = refusal(
                "spent-twice",
                f"{self._books.accounts.name(parameter)} was written in mid-window, so that its "
                "deposits belong to different weights, noticed",
                self._books,
                "write weights between windows, or call gradients.discard() first",
            )
            if error:
                raise error

    def _written_since(self, before: list[int]) -> frozenset[int]:
        parameters = self._books.accounts.parameters
        if len(before) != len(parameters):  # others joined meanwhile, or nothing is known yet
            return frozenset(map(id, parameters))
        pairs = zip(parameters, before, strict=True)
        return frozenset(id(p) for p, version in pairs if p._version != version)  # noqa: SLF001


def _versions(parameters: Sequence[Tensor]) -> list[int]:
    return [parameter._version for parameter in parameters]  # noqa: SLF001
