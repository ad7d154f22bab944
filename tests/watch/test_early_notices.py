"""A long run says what was found while it goes on; a short one only in its report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.findings import Finding, Location
from zerograd.rules import find_rule
from zerograd.watch.report.early_notices import EarlyNotices

if TYPE_CHECKING:
    import pytest

RULE = find_rule("missing-zero")
FOUND = Finding(
    rule=RULE, severity=RULE.severity, location=Location("train.py", 3), message="found", help=""
)


def test_a_short_run_leaves_everything_to_its_report() -> None:
    said: list[Finding] = []
    notices = EarlyNotices(said.append, patience=3600.0)

    notices.found(FOUND)
    notices.progress()

    assert said == []


def test_a_long_run_says_each_finding_once(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Finding] = []
    notices = EarlyNotices(said.append, patience=60.0)
    notices.found(FOUND)

    monkeypatch.setattr("zerograd.watch.report.early_notices.monotonic", lambda: float("inf"))
    notices.progress()
    notices.progress()

    assert said == [FOUND]


def test_a_run_that_begins_anew_has_nothing_left_to_say() -> None:
    said: list[Finding] = []
    notices = EarlyNotices(said.append, patience=0.0)

    notices.begin()
    notices.progress()

    assert said == []
