"""Where in a user's source something is."""

from __future__ import annotations

from zerograd.record import record


@record(frozen=True, order=True)
class Location:
    """A stretch of source: 1-based, columns in code points, the end exclusive."""

    path: str
    """Relative to the working directory where that is possible, with `/`."""

    line: int
    column: int = 1
    end_line: int | None = None
    end_column: int | None = None

    cell: int | None = None
    """The 1-based code cell of a notebook; lines then count within the cell."""

    @property
    def last_line(self) -> int:
        """The last line that the stretch touches."""
        return self.end_line if self.end_line is not None else self.line
