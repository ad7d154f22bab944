"""Decide which findings the user wants: by selection, settings per file, and pragmas."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.bounded_read import source_lines
from zerograd.findings.suppression import Suppression
from zerograd.hooks import torch_parts as capabilities
from zerograd.rules import SeenBy
from zerograd.settings import ignored_in, selected
from zerograd.watch.report.paths import absolute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from zerograd.findings import Finding, Location
    from zerograd.rules import Rule
    from zerograd.settings import Settings


class Admission:
    """Asks of each finding whether the user wants to see it, and which pragmas were needed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._suppressions: dict[str, Suppression] = {}

    def admits(self, finding: Finding) -> bool:
        """Whether to report it; a pragma that silences it is used, wanted or not."""
        if not capabilities.heard(finding.rule.name):
            return False  # judged by half of what it needs to be judged by
        path = finding.location.path
        if not self._suppression(path).silence([finding]):
            return False
        ignored = ignored_in(Path(absolute(path)), finding.rule, self._settings)
        return not ignored and selected(
            finding.rule, finding.severity, self._settings, happened=True
        )

    def unused(self, ran: Iterable[Location]) -> list[Finding]:
        """Return the pragmas that silenced nothing on the lines that ran."""
        lines = {(location.path, location.line) for location in ran}
        found = [
            finding
            for path in sorted({path for path, _ in lines})
            for finding in self._suppression(path).unused(_judge(path, lines))
        ]
        return [finding for finding in found if self.admits(finding)]

    def _suppression(self, path: str) -> Suppression:
        if path not in self._suppressions:
            # As the interpreter shows it in a traceback: a notebook's cell has no file.
            text = "".join(source_lines(absolute(path)))
            self._suppressions[path] = Suppression(path, text)
        return self._suppressions[path]


def _judge(path: str, ran: set[tuple[str, int]]) -> Callable[[Rule, int], bool]:
    """Return the test whether a fault of a rule on a line would have been seen."""
    return lambda rule, line: SeenBy.WATCH in rule.seen and (path, line) in ran
