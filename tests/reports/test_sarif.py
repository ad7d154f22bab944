"""The SARIF log is what code scanning reads: addresses, flows, fixes and literal messages.

No package ships the standard's schema and it is not ours to copy, so `sarif_shape.json` says in
our own words which part of SARIF 2.1.0 may appear.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError
from report_samples import CASES, CLIP, HOSTILE, KEPT, LINT, NOTEBOOK, SOURCES, UNFUSED, UNUSED
from sarif_pydantic import Sarif

from zerograd.findings import Finding, Fix, Location, Reach, Results, Sources
from zerograd.reports import View, find_report
from zerograd.reports.sarif import LEVELS
from zerograd.rules import find_rule
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

SHAPE = json.loads((Path(__file__).parent / "sarif_shape.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SHAPE)
VIEW = View(sources=SOURCES)


def log(results: Results, view: View = VIEW) -> Any:
    return json.loads("".join(find_report("sarif").render(results, view)))


def result(finding: Finding, view: View = VIEW) -> Any:
    reach = Reach(thing="loop", seen=1, checked=1)
    return log(Results(verb="lint", findings=(finding,), reach=reach), view)["runs"][0]["results"][
        0
    ]


def at(path: str, message: str = "x") -> Finding:
    return Finding(
        rule=find_rule("missing-zero"),
        severity=Severity.ERROR,
        location=Location(path, 1),
        message=message,
    )


def address(finding: Finding, prefix: str = "") -> Any:
    place = result(finding, View(sources=SOURCES, prefix=prefix))["locations"][0]
    return place["physicalLocation"]["artifactLocation"]


def texts(node: Any) -> Iterator[str]:
    """Yield every message text of a log."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if key == "text":
            yield value
        elif isinstance(value, dict | list):
            yield from texts(value)


@pytest.mark.parametrize("case", CASES)
def test_every_case_has_the_shape_of_sarif(case: str) -> None:
    assert list(VALIDATOR.iter_errors(log(CASES[case]))) == []


def test_a_log_of_another_shape_is_noticed() -> None:
    broken = log(LINT)
    broken["runs"][0]["results"][0]["locations"][0]["line"] = 1

    assert [error.validator for error in VALIDATOR.iter_errors(broken)] == ["additionalProperties"]


def test_each_result_points_at_its_rule() -> None:
    run = log(LINT)["runs"][0]
    rules = run["tool"]["driver"]["rules"]

    assert [rules[one["ruleIndex"]]["id"] for one in run["results"]] == [
        one["ruleId"] for one in run["results"]
    ]


def test_a_rule_is_described_once_with_its_page_and_level() -> None:
    rule = log(LINT)["runs"][0]["tool"]["driver"]["rules"][1]

    assert rule["id"] == "ZG101"
    assert "helpUri" not in rule  # nothing is published yet: the page itself is there
    assert rule["help"]["markdown"].startswith("# missing-zero")
    assert rule["defaultConfiguration"] == {"level": "error"}
    assert rule["fullDescription"] == {
        "text": "Deposits on top of gradients that a step already spent."
    }


def test_a_hint_is_a_note() -> None:
    assert result(UNFUSED)["level"] == "note"


def test_the_witness_is_a_code_flow_that_ends_at_the_fault() -> None:
    steps = result(CLIP)["codeFlows"][0]["threadFlows"][0]["locations"]
    lines = [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps]

    assert lines == [4, 6]
    assert steps[0]["location"]["message"] == {"text": "scaled here"}


def test_without_a_witness_there_is_no_code_flow() -> None:
    assert "codeFlows" not in result(KEPT)


def test_the_fingerprint_is_partial_and_left_out_when_there_is_none() -> None:
    assert result(CLIP)["partialFingerprints"] == {"zerograd/v1": CLIP.fingerprint}
    assert "partialFingerprints" not in result(KEPT)


@pytest.mark.parametrize(
    ("path", "prefix", "expected"),
    [
        ("train.py", "", {"uri": "train.py", "uriBaseId": "%SRCROOT%"}),
        ("a b/ü:1.py", "", {"uri": "a%20b/%C3%BC%3A1.py", "uriBaseId": "%SRCROOT%"}),
        ("../train.py", "src/gan", {"uri": "src/train.py", "uriBaseId": "%SRCROOT%"}),
        ("/tmp/a b.py", "src", {"uri": "file:///tmp/a%20b.py"}),
        ("C:/a.py", "src", {"uri": "file:///C:/a.py"}),
    ],
)
def test_an_address_is_relative_to_the_repository(
    path: str, prefix: str, expected: dict[str, str]
) -> None:
    assert address(at(path), prefix) == expected


def test_a_notebook_has_the_physical_line_of_its_cell() -> None:
    region = result(UNFUSED)["locations"][0]["physicalLocation"]["region"]
    line = NOTEBOOK.split("\n")[region["startLine"] - 1]

    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == (
        "SGD(model.parameters(), lr=0.1)"
    )


def test_a_notebook_that_cannot_be_read_has_no_region() -> None:
    place = result(UNFUSED, View(sources=Sources(texts={"demo.ipynb": "{"})))["locations"][0]

    assert "region" not in place["physicalLocation"]


def test_a_fix_is_a_replacement_that_warns_when_it_changes_what_is_computed() -> None:
    (fix,) = result(CLIP)["fixes"]

    assert fix["description"] == {"text": "unscale before the clip (changes what is computed)"}
    assert fix["artifactChanges"][0]["replacements"] == [
        {
            "deletedRegion": {"startLine": 6, "startColumn": 1, "endLine": 6, "endColumn": 1},
            "insertedContent": {"text": "    scaler.unscale_(optimizer)\n"},
        }
    ]


def test_a_safe_fix_does_not_warn() -> None:
    assert result(UNUSED)["fixes"][0]["description"] == {"text": "remove the pragma"}


def test_a_fix_that_is_only_shown_is_left_out() -> None:
    assert isinstance(UNFUSED.fix, Fix)
    assert "fixes" not in result(UNFUSED)


def test_messages_are_neither_placeholders_nor_links() -> None:
    text = result(at("a.py", "`{0}` and [here](1)"))["message"]["text"]

    assert text == "`{{0}}` and [here] (1)"


def test_no_message_of_a_hostile_run_has_a_hidden_character() -> None:
    run = log(HOSTILE)["runs"][0]
    messages = [*texts(run["results"][0]["message"]), *texts(run["invocations"])]

    assert len(messages) == 2
    assert all(message.isprintable() for message in messages)


@pytest.mark.parametrize("case", CASES)
def test_somebody_elses_reader_of_sarif_reads_it_back(case: str) -> None:
    text = "".join(find_report("sarif").render(CASES[case], VIEW))

    (run,) = Sarif.model_validate_json(text).runs

    read = [(one.rule_id, one.level.value) for one in run.results or []]
    written = [(one.rule.code, LEVELS[one.severity]) for one in CASES[case].findings]
    assert read == written


def test_the_reader_refuses_what_is_no_sarif() -> None:
    with pytest.raises(ValidationError):
        Sarif.model_validate_json('{"version": "2.1.0", "runs": [{"results": 7}]}')
