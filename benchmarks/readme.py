"""README's table of measured figures, taken from benchmarks/RESULTS.md and never typed.

    python benchmarks/readme.py

writes it anew between its two marks. What has not been measured yet is left out, and said.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from asked import ASKED, cells_of
from results import RESULTS, sections

if TYPE_CHECKING:
    from collections.abc import Iterator

README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- begin measured -->\n", "<!-- end measured -->\n"
CONTROL = re.compile(r"A/A")
"""How the row of a control is recognised, whatever is measured again."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of README's table, and where its number stands."""

    what: str
    beside: str
    section: str
    table: str
    """How the heading of its table begins; "" is the section's first table."""

    row: str
    column: str


HAND = "hand-written loop"
FIGURES = (
    Figure("`Gradients`, tiny MLP", HAND, "engine", "tiny MLP (", "engine", "quiet"),
    Figure("… clipped", HAND, "engine", "tiny MLP, clip", "engine", "quiet"),
    Figure("… 10 M transformer, clipped", HAND, "engine", "10 M", "engine", "quiet"),
    Figure("… two ranks", "plain DDP", "ranks", "windows of 4", "engine", "median"),
    Figure(
        "`zerograd watch`, tiny MLP", "bare run", "watch", "tiny MLP", "zerograd watch", "quiet"
    ),
    Figure("`zerograd lint`, installed packages", "ruff on them", "lint", "", "lint", "median"),
)
"""The few that answer "what does it cost?"; RESULTS.md has the others, and the peers."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table in RESULTS.md."""

    table: str
    name: str
    cells: dict[str, str]


def rows(section: str) -> Iterator[Row]:
    """Yield the rows of all tables of a section, each with the heading above its table."""
    heading, columns = "", [""]
    for line in section.splitlines():
        cells = cells_of(line)
        if line.startswith("### "):
            heading = line.removeprefix("### ")
        elif not line.startswith("|"):
            columns = [""]
        elif columns == [""]:
            columns = cells
        elif not line.startswith("|--"):
            yield Row(heading, cells[0], dict(zip(columns[1:], cells[1:], strict=False)))


def found(figure: Figure, measured: dict[str, str]) -> tuple[str, str, str] | None:
    """Return a figure, the A/A control of its table and what was asked, if it was measured."""
    near = [
        row
        for row in rows(measured.get(figure.section, ""))
        if row.table.startswith(figure.table) and figure.column in _names(row)
    ]
    own = next((row for row in near if row.name.startswith(figure.row)), None)
    if own is None:
        return None
    control = next((row for row in near if CONTROL.search(row.name)), own)
    asked = own.cells.get(ASKED, "")
    return _cell(own, figure.column), _cell(control, figure.column), asked and f"{ASKED} {asked}"


def _names(row: Row) -> list[str]:
    return [name.split(" ")[0] for name in row.cells]


def _cell(row: Row, column: str) -> str:
    return next(cell for name, cell in row.cells.items() if name.split(" ")[0] == column)


def table(measured: dict[str, str]) -> str:
    """Return README's table."""
    lines = ["| time of | beside | ratio | A/A | asked |", "|---|---|--:|--:|---|"]
    for figure in FIGURES:
        numbers = found(figure, measured)
        if numbers is not None:
            lines.append(f"| {figure.what} | {figure.beside} | {' | '.join(numbers)} |")
    return "\n".join(lines) + "\n"


def with_table(text: str, measured: dict[str, str]) -> str:
    """Return README with the table of what was measured."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table(measured)}{END}{after}"


def main() -> None:
    """Write the table, and say what is missing in it."""
    measured = sections(RESULTS.read_text("utf-8"))
    README.write_text(with_table(README.read_text("utf-8"), measured), "utf-8")
    for figure in FIGURES:
        if found(figure, measured) is None:
            print(f"zerograd: {figure.section} has not measured {figure.row}", file=sys.stderr)


if __name__ == "__main__":
    main()
