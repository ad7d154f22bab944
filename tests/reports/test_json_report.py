"""The JSON report is what the published schema says, also when there is nothing to say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from report_samples import CASES, LINT, NOTHING, WATCH

import zerograd.reports
from zerograd.reports import View, find_report
from zerograd.rules import find_rule
from zerograd.rules.page import read_page

SCHEMA = json.loads(
    (Path(zerograd.reports.__file__).parent / "schema" / "findings-1.json").read_text("utf-8")
)
VALIDATOR = Draft202012Validator(SCHEMA)


def document(case: zerograd.findings.Results) -> Any:
    return json.loads("".join(find_report("json").render(case, View())))


def test_the_published_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("case", CASES)
def test_every_case_is_valid(case: str) -> None:
    assert list(VALIDATOR.iter_errors(document(CASES[case]))) == []


@pytest.mark.parametrize("key", ["code", "fingerprint", "evidence", "damage", "line"])
def test_a_document_without_a_promised_key_is_invalid(key: str) -> None:
    broken = document(LINT)
    del broken["findings"][0][key]

    assert [error.validator for error in VALIDATOR.iter_errors(broken)] == ["required"]


def test_a_key_may_be_added_within_the_version() -> None:
    extended = document(LINT)
    extended["findings"][0]["new"] = 1

    assert list(VALIDATOR.iter_errors(extended)) == []


def test_nothing_found_is_a_document_too() -> None:
    assert document(NOTHING) == {
        "version": 1,
        "findings": [],
        "reach": {
            "thing": "loop",
            "seen": 0,
            "checked": 0,
            "unchecked": [],
            "families": [],
            "withheld": [],
            "unheard": None,
        },
        "rules": [],
    }


def test_a_rule_with_findings_is_explained_once_by_the_text_of_its_page() -> None:
    explained = document(LINT)["rules"]

    codes = [rule["code"] for rule in explained]
    assert codes == sorted({finding["code"] for finding in document(LINT)["findings"]})
    assert explained[codes.index("ZG101")] == {
        "code": "ZG101",
        "name": "missing-zero",
        "fault": find_rule("missing-zero").fault,
        "url": None,
        "page": read_page(find_rule("missing-zero")).text,
    }


def test_keys_come_in_the_order_of_the_schema() -> None:
    finding = document(LINT)["findings"][0]

    assert list(finding) == SCHEMA["$defs"]["finding"]["required"]
    assert list(finding["fix"]) == SCHEMA["$defs"]["fix"]["required"]
    assert list(finding["evidence"][0]) == SCHEMA["$defs"]["evidence"]["required"]


def test_what_a_run_measured_is_told_in_numbers() -> None:
    finding = document(WATCH)["findings"][1]

    assert [finding[key] for key in ("count", "first_step", "last_step", "rank")] == [
        312,
        4,
        1872,
        1,
    ]
    assert finding["damage"] == {
        "ratio": 7.4,
        "peak_ratio": 22.1,
        "cosine": 0.31,
        "worst_cosine": -0.4,
        "measured": 12,
    }


def test_what_is_not_finite_is_null() -> None:
    damage = document(WATCH)["findings"][2]["damage"]

    assert damage["ratio"] is None
    assert damage["cosine"] is None
