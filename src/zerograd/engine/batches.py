"""`batches()`: hands out a loader's batches, and knows the last one before its forward."""

from __future__ import annotations

from threading import get_ident
from typing import TYPE_CHECKING, Any, cast

from zerograd.engine.books import moves
from zerograd.engine.call import where
from zerograd.engine.engine_index import living
from zerograd.engine.interference import AccountSnapshot, refused_here
from zerograd.engine.refusals import refused
from zerograd.engine.register import refuse_ended
from zerograd.engine.resume import generators
from zerograd.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence, Sized

    from zerograd.engine.books import EngineBooks
    from zerograd.engine.window_keeper import WindowKeeper

END = object()

OWN = "own"
"""Where the state of a loader that keeps one lies: it is asked instead of the generators."""


class Batches:
    """One pass over a loader for one or several engines.

    It never steps while it is being closed: a generator's finaliser swallows exceptions, and runs
    before the user's own handlers. `break`, `return` and exceptions leave windows open.
    """

    def __init__(self, loader: Iterable[Any], keepers: Sequence[WindowKeeper]) -> None:
        if not keepers:
            raise ArgumentError(
                "batches() drives engines; write zerograd.batches(loader, gradients)"
            )
        self._loader = loader
        self._keepers = keepers

    def __len__(self) -> int:
        length = _length(self._loader)
        if length is None:
            raise TypeError(f"{type(self._loader).__name__} has no length")
        return length

    def __iter__(self) -> Iterator[Any]:
        for keeper in self._keepers:
            refuse_ended(keeper.books)
            keeper.refuse_inside_micro_batch("batches()")
            _finish_earlier(keeper)
        length = _length(self._loader)
        first = self._agreed_index()
        for keeper in self._keepers:
            keeper.begin_epoch(length, first)
            _refuse_known_tail(keeper, length, first)
        unused = [_Unused(keeper) for keeper in self._keepers if not _has_deposited(keeper)]
        strangers = {id(books): _deposits(books) for books in self._unnamed()}
        source = self._started(length, first)
        driver = object()
        try:
            for index, batch, is_last in source:
                for keeper in self._keepers:
                    keeper.progress.driver = driver
                    keeper.hand_out(index, is_last=is_last)
                yield batch
        finally:
            for keeper in self._keepers:
                if keeper.progress.driver is driver:
                    keeper.progress.leave()
        for keeper in self._keepers:
            keeper.refuse_inside_micro_batch("the end of batches()")
            keeper.end_epoch()
            keeper.progress.exhausted()
            _flush(keeper)
        for engine in unused:
            engine.refuse_bypassed()
        self._refuse_unnamed(strangers)

    def _agreed_index(self) -> int:
        indices = {keeper.progress.index for keeper in self._keepers if keeper.progress.resuming}
        if len(indices) > 1:
            raise ArgumentError(
                "the engines were saved at different batches, between their backwards; save after "
                "the last engine's backward of a batch"
            )
        return indices.pop() if indices else 0

    def _started(self, length: int | None, first: int) -> Iterator[tuple[int, Any, bool]]:
        """Return the batches from `first` on, with whether each is the last."""
        resumed = [keeper.progress for keeper in self._keepers if keeper.progress.resuming]
        ending = (resumed[0].at_checkpoint or generators.capture()) if resumed else None
        start = _opened(self._loader, resumed[0].start if resumed else None)
        for keeper in self._keepers:
            keeper.progress.begin(self._loader, start)
        iterator = iter(self._loader)
        for _ in range(0 if OWN in start else first):
            next(iterator, None)
        if length is None and any(map(_needs_the_end, self._keepers)):
            return self._looking_ahead(iterator, first, ending)
        if ending is not None:
            generators.restore(ending)
        return _counting(iterator, first, length)

    def _looking_ahead(
        self, iterator: Iterator[Any], first: int, ending: dict[str, Any] | None
    ) -> Iterator[tuple[int, Any, bool]]:
        """Draw one batch more than was handed out, which moves the data's random stream."""
        progress = self._keepers[0].progress
        if ending is not None:
            generators.restore(progress.ahead or ending)
        batch = next(iterator, END)
        if ending is not None:
            generators.restore(ending)
        index = first
        while batch is not END:
            # A batch that is drawn and not yet out will have to be drawn again, just so.
            for keeper in self._keepers:
                keeper.progress.ahead = generators.capture()
            following = next(iterator, END)
            yield index, batch, following is END
            batch = following
            index += 1

    def _unnamed(self) -> list[EngineBooks]:
        """Return the other engines of this thread; those of others have loops of their own."""
        named = [keeper.books for keeper in self._keepers]
        here = [books for books in living if books.thread == get_ident()]
        return [books for books in here if all(books is not own for own in named)]

    def _refuse_unnamed(self, before: dict[int, int]) -> None:
        for books in self._unnamed():
            grown = books.window.is_open and _deposits(books) > before.get(id(books), 0)
            if grown and books.progress.driver is None and books.accumulate is not None:
                kinds = ", ".join(type(one).__name__ for one in books.accounts.optimizers)
                raise refused("tail-of-another-engine", where(books.window.last), kinds=kinds)


class _Unused:
    """An engine that never deposited, and its accounts before the first batch."""

    def __init__(self, keeper: WindowKeeper) -> None:
        self._keeper = keeper
        self._before = AccountSnapshot(keeper.books.accounts.parameters)
        self._steps = moves.steps

    def refuse_bypassed(self) -> None:
        """Raise if `loss.backward()` filled its accounts, and nobody spent anything."""
        books = self._keeper.books
        # Whoever steps another optimizer by hand may well send its loss through this model.
        if _has_deposited(self._keeper) or self._steps != moves.steps or not books.touched:
            return
        filled = next((p for p in self._before.moved() if p.grad is not None), None)
        if filled is None:
            return
        name = books.accounts.name(filled)
        error = refused_here("backward-between-windows", books, parameter=name)
        if error:
            raise error


def _has_deposited(keeper: WindowKeeper) -> bool:
    return keeper.windows > 0 or keeper.books.window.is_open or _deposits(keeper.books) > 0


def _deposits(books: EngineBooks) -> int:
    return books.window.earlier + books.window.deposits


def _finish_earlier(keeper: WindowKeeper) -> None:
    """Apply the tail to a window that an earlier loop left open; a restored one is continued."""
    if not keeper.books.window.restored:
        _flush(keeper)
    keeper.books.window.restored = False
    if not keeper.progress.resuming:
        keeper.progress.index = 0
    keeper.progress.leave()


def _flush(keeper: WindowKeeper) -> None:
    """Apply the tail, to a window that is as its last backward left it."""
    with keeper.alone():
        if keeper.books.window.is_open:
            keeper.enter(closing=True)
        keeper.flush(keeper.options.tail)


def _refuse_known_tail(keeper: WindowKeeper, length: int | None, first: int) -> None:
    if keeper.options.tail != "error" or length is None or keeper.books.accumulate is None:
        return
    done = keeper.books.window.micro_batches
    rest = (done + length - first) % keeper.books.accumulate
    if rest:
        accumulate = keeper.books.accumulate
        raise refused("tail-ahead", batches=length, rest=rest, accumulate=accumulate)


def _needs_the_end(keeper: WindowKeeper) -> bool:
    """Whether the last batch must be known before its forward."""
    return keeper.books.accumulate not in (None, 1) and keeper.options.tail == "step"


def _length(loader: object) -> int | None:
    try:
        return len(cast("Sized", loader))
    except (TypeError, NotImplementedError):
        return None


def _opened(loader: Any, saved: dict[str, Any] | None) -> dict[str, Any]:
    """Save where the generators stand before `iter(loader)`, or put them back there."""
    if saved is not None and OWN in saved:
        loader.load_state_dict(saved[OWN])
        return saved
    if saved is not None:
        generators.restore(saved, loader)
        return saved
    return generators.capture(loader)


def _counting(
    iterator: Iterator[Any], first: int, length: int | None
) -> Iterator[tuple[int, Any, bool]]:
    for index, batch in enumerate(iterator, first):
        yield index, batch, length is not None and index == length - 1
