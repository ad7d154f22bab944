"""What a rule says of itself follows from its code, its name and what it found."""

from __future__ import annotations

import pytest

from zerograd.record import replace
from zerograd.rules import SECTIONS, Status, find_rule
from zerograd.rules.catalogue import CATALOGUE

MISSING_ZERO = find_rule("missing-zero")


@pytest.mark.parametrize(
    ("real", "false", "status"),
    [
        (0, 0, Status.PREVIEW),
        (1, 0, Status.STABLE),
        (1, 1, Status.STABLE),
        (30, 2, Status.PREVIEW),
    ],
)
def test_a_rule_is_stable_once_it_found_a_real_bug_and_is_seldom_false(
    real: int, false: int, status: Status
) -> None:
    rule = replace(MISSING_ZERO, real=real, false=false)

    assert rule.status is status


def test_a_rule_on_files_is_stable_by_itself() -> None:
    assert find_rule("unparsable-file").status is Status.STABLE


def test_a_rule_knows_its_section_module_and_page() -> None:
    assert MISSING_ZERO.section == 1
    assert MISSING_ZERO.module == "missing_zero"
    assert MISSING_ZERO.url is None


def test_a_published_rule_has_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zerograd.rules.rule.HOME", "https://docs.example/zerograd")

    assert MISSING_ZERO.url == "https://docs.example/zerograd/rules/missing-zero.html"


def test_every_section_has_rules_and_every_rule_its_section() -> None:
    assert {rule.section for rule in CATALOGUE} == set(SECTIONS)
