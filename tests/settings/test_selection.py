"""Which findings are wanted: the more specific wins, and some must be asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from zerograd.rules import find_rule
from zerograd.settings import Settings, excluded, ignored_in, selected
from zerograd.severity import Severity

ROOT = Path("/project")


def wanted(name: str, severity: Severity = Severity.ERROR, **settings: object) -> bool:
    """Tell whether a finding of this rule is selected, with preview on unless told otherwise."""
    values = {"preview": True} | settings
    return selected(find_rule(name), severity, Settings(**values))  # type: ignore[arg-type]  # any field


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        (("ZG",), (), True),
        ((), (), False),
        (("ZG1",), (), True),
        (("ZG2",), (), False),
        (("ZG",), ("ZG1",), False),
        (("ZG101",), ("ZG1",), True),
        (("ZG1",), ("ZG101",), False),
        (("ZG10",), ("ZG1",), True),
        (("ZG101",), ("ZG101",), False),
    ],
)
def test_the_more_specific_code_wins_and_between_equals_ignore(
    select: tuple[str, ...], ignore: tuple[str, ...], expected: bool
) -> None:
    assert wanted("missing-zero", select=select, ignore=ignore) is expected


def test_extend_select_adds_to_select() -> None:
    assert wanted("missing-zero", select=("ZG2",), extend_select=("ZG1",))


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, False),
        ({"hints": True}, True),
        ({"select": ("ZG7",)}, False),
        ({"select": ("ZG702",)}, True),
        ({"extend_select": ("ZG702",)}, True),
        ({"extend_select": ("ZG702",), "ignore": ("ZG702",)}, False),
    ],
)
def test_a_hint_is_dropped_unless_hints_are_on_or_its_rule_is_named(
    settings: dict[str, object], expected: bool
) -> None:
    assert wanted("unfused-optimizer", Severity.HINT, **settings) is expected


def test_a_hint_of_a_rule_that_can_be_an_error_is_dropped_too() -> None:
    assert not wanted("wrong-divisor", Severity.HINT)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, False),
        ({"preview": True}, True),
        ({"select": ("ZG5",)}, False),
        ({"select": ("ZG502",)}, True),
    ],
)
def test_a_rule_in_preview_is_dropped_unless_preview_is_on_or_it_is_named(
    settings: dict[str, object], expected: bool
) -> None:
    assert wanted("ranks-diverge", Severity.ERROR, **{"preview": False} | settings) is expected


def test_what_happened_in_a_run_needs_no_preview() -> None:
    rule = find_rule("ranks-diverge")

    assert selected(rule, Severity.WARNING, Settings(), happened=True)
    assert not selected(rule, Severity.WARNING, Settings(), happened=False)


def test_a_hint_about_a_run_still_needs_preview() -> None:
    rule = find_rule("ranks-diverge")

    assert not selected(rule, Severity.HINT, Settings(hints=True), happened=True)


def test_a_stable_rule_needs_no_preview() -> None:
    assert wanted("unparsable-file", Severity.WARNING, preview=False)


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("tests", "tests/test_a.py", True),
        ("tests/", "tests/test_a.py", True),
        ("tests", "pkg/tests/deep/test_a.py", True),
        ("tests", "attests/a.py", False),
        ("/tests", "tests/a.py", True),
        ("/tests", "pkg/tests/a.py", False),
        ("conftest.py", "pkg/conftest.py", True),
        ("test_*.py", "pkg/test_a.py", True),
        ("pkg/*", "pkg/deep/a.py", True),
        ("pkg/*.py", "pkg/deep/a.py", False),
        ("pkg/**/a.py", "pkg/a.py", True),
        ("pkg/**/a.py", "pkg/x/y/a.py", True),
        ("**/x/a.py", "pkg/x/a.py", True),
        ("pkg/**", "pkg/x/a.py", True),
        ("?.py", "a.py", True),
        ("?.py", "ab.py", False),
        ("a.py", "axpy", False),
        ("run_[0-9].py", "run_3.py", True),
        ("run_[0-9].py", "run_x.py", False),
        ("run_[!0-9].py", "run_x.py", True),
        ("run_[!0-9].py", "run_3.py", False),
        ("*_[ab]*.py", "x_b1.py", True),
        ("[\\^&].py", "^.py", True),
        ("[*].py", "a.py", False),
    ],
)
def test_a_rule_is_ignored_in_the_files_that_a_pattern_covers(
    pattern: str, path: str, expected: bool
) -> None:
    settings = Settings(per_file_ignores=((pattern, ("ZG1",)),), folder=ROOT)

    assert ignored_in(ROOT / path, find_rule("missing-zero"), settings) is expected


def test_a_pattern_ignores_only_the_rules_that_it_names() -> None:
    settings = Settings(per_file_ignores=(("tests", ("ZG1",)),), folder=ROOT)

    assert not ignored_in(ROOT / "tests/a.py", find_rule("tail-leaks"), settings)


def test_a_pattern_covers_names_outside_the_settings_folder() -> None:
    settings = Settings(per_file_ignores=(("tests", ("ZG1",)),), folder=ROOT)

    assert ignored_in(Path("/elsewhere/tests/a.py"), find_rule("missing-zero"), settings)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".venv/lib/a.py", True),
        ("pkg/node_modules/a.py", True),
        ("third_party/a.py", True),
        ("pkg/a.py", False),
    ],
)
def test_what_is_no_source_and_what_the_user_adds_is_excluded(path: str, expected: bool) -> None:
    settings = Settings(extend_exclude=("third_party",), folder=ROOT)

    assert excluded(ROOT / path, settings) is expected


def test_exclude_takes_the_place_of_what_is_excluded_by_itself() -> None:
    settings = Settings(exclude=("third_party",), folder=ROOT)

    assert not excluded(ROOT / "build/a.py", settings)
