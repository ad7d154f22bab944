"""Write a report: to stdout or a file, in colour where that is wanted."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from zerograd.errors import UnreadableError
from zerograd.printable import say
from zerograd.record import replace
from zerograd.reports import View, find_report, summary

if TYPE_CHECKING:
    from pathlib import Path

    from zerograd.findings import Results


def write_report(
    results: Results,
    form: str,
    output: Path | None = None,
    *,
    view: View | None = None,
    quiet: bool = False,
) -> None:
    """Render results in a format, and write them; `quiet` leaves only the report."""
    report = find_report(form)
    view = view or View()
    if output is not None:
        # Imported here: most reports go to stdout.
        from zerograd.atomic import write_atomically

        write_atomically(output, "".join(report.render(results, view)).encode())
        say(f"report written to {output}")
        return
    # Whole, then written: of a report that fails nothing is said.
    pieces = [*report.render(results, replace(view, color=wants_color(), width=width()))]
    for piece in pieces:
        sys.stdout.write(piece)
    if not report.HAS_SUMMARY and not quiet:
        for note in results.notes:
            say(note)
        sys.stderr.write(f"{summary(results)}\n")


def refuse_unwritable(file: Path | None) -> None:
    """Refuse now what would fail when everything has been computed."""
    if file is None:
        return
    target = file if file.exists() else file.parent
    if file.is_dir() or not os.access(target, os.W_OK):
        raise UnreadableError(f"cannot write {file}; name a file in a folder that can be written")


def width() -> int:
    """Return the columns of the terminal, or a hundred where there is none."""
    # As shutil.get_terminal_size, which would load every compression library first.
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return max(40, int(told))
    try:
        return max(40, os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError):
        return 100


def wants_color() -> bool:
    """Tell whether stdout is a terminal that wants colour."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") not in {"dumb", "unknown"}
