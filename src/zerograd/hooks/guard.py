"""Guard every entry from torch into a listener: our exceptions never reach the training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

Failed: TypeAlias = "Callable[[Exception], None]"
"""Told of a mistake of ours."""


def guarded(method: Callable[..., None], failed: Failed | None) -> Callable[..., None]:
    """Return the same method, which tells its mistakes to `failed` instead of the program.

    A method that raises on purpose, as an engine's refusals do, has no `failed` and stays as it is.
    """
    if failed is None:
        return method

    def call(*what: Any) -> None:
        try:
            method(*what)
        except Exception as mistake:  # whatever it is, the program must not see it
            failed(mistake)

    return call
