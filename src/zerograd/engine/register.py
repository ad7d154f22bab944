"""The register of living engines: torch is listened to while there is one.

It holds books, never engines: an engine that nobody uses any more dies at once, and its books
are taken out when it does.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from zerograd.engine.books import living, refuse_shared
from zerograd.engine.interference import stand_down, stand_up

if TYPE_CHECKING:
    from zerograd.engine.books import Books


def enrol(engine: object, books: Books) -> None:
    """Enter an engine's books until the engine dies."""
    refuse_shared(books)
    living.append(books)
    stand_up()
    # At exit torch may be half gone; there is nobody left to protect.
    weakref.finalize(engine, _leave, books).atexit = False


def _leave(books: Books) -> None:
    living.remove(books)
    books.release()
    if not living:
        stand_down()
