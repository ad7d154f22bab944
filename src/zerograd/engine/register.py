"""The register of living engines: torch is listened to while there is one.

It holds books, never engines: an engine that nobody uses any more dies at once, and its books
are taken out when it does.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from zerograd.engine.books import living, refuse_shared
from zerograd.engine.call import where
from zerograd.engine.interference import Interference
from zerograd.engine.scaler_interference import ScalerInterference
from zerograd.errors import LifecycleError
from zerograd.hooks import subscribe, unsubscribe

if TYPE_CHECKING:
    from zerograd.engine.books import Books

LISTENERS = (Interference(), ScalerInterference())
"""They hear what others do; `hooks` tells each one its part."""


def enrol(engine: object, books: Books) -> None:
    """Enter an engine's books until the engine dies."""
    earlier = _predecessors(books)
    refuse_shared(books, except_for=earlier)
    for other in earlier:
        living.remove(other)
        other.retire()
    living.append(books)
    for listener in LISTENERS:
        subscribe(listener)
    # At exit torch may be half gone; there is nobody left to protect.
    weakref.finalize(engine, _leave, books).atexit = False


def _predecessors(books: Books) -> list[Books]:
    """Return the engines that this one replaces: a notebook's cell was run again."""
    owned = set(map(id, books.accounts.optimizers))
    earlier = [other for other in living if owned.issuperset(map(id, other.accounts.optimizers))]
    for other in earlier:
        if other.window.is_open:
            raise LifecycleError(
                "shared-parameter: an earlier engine over this optimizer has an open window, last "
                f"deposited at {where(other.window.last)}; call flush() or discard() of it first",
                code="ZG307",
            )
    return earlier


def _leave(books: Books) -> None:
    if books.retired:
        return
    living.remove(books)
    books.release()
    if not living:
        for listener in LISTENERS:
            unsubscribe(listener)
