"""A repair as text edits, and how safe it is to apply."""

from __future__ import annotations

from zerograd.record import record
from zerograd.rules import Repair


@record(frozen=True, order=True)
class Edit:
    """Replace one stretch of the source by a text; an empty stretch inserts.

    Counted as in `Location`: 1-based, columns in code points, the end exclusive.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@record(frozen=True)
class Fix:
    """The edits that repair one finding in its file, in source order and without overlap."""

    safety: Repair
    message: str
    """What the edits do, as an imperative: "move `optimizer.zero_grad()` before the backward"."""

    edits: tuple[Edit, ...]

    cell: int | None = None
    """The notebook cell that the edits count lines in."""

    @property
    def is_writable(self) -> bool:
        """Whether a command may write it, rather than only show it."""
        return bool(self.edits) and self.safety is not Repair.DISPLAY
