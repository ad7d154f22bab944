"""A rule is found by code, name or prefix, and a wrong one gets the nearest."""

from __future__ import annotations

import pytest

from zerograd.errors import UnknownRuleError
from zerograd.rules import (
    code_prefix,
    exact_rule,
    find_rule,
    matching_rules,
    named_rule,
    suggestion,
)


@pytest.mark.parametrize("text", ["ZG101", "zg101", "missing-zero", "Missing-Zero", "missing-z"])
def test_a_rule_is_found_by_code_name_or_unique_beginning(text: str) -> None:
    assert find_rule(text).name == "missing-zero"


def test_a_rule_is_loaded_by_its_whole_name() -> None:
    assert named_rule("missing-zero") is find_rule("ZG101")


def test_a_beginning_that_two_rules_share_is_refused_with_both() -> None:
    with pytest.raises(UnknownRuleError) as refusal:
        find_rule("never-s")

    assert str(refusal.value) == (
        "'never-s' is the beginning of several rules: never-spent, never-synced"
    )


def test_a_beginning_of_many_rules_is_refused_with_five() -> None:
    with pytest.raises(UnknownRuleError) as refusal:
        find_rule("ZG4")

    assert str(refusal.value) == (
        "'ZG4' is the beginning of several rules: clip-after-step, clip-before-unscale, "
        "clip-before-backward, clip-inside-window, scaler-not-updated, ..."
    )


def test_an_unknown_rule_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownRuleError) as refusal:
        find_rule("mising-zero")

    assert str(refusal.value) == (
        "unknown rule 'mising-zero'; did you mean missing-zero? `zerograd rules` lists them"
    )


def test_the_empty_text_matches_nothing() -> None:
    assert matching_rules("") == ()


def test_an_exact_rule_is_not_found_by_a_part_of_it() -> None:
    assert exact_rule("missing") is None


@pytest.mark.parametrize(
    ("text", "prefix"),
    [("ZG402", "ZG402"), ("zg4", "ZG4"), ("ZG", "ZG"), ("clip-before-unscale", "ZG402")],
)
def test_a_setting_means_a_code_or_the_beginning_of_codes(text: str, prefix: str) -> None:
    assert code_prefix(text) == prefix


@pytest.mark.parametrize("text", ["missing", "ZG9", "Z", "", "ZG1011"])
def test_a_setting_does_not_mean_part_of_a_name_or_codes_that_are_none(text: str) -> None:
    assert code_prefix(text) is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ZG1O1", "did you mean ZG101 or ZG311? `zerograd rules` lists them"),
        ("mising", "did you mean missing-zero? `zerograd rules` lists them"),
        (
            "clip-before",
            (
                "did you mean clip-before-unscale or clip-before-backward? "
                "`zerograd rules` lists them"
            ),
        ),
        ("qqq", "`zerograd rules` lists them"),
    ],
)
def test_the_nearest_rules_are_named_at_most_three_of_them(text: str, sentence: str) -> None:
    assert suggestion(text) == sentence
