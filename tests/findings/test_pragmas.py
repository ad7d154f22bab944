"""Pragmas are comments, and each knows the statement that it speaks for."""

from __future__ import annotations

import pytest

from zerograd.findings.pragmas import Pragma, read_pragmas


def only_pragma(text: str) -> Pragma:
    (pragma,) = read_pragmas(text)
    return pragma


def test_a_pragma_knows_its_rules_and_its_place() -> None:
    pragma = only_pragma("loss.backward()  # zerograd: ignore[missing-zero, ZG302]\n")

    assert [rule.text for rule in pragma.rules] == ["missing-zero", "ZG302"]
    assert [rule.column for rule in pragma.rules] == [37, 51]
    assert (pragma.line, pragma.column, pragma.end_column) == (1, 18, 57)
    assert pragma.covers == range(1, 2)


def test_it_may_stand_on_any_line_of_its_statement() -> None:
    pragma = only_pragma("x = 1\nf(\n    a,  # zerograd: ignore[missing-zero]\n    b,\n)\n")

    assert pragma.covers == range(2, 6)


def test_it_may_stand_alone_above_its_statement_with_other_comments() -> None:
    pragma = only_pragma("# zerograd: ignore[ZG101]\n# momentum 1 is meant\nf(\n)\n")

    assert pragma.covers == range(3, 5)


def test_a_blank_line_parts_it_from_what_follows() -> None:
    pragma = only_pragma("# zerograd: ignore[ZG101]\n\nf()\n")

    assert pragma.covers == range(0)


def test_on_a_loop_it_covers_the_header_only() -> None:
    pragma = only_pragma("for x in y:  # zerograd: ignore[ZG101]\n    f()\n")

    assert pragma.covers == range(1, 2)


def test_inside_a_body_it_finds_its_statement_behind_the_indentation() -> None:
    pragma = only_pragma("for x in y:\n    # zerograd: ignore[ZG101]\n    f()\ng()\n")

    assert pragma.covers == range(3, 4)


def test_for_a_file_it_covers_every_line() -> None:
    pragma = only_pragma("# zerograd: ignore-file[ZG101]\n")

    assert 1 in pragma.covers
    assert 100_000 in pragma.covers


def test_for_a_file_it_counts_only_in_the_first_twenty_lines() -> None:
    assert only_pragma("\n" * 19 + "# zerograd: ignore-file[ZG101]\n").covers
    assert not only_pragma("\n" * 20 + "# zerograd: ignore-file[ZG101]\n").covers


def test_it_may_follow_the_pragma_of_another_tool() -> None:
    pragma = only_pragma("f()  # type: ignore[attr-defined]  # zerograd: ignore[ZG101] meant so\n")

    assert [rule.text for rule in pragma.rules] == ["ZG101"]


@pytest.mark.parametrize(
    "text",
    [
        'HELP = "# zerograd: ignore[ZG101]"\n',
        "# write `# zerograd: ignore[ZG101]` on the line\n",
        "f()  # noqa: ZG101\n",
        "# zerograd: see the docs\n",
        "zerograd: int = 1\n",
    ],
)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert read_pragmas(text) == []


def test_those_before_a_syntax_error_are_read() -> None:
    assert len(read_pragmas("# zerograd: ignore-file[ZG001]\nx = (\n")) == 1
