"""Formats are found by name, and each imports only what it needs."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from zerograd.errors import SettingsError
from zerograd.findings import Reach, Results
from zerograd.reports import (
    FORMATS,
    View,
    concise,
    find_report,
    full,
    github,
    gitlab,
    json,
    junit,
    rdjson,
    sarif,
    summary,
)
from zerograd.reports.html import report

if TYPE_CHECKING:
    from zerograd.reports import Report

NOTHING = Results(verb="lint", findings=(), reach=Reach(thing="loop", seen=0, checked=0))

# mypy checks here that each module is a Report.
MODULES: dict[str, Report] = {
    "full": full,
    "concise": concise,
    "json": json,
    "sarif": sarif,
    "github": github,
    "html": report,
    "gitlab": gitlab,
    "junit": junit,
    "rdjson": rdjson,
}

PROGRAM = """
import sys
from zerograd.findings import Finding, Location, Reach, Results
from zerograd.severity import Severity
from zerograd.reports import View, find_report
from zerograd.rules import find_rule

finding = Finding(
    rule=find_rule("ZG101"), severity=Severity.ERROR, location=Location("a.py", 1), message="x"
)
reach = Reach(thing="loop", seen=1, checked=1)
results = Results(verb="lint", findings=(finding,), reach=reach)
"".join(find_report(sys.argv[1]).render(results, View(color=True)))
print(*sorted({"json", "rich", "torch", "click"} & set(sys.modules)))
"""


def loaded(form: str) -> list[str]:
    command = [sys.executable, "-c", PROGRAM, form]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_every_format_is_found_by_its_name() -> None:
    assert {name: find_report(name) for name in FORMATS} == MODULES


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError) as refused:
        find_report("xml")

    assert str(refused.value) == (
        "unknown format 'xml'; choose one of full, concise, json, sarif, github, html, gitlab, "
        "junit, rdjson"
    )


@pytest.mark.parametrize("form", ["full", "concise", "github", "junit"])
def test_a_report_for_people_loads_neither_rich_nor_json(form: str) -> None:
    assert loaded(form) == []


def test_a_report_for_programs_is_seen_to_load_json() -> None:
    assert loaded("sarif") == ["json"]


def test_only_the_full_report_ends_with_the_summary() -> None:
    ends = {name for name, report in MODULES.items() if report.HAS_SUMMARY}
    last = list(full.render(NOTHING, View()))[-1]

    assert ends == {"full"}
    assert last == f"{summary(NOTHING)}\n"
