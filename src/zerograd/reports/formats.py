"""The report formats by name, each in a module of its own that is imported when asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from zerograd.errors import SettingsError
from zerograd.findings import Sources
from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings import Results


@record(frozen=True, kw_only=True)
class View:
    """What a report needs besides the results."""

    sources: Sources = field(default_factory=Sources)
    """Where code frames and the physical lines of notebooks are read."""

    color: bool = False
    """Whether `full` may use ANSI colours; the caller knows whether this is a terminal."""

    width: int = 100
    """Columns for a line of source in a code frame."""

    prefix: str = ""
    """The working directory as seen from the repository's root, with `/`: "training/gan"."""

    quiet: bool = False
    """Whether a format that ends with the notes and the summary leaves them out."""

    title: str = ""
    """What was run or read, as it was typed: "train.py --epochs 2"."""

    live: str = ""
    """The version of a page that asks its server for later ones; empty for one that is complete."""


class Report(Protocol):
    """What a module of this package offers to be a format."""

    HAS_SUMMARY: bool
    """Whether it ends with the summary; where not, the caller says `summary()` on stderr."""

    def render(self, results: Results, view: View) -> Iterator[str]:
        """Yield the report in pieces, whole lines in order; nothing is written here."""
        ...


FORMATS = {
    "full": "zerograd.reports.full",
    "concise": "zerograd.reports.concise",
    "json": "zerograd.reports.json",
    "sarif": "zerograd.reports.sarif",
    "github": "zerograd.reports.github",
    "html": "zerograd.reports.html.report",
    "gitlab": "zerograd.reports.gitlab",
    "junit": "zerograd.reports.junit",
    "rdjson": "zerograd.reports.rdjson",
}


def find_report(name: str) -> Report:
    """Return the report of this name, importing only what it needs."""
    if name not in FORMATS:
        raise SettingsError(f"unknown format {name!r}; choose one of {', '.join(FORMATS)}")
    return cast("Report", import_module(FORMATS[name]))
