"""Print what `zerograd.watch()` finds: the report at the end, and a line early in a long run.

On stderr, because a program's stdout is its own; in a notebook, where stderr looks like failure,
on stdout.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from zerograd.bounded_read import source_lines
from zerograd.findings import Sources
from zerograd.reports import View, find_report, summary
from zerograd.reports.block import block
from zerograd.reports.style import plain
from zerograd.reports.words import headline
from zerograd.watch.report.ipython import shell
from zerograd.watch.report.paths import absolute

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from zerograd.findings import Finding, Results


class NoReport:
    """Says nothing: somebody else reports."""

    def first(self, finding: Finding) -> None:
        """Let it pass."""

    def report(self, results: Results) -> None:
        """Let it pass."""

    def broken(self, sentence: str) -> None:
        """Let it pass."""


class ConsoleReport:
    """Says it in one of the formats, to a stream or a file."""

    def __init__(
        self,
        form: str,
        output: Path | None = None,
        *,
        quiet: bool = False,
        html: Path | None = None,
        silent: bool = False,
    ) -> None:
        self._report = find_report(form)  # now: a mistake is said before the training, not after
        self._drawing = None if html is None else find_report("html")
        self._html = html
        self._output = output
        self._quiet = quiet or silent
        self._silent = silent
        """Only files are written."""

    def first(self, finding: Finding) -> None:
        """Say in one line what was just found."""
        if not self._quiet:
            self._write(f"zerograd: {headline(finding)}\n")

    def report(self, results: Results) -> None:
        """Say everything that was found."""
        title = sys.argv[0] if sys.argv else ""
        view = View(sources=sources(results.findings), color=self._color(), title=title)
        if self._drawing is not None and self._html is not None:
            save(self._html, "".join(self._drawing.render(results, view)))
        if (self._quiet and not results.findings) or (self._silent and self._output is None):
            return
        text = "".join(self._report.render(results, view))
        if self._output is None:
            more = "" if self._report.HAS_SUMMARY else f"{summary(results)}\n"
            self._write(text + more)
        else:
            save(self._output, text)

    def broken(self, sentence: str) -> None:
        """Say that there is nothing to report, because of a mistake of ours."""
        self._write(f"zerograd: {sentence}\n")

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # a program may close its streams
            stream = self._stream()
            stream.write(text)
            stream.flush()

    def _stream(self) -> TextIO:
        return sys.stderr if shell() is None else sys.stdout

    def _color(self) -> bool:
        stream = self._stream()
        return self._output is None and not os.environ.get("NO_COLOR") and stream.isatty()


def save(file: Path, text: str) -> None:
    """Write a report to a file, or leave the one that is there."""
    # Imported here: most reports go to a stream.
    from zerograd.atomic import write_atomically

    write_atomically(file, text.encode())


def sources(findings: Iterable[Finding]) -> Sources:
    """Return where the lines of findings are read: as the interpreter itself finds them."""
    places = [
        place
        for finding in findings
        for place in (finding.location, *(evidence.location for evidence in finding.evidence))
    ]
    texts = {at.path: "".join(source_lines(absolute(at.path))) for at in places}
    return Sources(texts={path: text for path, text in texts.items() if text})


def text_of(findings: Sequence[Finding]) -> str:
    """Return findings with their code frames, as one text without colours."""
    view = View(sources=sources(findings))
    return "\n\n".join("\n".join(block(finding, view, plain)) for finding in findings)
