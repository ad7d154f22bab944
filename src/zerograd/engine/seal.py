"""The seal on an open window's accounts: a write to `.grad` between two engine calls shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.engine.interference import AccountSnapshot, refused_here, version_of

if TYPE_CHECKING:
    from torch import Tensor

    from zerograd.engine.books import EngineBooks

SCANNED = 1000
"""Up to so many parameters `check="auto"` looks at every micro-batch: 0.2 us each."""


class Seal:
    """Notices writes that no torch call announces: `p.grad = None`, `p.grad.mul_(2)`.

    Writes through `.data` and numpy move neither identity nor version: they are out of reach.
    """

    def __init__(self, books: EngineBooks, check: str) -> None:
        self._books = books
        if check == "auto":
            check = "micro-batch" if len(books.accounts.parameters) <= SCANNED else "step"
        self.check = check
        self.put_on: AccountSnapshot | None = None
        """What the accounts looked like when the seal was put."""

        self._weights: list[int] = []
        """The versions of the parameters themselves at that time."""

        self._between = list(map(version_of, books.accounts.parameters))
        """The same when the last window closed."""

        self._rewritten: frozenset[int] = frozenset()
        """Parameters that were written before this window's first deposit: `nn.Embedding` with
        max_norm writes its weights in every forward, and in mid-window that is no news."""

    def put(self, *, create_graph: bool) -> None:
        """Seal the accounts after a deposit that leaves the window open."""
        if self.check == "micro-batch":
            books = self._books
            parameters = books.accounts.parameters
            self.put_on = AccountSnapshot(parameters)
            self._weights = list(map(version_of, parameters))
            books.excused = False
            if books.window.deposits == 1:
                self._rewritten = self._written_since(self._between)
        elif self.check == "step" and create_graph:
            self.put_on = None  # each such deposit makes new tensors: identity says nothing
        elif self.check == "step" and self._books.window.deposits == 1:
            self._books.excused = False
            kept = [p for p in self._books.accounts.parameters if _stays(p)]
            self.put_on = AccountSnapshot(kept)

    def lift(self) -> None:
        """Forget the seal; the window is closed or discarded."""
        if self.check == "micro-batch" and self._books.accumulate != 1:
            self._between = list(map(version_of, self._books.accounts.parameters))
        self.put_on = None
        self._books.excused = False

    def is_whole(self) -> bool:
        """Whether it is known that no account moved since the seal was put."""
        sealed = self.put_on
        return sealed is not None and self.check == "micro-batch" and sealed.holds()

    def verify(self, *, closing: bool) -> None:
        """Raise if an account was written since the seal was put."""
        sealed = self.put_on
        if sealed is None or self._books.excused:
            return
        if self.check == "step" and not (closing or self._is_closing()):
            return
        versions = self.check == "micro-batch"
        if sealed.holds(versions=versions):
            if versions and list(map(version_of, sealed.parameters)) != self._weights:
                self._refuse_written_weights(sealed)
            return
        parameter = next(sealed.moved())
        self.put_on = None
        name = self._books.accounts.name(parameter)
        situation = "grad-cleared-in-window" if parameter.grad is None else "grad-written-in-window"
        error = refused_here(situation, self._books, parameter=name)
        if error:
            raise error

    def _is_closing(self) -> bool:
        """Whether the backward that comes now may close the window."""
        accumulate = self._books.accumulate
        return accumulate is not None and (
            self._books.window.micro_batches + 1 >= accumulate or self._books.progress.is_last
        )

    def _refuse_written_weights(self, sealed: AccountSnapshot) -> None:
        """Raise if a parameter itself was written, though it is not written in every forward."""
        for parameter, version in zip(sealed.parameters, self._weights, strict=True):
            if version_of(parameter) == version or id(parameter) in self._rewritten:
                continue
            name = self._books.accounts.name(parameter)
            error = refused_here("weights-written-in-window", self._books, parameter=name)
            if error:
                raise error

    def _written_since(self, before: list[int]) -> frozenset[int]:
        parameters = self._books.accounts.parameters
        if len(before) != len(parameters):  # others joined meanwhile, or nothing is known yet
            return frozenset(map(id, parameters))
        pairs = zip(parameters, before, strict=True)
        return frozenset(id(p) for p, version in pairs if version_of(p) != version)


def _stays(parameter: Tensor) -> bool:
    """Whether further deposits leave this account the tensor that it is.

    torch adds a dense gradient to a sparse one into a new tensor, and a hook of the user's that is
    called after each deposit may put another one there.
    """
    grad = parameter.grad
    return (
        grad is not None
        and not grad.is_sparse
        and not getattr(parameter, "_post_accumulate_grad_hooks", None)
    )
