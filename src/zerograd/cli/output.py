"""Write a report: to stdout or a file, in colour where that is wanted."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from zerograd.reports import View, find_report, summary

if TYPE_CHECKING:
    from pathlib import Path

    from zerograd.findings import Results


def write_report(results: Results, form: str, output: Path | None = None) -> None:
    """Render results in a format, and write them."""
    report = find_report(form)
    if output is not None:
        text = "".join(report.render(results, View()))
        output.write_text(text, encoding="utf-8")
        sys.stderr.write(f"zerograd: report written to {output}\n")
        return
    view = View(color=wants_color(), width=max(40, shutil.get_terminal_size((100, 24)).columns))
    for piece in report.render(results, view):
        sys.stdout.write(piece)
    if not report.HAS_SUMMARY:
        for note in results.notes:
            sys.stderr.write(f"zerograd: {note}\n")
        sys.stderr.write(f"{summary(results)}\n")


def wants_color() -> bool:
    """Tell whether stdout is a terminal that wants colour."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") not in {"dumb", "unknown"}
