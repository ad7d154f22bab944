"""Annotations are workflow commands that nothing in a finding can break out of."""

from __future__ import annotations

import pytest
from report_samples import HOSTILE, KEPT, LINT, SOURCES, UNFUSED

from zerograd.findings import Finding, Location, Reach, Results, Sources
from zerograd.reports import View, find_report
from zerograd.rules import find_rule
from zerograd.severity import Severity


def lines(results: Results, view: View | None = None) -> list[str]:
    rendered = find_report("github").render(results, view or View(sources=SOURCES))
    return "".join(rendered).splitlines()


def line(finding: Finding, view: View | None = None) -> str:
    reach = Reach(thing="loop", seen=1, checked=1)
    (only,) = lines(Results(verb="lint", findings=(finding,), reach=reach), view)
    return only


def at(location: Location, message: str = "x") -> Finding:
    return Finding(
        rule=find_rule("missing-zero"),
        severity=Severity.ERROR,
        location=location,
        message=message,
    )


def test_errors_come_first_and_hints_are_notices() -> None:
    commands = [text.split(" ", 1)[0] for text in lines(LINT)]

    assert commands == ["::error", "::error", "::warning", "::notice", "::notice"]


def test_a_path_is_escaped_as_a_property() -> None:
    text = line(at(Location("50%,a:b.py", 1, 2, 1, 5)))

    assert text == (
        "::error file=50%25%2Ca%3Ab.py,line=1,endLine=1,col=2,endColumn=5,"
        "title=ZG101 missing-zero::x"
    )


def test_a_message_is_escaped_as_a_text() -> None:
    text = line(at(Location("a.py", 1), "50% :: a, b"))

    assert text.endswith("::50%25 :: a, b")


def test_a_path_is_seen_from_the_repository() -> None:
    text = line(at(Location("a.py", 1)), View(prefix="src"))

    assert text.startswith("::error file=src/a.py,line=1,")


def test_a_stretch_over_lines_has_no_columns() -> None:
    assert "line=3,endLine=6,title=" in line(KEPT)


def test_a_notebook_has_its_physical_line() -> None:
    assert "file=demo.ipynb,line=16,endLine=16,col=18,endColumn=49," in line(UNFUSED)


def test_a_notebook_that_cannot_be_read_has_no_line() -> None:
    text = line(UNFUSED, View(sources=Sources(texts={"demo.ipynb": ""})))

    assert text.startswith("::notice file=demo.ipynb,title=ZG702")


@pytest.mark.parametrize("text", lines(HOSTILE))
def test_a_hostile_finding_stays_one_command(text: str) -> None:
    properties, _, _ = text.removeprefix("::").partition("::")

    assert text.isprintable()
    assert properties.endswith(("title=ZG101 missing-zero", "title=ZG001 unparsable-file"))
