"""The register of living engines: torch is listened to while there is one.

It holds books, never engines: an engine that nobody uses any more dies at once, and its books
are taken out when it does.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from zerograd.engine.call import where
from zerograd.engine.engine_index import by_parameter, by_scaler, enter, leave, living, owners
from zerograd.engine.interference import Interference
from zerograd.engine.refusals import refused
from zerograd.engine.scaler_interference import ScalerInterference
from zerograd.errors import ArgumentError, LifecycleError
from zerograd.hooks import subscribe, unsubscribe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor

    from zerograd.engine.books import EngineBooks

LISTENERS = (Interference(), ScalerInterference())
"""They hear what others do; `hooks` tells each one its part."""

REPLACED = "another-engine-followed"
CLOSED = "this engine was closed, by close() or at the end of its with block; make a new one"


def enrol(engine: object, books: EngineBooks) -> None:
    """Enter an engine's books until the engine dies, in the place of earlier ones."""
    earlier = owners(books.accounts.parameters)
    for other in earlier:
        _refuse_open(books, other)
    _refuse_shared_scaler(books, earlier)
    for other in earlier:
        end(other, REPLACED)
    enter(books)
    _listen()
    # At exit torch may be half gone; there is nobody left to protect.
    weakref.finalize(engine, end, books, CLOSED).atexit = False


def _listen() -> None:
    for listener in LISTENERS:
        subscribe(listener)


def end(books: EngineBooks, reason: str) -> None:
    """Take an engine's books out for good."""
    if books.ended is not None:
        return
    books.ended = reason
    leave(books)
    books.release()
    books.accounts.forget()
    if not living:
        for listener in LISTENERS:
            unsubscribe(listener)
        if living:  # another thread has made an engine meanwhile
            _listen()


def refuse_ended(books: EngineBooks) -> None:
    """Refuse an engine that was closed, or whose parameters belong to a later one."""
    if books.ended is None:
        return
    books.accounts.forget()
    raise refused(REPLACED) if books.ended is REPLACED else LifecycleError(books.ended)


def refuse_shared(books: EngineBooks, joined: Iterable[Tensor]) -> None:
    """Refuse a parameter that joins an engine while another one owns it."""
    for parameter in joined:
        if id(parameter) in by_parameter:
            raise refused("two-engines", parameter=books.accounts.name(parameter))


def _refuse_open(books: EngineBooks, other: EngineBooks) -> None:
    """Refuse to take over an open window: a notebook's cell was interrupted and run again."""
    if not other.window.is_open:
        return
    shared = next(p for p in books.accounts.parameters if id(p) in other.accounts.ids)
    raise refused(
        "another-engine-is-open",
        parameter=books.accounts.name(shared),
        last=where(other.window.last),
    )


def _refuse_shared_scaler(books: EngineBooks, earlier: list[EngineBooks]) -> None:
    other = by_scaler.get(id(books.scaler))
    if books.scaler is not None and other is not None and all(other is not one for one in earlier):
        raise ArgumentError(
            "this scaler already belongs to another engine, and two windows under one scale "
            "spend wrong sums; give each engine a torch.amp.GradScaler of its own, or close() "
            "the other one first"
        )
