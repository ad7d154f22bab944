"""The reports for GitLab, for test results and for Reviewdog, read back as those read them."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from report_samples import CASES, HOSTILE, LINT, SOURCES

from zerograd.findings import Edit, Finding, Fix, Location, Reach, Results, Sources
from zerograd.reports import View, find_report
from zerograd.rules import Repair, find_rule
from zerograd.severity import Severity

VIEW = View(sources=SOURCES)
NOTHING = Results(verb="lint", findings=(), reach=Reach(thing="loop", seen=2, checked=2))


def text(form: str, results: Results, view: View = VIEW) -> str:
    return "".join(find_report(form).render(results, view))


def single(**changes: Any) -> Results:
    values: dict[str, Any] = {
        "rule": find_rule("missing-zero"),
        "severity": Severity.ERROR,
        "location": Location("train.py", 1, 5, 1, 9),
        "message": "x",
    }
    finding = Finding(**(values | changes))
    return Results(verb="lint", findings=(finding, finding), reach=NOTHING.reach)


def test_gitlab_gets_a_list_with_the_keys_that_it_needs() -> None:
    issues = json.loads(text("gitlab", LINT, View(sources=SOURCES, prefix="training")))

    assert len(issues) == len(LINT.findings)
    assert issues[0].keys() == {
        "description",
        "check_name",
        "fingerprint",
        "severity",
        "location",
    }
    assert {one["severity"] for one in issues} == {"critical", "major", "info"}
    assert issues[0]["location"]["path"].startswith("training/")
    assert issues[0]["location"]["lines"]["begin"] > 0


def test_gitlab_takes_no_two_findings_for_one() -> None:
    first, second = json.loads(text("gitlab", single()))

    assert first["fingerprint"] != second["fingerprint"]


def test_a_run_that_found_nothing_has_its_document_too() -> None:
    assert json.loads(text("gitlab", NOTHING)) == []
    assert json.loads(text("rdjson", NOTHING))["diagnostics"] == []
    (passed,) = ET.fromstring(text("junit", NOTHING)).iter("testcase")
    assert (passed.get("name"), len(passed)) == ("2 loops: all checked", 0)


@pytest.mark.parametrize("case", CASES)
def test_every_finding_is_one_failed_test(case: str) -> None:
    results = CASES[case]
    suites = ET.fromstring(text("junit", results))

    failures = list(suites.iter("failure"))

    assert len(failures) == len(results.findings)
    assert suites.get("failures") == str(len(results.findings))
    assert sum(int(one.get("tests", 0)) for one in suites) == max(len(results.findings), 1)


def test_xml_that_no_reader_accepts_is_not_written() -> None:
    written = text("junit", single(message='a < b & "c" \ufffe\uffff \x00 ]]>', help="<b/>"))

    failure = next(ET.fromstring(written).iter("failure"))

    assert failure.get("message") == 'a < b & "c" \\ufffe\\uffff \\x00 ]]>'
    assert "help: <b/>" in str(failure.text)


def test_reviewdog_counts_columns_in_bytes() -> None:
    sources = Sources(texts={"train.py": "é = loss.backward()\n"})

    found = json.loads(text("rdjson", single(), View(sources=sources)))["diagnostics"][0]

    assert found["location"] == {
        "path": "train.py",
        "range": {"start": {"line": 1, "column": 6}, "end": {"line": 1, "column": 10}},
    }
    assert found["code"] == {"value": "ZG101"}
    assert found["severity"] == "ERROR"


def test_reviewdog_suggests_a_repair_of_one_edit_and_no_part_of_a_larger_one() -> None:
    edit = Edit(1, 1, 1, 1, "optimizer.zero_grad()\n")

    def suggested(*edits: Edit, safety: Repair = Repair.UNSAFE) -> Any:
        results = single(fix=Fix(safety, "insert", edits))
        return json.loads(text("rdjson", results))["diagnostics"][0].get("suggestions")

    start = {"line": 1, "column": 1}
    assert suggested(edit) == [{"range": {"start": start, "end": start}, "text": edit.text}]
    assert suggested(edit, Edit(3, 1, 4, 1, "")) is None
    assert suggested(edit, safety=Repair.DISPLAY) is None


@pytest.mark.parametrize("form", ["gitlab", "rdjson"])
def test_hostile_names_come_out_as_ascii(form: str) -> None:
    assert text(form, HOSTILE).isascii()
