"""`junit`: test results, for every CI that shows those: a file is a suite, a finding a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.printable import printable, sentence
from zerograd.reports import words
from zerograd.reports.place import from_root

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings import Finding, Results
    from zerograd.reports.formats import View

HAS_SUMMARY = False

ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


def render(results: Results, view: View) -> Iterator[str]:
    """Yield one document; a run without findings is one test that passed."""
    count = len(results.findings)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="zerograd" tests="{count or 1}" failures="{count}" errors="0">\n'
    suites: dict[str, list[Finding]] = {}
    for finding in results.findings:
        suites.setdefault(finding.location.path, []).append(finding)
    for path, findings in suites.items():
        yield from suite(from_root(path, view.prefix), findings, view)
    if not count:
        yield '  <testsuite name="zerograd" tests="1" failures="0" errors="0">\n'
        said = attribute(words.reach_words(results.reach))
        yield f'    <testcase classname="zerograd {results.verb}" name={said}/>\n'
        yield "  </testsuite>\n"
    yield "</testsuites>\n"


def suite(path: str, findings: list[Finding], view: View) -> Iterator[str]:
    """Yield the findings of one file."""
    name, count = attribute(path), len(findings)
    yield f'  <testsuite name={name} tests="{count}" failures="{count}" errors="0">\n'
    for finding in findings:
        at, rule = finding.location, finding.rule
        place = view.sources.physical(at) or at
        case = attribute(f"{rule.code} {rule.name} ({words.place(at)})")
        yield f'    <testcase classname={name} name={case} file={name} line="{place.line}">\n'
        said = attribute(sentence(finding.message))
        yield f'      <failure type="{finding.severity}" message={said}>{text(finding)}</failure>\n'
        yield "    </testcase>\n"
    yield "  </testsuite>\n"


def text(finding: Finding) -> str:
    """Return what a failure says: the line, what to type, what it did."""
    lines = [words.headline(finding)]
    if finding.help:
        lines.append(f"help: {sentence(finding.help)}")
    if happened := words.happened(finding):
        lines.append(f"happened: {happened}")
    if finding.damage:
        lines.append(f"damage: {words.damage_words(finding.damage)}")
    return escaped("\n".join(lines))


def attribute(value: str) -> str:
    """Return a value in quotes, on one line."""
    return f'"{escaped(printable(value))}"'


def escaped(value: str) -> str:
    """Return a text that is nothing but text in XML, which has no U+FFFE and U+FFFF."""
    known = "".join(ESCAPES.get(one, one) for one in value)
    return known.replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
