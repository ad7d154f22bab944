"""Other people's tests, bare and watched: what is compared, without running any."""

from __future__ import annotations

import tomllib

from suites import RECORDED, SuiteFinding, outcome

REPORT = """<testsuites><testsuite>
<testcase classname="tests.a" name="passes" />
<testcase classname="tests.a" name="skips"><skipped /></testcase>
<testcase classname="tests.a" name="breaks"><failure>AssertionError: 1 != 2</failure></testcase>
<testcase classname="tests.a" name="is_found"><failure>tests/a.py:9:5: ZG101 missing-zero: `b`
    9 | b
tests/a.py:12: ZG401 clip-after-step: `c` clips</failure></testcase>
</testsuite></testsuites>"""


def test_findings_are_told_from_failures() -> None:
    ended = outcome("a", REPORT)

    assert ended.passed == {"tests.a::passes"}
    assert ended.findings == {
        SuiteFinding("a", "tests.a::is_found", "ZG101 missing-zero"),
        SuiteFinding("a", "tests.a::is_found", "ZG401 clip-after-step"),
    }


def test_every_finding_on_record_has_a_verdict_and_a_sentence() -> None:
    document = tomllib.loads(RECORDED.read_text("utf-8"))
    suites = {suite["name"] for suite in document["suite"]}

    findings = document["finding"]

    assert findings
    assert {one["suite"] for one in findings} <= suites
    assert {one["verdict"] for one in findings} <= {"true", "false"}
    assert all(one["why"].endswith(".") for one in findings)
