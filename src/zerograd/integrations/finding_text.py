"""Findings as one text with their code frames, for a log or a test's output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.reports import View
from zerograd.reports.block import block
from zerograd.reports.style import plain
from zerograd.watch.report.console_report import sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zerograd.findings import Finding


def text_of(findings: Sequence[Finding]) -> str:
    """Return findings with their code frames."""
    view = View(sources=sources(findings))
    return "\n\n".join("\n".join(block(finding, view, plain)) for finding in findings)
