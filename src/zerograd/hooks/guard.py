"""Guard every entry from torch into a listener.

Our exceptions never reach the training, and our work never reaches a mode of the program.
"""

from __future__ import annotations

from itertools import pairwise
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, TypeAlias

from zerograd.hooks.program_modes import (
    OutsideModes,
    is_fake_mode_on,
    is_function_mode_on,
    is_operation_mode_on,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

Failed: TypeAlias = "Callable[[Exception], None]"
"""Told of a mistake of ours."""


def guarded(
    method: Callable[..., None], failed: Failed | None, *then: Callable[..., None]
) -> Callable[..., None]:
    """Return the same method, which tells its mistakes to `failed` instead of the program.

    A method that raises on purpose, as an engine's refusals do, has no `failed` and stays as it is.
    `then` are called afterwards, here: one frame more above the method would hide the user's line.
    """
    if failed is None:
        return method

    def call(*what: Any) -> None:
        try:
            if is_function_mode_on(None) or is_operation_mode_on():
                # A rehearsal with shapes alone deposits, clears and spends no value.
                if not is_fake_mode_on():
                    with OutsideModes():
                        method(*what)
            else:
                method(*what)
        except Exception as mistake:  # whatever it is, the program must not see it
            failed(mistake)
        for other in then:
            other(*what)

    return call


def is_programs_own(error: BaseException) -> bool:
    """Whether the program raised this itself, in a call that merely happened to interrupt us.

    Python calls a signal handler, and a trace function, in the middle of whatever runs, and hands
    it the very frame that it interrupts. A handler that raises means to stop the program.
    """
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    return any(_was_handed(inner, outer) for outer, inner in pairwise(frames))


def _was_handed(called: FrameType, interrupted: FrameType) -> bool:
    return any(
        value is interrupted or (isinstance(value, tuple) and any(v is interrupted for v in value))
        for value in called.f_locals.values()
    )
