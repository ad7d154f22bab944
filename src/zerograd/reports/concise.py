"""`concise`: one line a finding, to grep and to click on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.reports import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings import Finding, Results
    from zerograd.reports.formats import View

HAS_SUMMARY = False


def render(results: Results, view: View) -> Iterator[str]:
    """Yield one line a finding, and nothing else, so that they can be counted."""
    del view
    for finding in results.findings:
        yield f"{words.headline(finding)}{aside(finding)}\n"


def aside(finding: Finding) -> str:
    """Return what a run adds, in parentheses."""
    damage = words.damage_words(finding.damage) if finding.damage else ""
    parts = [part for part in (words.happened(finding), damage) if part]
    return f" ({'; '.join(parts)})" if parts else ""
