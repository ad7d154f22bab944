"""Layer: conditions. Tests that mean the same have one form; others do not."""

from __future__ import annotations

import pytest
from layer_programs import Opened

from zerograd.lint.interpret.conditions import Compound, Condition, Leaf, condition, leaves

NAMES = "i, k, a, b = data()\n"


def read(test: str, before: str = NAMES) -> Condition:
    opened = Opened(f"{before}{test}\n", prelude="")
    return condition(opened.last, opened.frame, opened.resolver)


def leaf(test: str, before: str = NAMES) -> Leaf:
    found = read(test, before)
    assert isinstance(found, Leaf)
    return found


SAME = [
    ("a", "a != 0"),
    ("a", "a is not None"),
    ("a", "a == True"),
    ("a", "bool(a)"),
    ("not a", "a == 0"),
    ("not a", "a is None"),
    ("a < b", "b > a"),
    ("a < b", "not (a >= b)"),
    ("a == b", "b == a"),
    ("a == b", "not (a != b)"),
    ("i % k == 0", "not i % k"),
    ("(i + 1) % k == 0", "i % k == k - 1"),
    ("(i + 1) % k == 0", "(1 + i) % k == 0"),
    ("a * b == 0", "b * a == 0"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_spellings_of_one_test_are_one(one: str, other: str) -> None:
    first, second = leaf(one), leaf(other)

    assert (first.key, first.positive) == (second.key, second.positive)


NEGATED = [("a", "not a"), ("a == b", "a != b"), ("a < b", "a >= b"), ("i % k == 0", "i % k")]


@pytest.mark.parametrize(("one", "other"), NEGATED)
def test_a_negated_test_has_the_same_key_and_the_other_sign(one: str, other: str) -> None:
    first, second = leaf(one), leaf(other)

    assert first.key == second.key
    assert first.positive is not second.positive


DIFFERENT = [("a", "b"), ("a < b", "b < a"), ("i % k == 0", "(i + 1) % k == 0"), ("a == b", "a")]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_tests_have_different_keys(one: str, other: str) -> None:
    assert leaf(one).key != leaf(other).key


KNOWN = [
    ("True", True),
    ("__name__ == '__main__'", True),
    ("p.grad is not None", True),
    ("p.grad is None", False),
    ("torch.is_grad_enabled()", True),
    ("torch.isfinite(x)", True),
    ("torch.isnan(x)", False),
    ("loss is not None", True),
    ("a", None),
]


@pytest.mark.parametrize(("test", "answer"), KNOWN)
def test_guards_are_answered_before_any_run(test: str, answer: bool | None) -> None:
    assert leaf(test).known is answer


FORGOTTEN = [("i % k == 0", True), ("f(a)", True), ("a", False), ("len(a) > 1", False)]


@pytest.mark.parametrize(("test", "forgotten"), FORGOTTEN)
def test_what_may_change_with_the_round_is_forgotten_at_its_end(test: str, forgotten: bool) -> None:
    assert leaf(test).forgotten is forgotten


def test_a_name_stands_for_the_test_that_it_was_assigned_from() -> None:
    flag = leaf("last", NAMES + "last = i % k == 0\n")

    assert flag.key == leaf("i % k == 0").key


def test_a_flag_with_none_on_the_other_side_stands_for_its_test() -> None:
    flag = leaf("scaler is not None", NAMES + "scaler = Scaler() if a else None\n")

    assert (flag.key, flag.positive) == (leaf("a").key, leaf("a").positive)


def test_a_name_that_is_assigned_twice_stands_for_itself() -> None:
    flag = leaf("last", NAMES + "last = a\nlast = b\n")

    assert flag.key != leaf("a").key


@pytest.mark.parametrize(
    ("test", "every"),
    [("a and b", True), ("a or b", False), ("not (a or b)", True), ("not (a and b)", False)],
)
def test_negation_turns_and_into_or(test: str, every: bool) -> None:
    found = read(test)

    assert isinstance(found, Compound)
    assert found.every is every


def test_every_comparison_of_a_compound_is_one_leaf() -> None:
    assert len(leaves(read("a and (b or not i)"))) == 3


def test_a_test_too_large_to_compare_is_known_by_its_place_and_asked_anew() -> None:
    large = leaf(" + ".join(["a"] * 200))

    assert large.key == "train.py:@2.0"
    assert large.forgotten
