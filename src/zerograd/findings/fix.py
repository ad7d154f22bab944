"""A repair as text edits, and how safe it is to apply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zerograd.rules import Repair


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace one stretch of the source by a text; an empty stretch inserts."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """The edits that repair one finding, in source order and without overlap."""

    safety: Repair
    message: str
    """What the edits do, as an imperative: "move `optimizer.zero_grad()` before the backward"."""

    edits: tuple[Edit, ...]

    cell: int | None = None
    """The notebook cell that the edits count lines in."""
