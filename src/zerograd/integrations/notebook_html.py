"""Findings as HTML for a notebook's output, and as text for front ends that show none."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from zerograd.record import replace
from zerograd.reports import View, summary
from zerograd.reports.block import block
from zerograd.watch.process.gather_journals import broken_off, results
from zerograd.watch.report.console_report import sources, text_of
from zerograd.watch.report.run_summary import seen_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zerograd.findings import Finding
    from zerograd.watch.process.session import Session

STYLES = {
    "place": "font-weight:600",
    "error": "font-weight:600;color:#d73a49",
    "warning": "font-weight:600;color:#b08800",
    "hint": "font-weight:600;color:#0a84a5",
    "evidence": "color:#2f7fd6",
    "gutter": "opacity:.55",
    "removed": "color:#d73a49",
    "added": "color:#2f9e54",
    "key": "font-weight:600",
}
"""Colours that can be read on white and on black: a notebook does not say which it is."""

BAR = {"error": "#d73a49", "warning": "#b08800", "hint": "#0a84a5"}
BOX = "border-left:3px solid {};padding:2px 0 2px 10px;margin:6px 0"
PRE = "margin:0;overflow-x:auto;white-space:pre;font-size:12px;line-height:1.45;background:none"

BEGIN, STYLED, END = "\ue000", "\ue001", "\ue002"
"""Around a painted text until all of the line is escaped; they mean nothing in any source."""

PAINTED = re.compile(f"{BEGIN}([a-z]+){STYLED}([^{END}]*){END}")


def shown(findings: Sequence[Finding], closing: str) -> tuple[str, str]:
    """Return findings and a closing sentence, as HTML and as text."""
    boxes = "".join(map(box, findings))
    last = f'<div style="opacity:.7;font-size:12px">zerograd: {escape(closing)}</div>'
    parts = [*([text_of(findings), ""] if findings else []), f"zerograd: {closing}"]
    return f"<div>{boxes}{last}</div>", "\n".join(parts)


def box(finding: Finding) -> str:
    """Return one finding: its lines as a report has them, with the rule's name as a link."""
    lines = list(block(finding, View(sources=sources([finding])), paint))
    url = finding.rule.url
    name = escape(f"{finding.rule.code} {finding.rule.name}")
    first, *rest = map(coloured, lines)
    if url is not None:
        link = f'<a href="{escape(url)}" style="color:inherit" target="_blank">{name}</a>'
        first = first.replace(name, link, 1)
    wrapped = f'<div style="margin-bottom:4px">{first}</div>'
    frame = f'<pre style="{PRE}">' + "\n".join(rest) + "</pre>"
    bar = BOX.format(BAR.get(finding.severity.value, "#888"))
    return f'<div style="{bar}">{wrapped}{frame}</div>'


def paint(text: str, style: str) -> str:
    """Mark a text, to be coloured once the line is escaped."""
    return f"{BEGIN}{style}{STYLED}{text}{END}"


def coloured(line: str) -> str:
    """Return a marked line as HTML.

    >>> coloured("a < " + paint("b", "key"))
    'a &lt; <span style="font-weight:600">b</span>'
    """
    return PAINTED.sub(_span, escape(line, quote=False))


def _span(found: re.Match[str]) -> str:
    return f'<span style="{STYLES.get(found[1], "")}">{found[2]}</span>'


def closing(findings: Sequence[Finding], session: Session, before: int) -> str:
    """Return the sentence that ends every report: how much was found, and in how many steps.

    `before` is how many of the session's steps earlier cells took.
    """
    seen = seen_by(session.fast_path)
    return summary(results(findings, replace(seen, steps=seen.steps - before), ()))


def broken(words: str) -> tuple[str, str]:
    """Return that there is nothing to report, because of a mistake of ours."""
    return shown([], broken_off(f"a bug of ours: {words}"))
