"""The ecosystem check notices every change of findings, and its record is complete."""

from __future__ import annotations

from pathlib import Path

from archives import read_packages
from verdicts import READINGS, Changes, Loud, changes, read_verdicts, told

from zerograd.rules import find_rule

HERE = Loud("gpytorch", "train.py", 12, "spent-twice")
MOVED = Loud("gpytorch", "train.py", 14, "spent-twice")
OTHER = Loud("peft", "train.py", 12, "missing-zero")


def test_the_same_findings_are_no_change() -> None:
    assert not changes([HERE, OTHER], [OTHER, HERE])


def test_a_finding_that_nobody_has_read_is_new() -> None:
    assert changes([HERE], [HERE, OTHER]) == Changes(new=[OTHER])


def test_a_finding_that_is_not_there_any_more_is_gone() -> None:
    assert changes([HERE, OTHER], [HERE]) == Changes(gone=[OTHER])


def test_a_finding_of_the_same_rule_in_the_same_file_has_moved() -> None:
    assert changes([HERE], [MOVED]) == Changes(moved=[(HERE, MOVED)])


def test_the_report_says_what_to_type() -> None:
    lines = list(told(changes([], [OTHER])))

    assert lines == [
        "new      peft: train.py:12: missing-zero",
        "",
        "Read each new finding twice, the second time without the first sentence before you,",
        "and add it to ecosystem/findings.toml (one that is false is a bug of lint):",
        "",
        "[[finding]]",
        'package = "peft"',
        'file = "train.py"',
        "line = 12",
        'rule = "missing-zero"',
        'verdict = ""  # real or false',
        'why = ""',
        'again = ""',
    ]


def test_at_least_thirty_packages_are_pinned_by_hash() -> None:
    packages = read_packages()

    assert len({package.name for package in packages}) == len(packages) >= 30
    assert {len(package.sha256) for package in packages} == {64}


def test_every_recorded_finding_was_read_twice() -> None:
    names = {package.name for package in read_packages()}
    for item in read_verdicts():
        assert item.finding.package in names
        assert find_rule(item.finding.rule).name == item.finding.rule
        assert item.verdict in READINGS
        assert item.why.endswith(".")
        assert item.again.endswith(".")
        assert item.again != item.why


def test_nothing_on_record_is_false() -> None:
    assert [item.finding for item in read_verdicts() if item.verdict == "false"] == []


def test_every_real_finding_is_on_the_page_with_its_line() -> None:
    page = (Path(__file__).parents[2] / "docs" / "ecosystem.md").read_text("utf-8")
    missing = [
        item.finding
        for item in read_verdicts()
        if f"{item.finding.file.partition('/')[2]}:{item.finding.line}" not in page
    ]

    assert missing == []
