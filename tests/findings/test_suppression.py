"""What pragmas do to findings, and what is said about pragmas."""

from __future__ import annotations

import pytest

from zerograd.findings import Edit, Finding, Location
from zerograd.findings.suppression import Suppression
from zerograd.rules import Rule, SeenBy, find_rule

LOOP = "optimizer.zero_grad()\nloss.backward(){}\noptimizer.step()\n"


def fault(line: int, rule: str = "missing-zero", cell: int | None = None) -> Finding:
    found = find_rule(rule)
    at = Location("train.py", line, cell=cell)
    return Finding(rule=found, severity=found.severity, location=at, message="a fault")


def by_lint(rule: Rule, line: int) -> bool:
    return SeenBy.LINT in rule.seen


@pytest.mark.parametrize("rule", ["missing-zero", "ZG101", "zg101", "spent-twice, ZG101"])
def test_a_pragma_silences_its_rule_by_name_or_code(rule: str) -> None:
    pragmas = Suppression("train.py", LOOP.format(f"  # zerograd: ignore[{rule}]"))

    assert pragmas.silence([fault(2)]) == []


def test_it_silences_neither_another_rule_nor_another_line() -> None:
    pragmas = Suppression("train.py", LOOP.format("  # zerograd: ignore[missing-zero]"))
    others = [fault(2, "spent-twice"), fault(3)]

    assert pragmas.silence(others) == others


def test_in_a_notebook_lines_count_within_the_cell() -> None:
    text = "import torch\n" + LOOP.format("  # zerograd: ignore[missing-zero]")
    pragmas = Suppression("train.ipynb", text, {1: 1, 2: 2})
    there, elsewhere = fault(2, cell=2), fault(1, cell=1)

    assert pragmas.silence([there, elsewhere]) == [elsewhere]


def test_a_pragma_that_silenced_something_is_not_unused() -> None:
    pragmas = Suppression("train.py", LOOP.format("  # zerograd: ignore[missing-zero]"))

    pragmas.silence([fault(2)])

    assert pragmas.unused(by_lint) == []


def test_a_pragma_that_silences_nothing_is_a_hint_with_a_repair() -> None:
    pragmas = Suppression("train.py", LOOP.format("  # zerograd: ignore[missing-zero]"))

    (finding,) = pragmas.unused(by_lint)

    assert finding.rule.name == "unused-ignore"
    assert finding.message == "`missing-zero` silences nothing here"
    assert finding.location == Location("train.py", 2, 18, 2, 50)
    assert finding.fix is not None
    assert finding.fix.edits == (Edit(2, 16, 2, 50, ""),)


def test_of_a_list_only_the_idle_rules_are_taken_out() -> None:
    text = LOOP.format("  # zerograd: ignore[missing-zero, spent-twice]")
    pragmas = Suppression("train.py", text)
    pragmas.silence([fault(2)])

    (finding,) = pragmas.unused(by_lint)

    assert finding.message == "`spent-twice` silences nothing here"
    assert finding.fix is not None
    assert finding.fix.edits == (Edit(2, 18, 2, 63, "# zerograd: ignore[missing-zero]"),)


@pytest.mark.parametrize(
    ("before", "edit"),
    [
        ("f()  # zerograd: ignore[ZG101] meant so\n", Edit(1, 4, 1, 40, "")),
        ("f()  # zerograd: ignore[ZG101]  # noqa\n", Edit(1, 6, 1, 33, "")),
        ("f()  # noqa  # zerograd: ignore[ZG101]\n", Edit(1, 12, 1, 39, "")),
        ("# zerograd: ignore[ZG101]\nf()\n", Edit(1, 1, 2, 1, "")),
        ("f()\n# zerograd: ignore[ZG101]", Edit(2, 1, 2, 26, "")),
    ],
    ids=["with its reason", "before another", "after another", "with its line", "at the end"],
)
def test_a_pragma_goes_with_the_room_that_it_took(before: str, edit: Edit) -> None:
    (finding,) = Suppression("train.py", before).unused(by_lint)

    assert finding.fix is not None
    assert finding.fix.edits == (edit,)


def test_where_not_all_rules_were_judged_nothing_is_called_unused() -> None:
    text = LOOP.format("  # zerograd: ignore[missing-zero, low-precision-window]")

    assert Suppression("train.py", text).unused(by_lint) == []


def test_a_file_pragma_too_far_down_is_told_why() -> None:
    text = "\n" * 30 + "# zerograd: ignore-file[missing-zero]\n"

    (finding,) = Suppression("train.py", text).unused(by_lint)

    assert finding.message == "`ignore-file` is read only in the first 20 lines"


def test_a_pragma_may_allow_being_unused() -> None:
    text = LOOP.format("  # zerograd: ignore[missing-zero, unused-ignore]")

    assert Suppression("train.py", text).unused(by_lint) == []


@pytest.mark.parametrize(
    ("pragma", "message"),
    [
        (
            "ignore[missing-zer]",
            "unknown rule `missing-zer`; did you mean missing-zero? `zerograd rules` lists them",
        ),
        ("ignore[ZG999]", "unknown rule `ZG999`; `zerograd rules` lists them"),
        (
            "ignore[ZG40]",
            "`ZG40` is the beginning of 8 rules; a pragma names each one it means",
        ),
        (
            "ignore",
            "`ignore` names no rule; write `ignore[missing-zero]`, or another rule",
        ),
        (
            "ignore-file[]",
            "`ignore-file` names no rule; write `ignore-file[missing-zero]`, or another rule",
        ),
        (
            "allow[missing-zero]",
            "unknown pragma `allow`; write `# zerograd: ignore[missing-zero]`",
        ),
    ],
)
def test_a_pragma_that_means_no_rule_is_told_what_to_write(pragma: str, message: str) -> None:
    (finding,) = Suppression("train.py", f"f()  # zerograd: {pragma}\n").unknown()

    assert finding.rule.name == "unknown-ignore"
    assert finding.message == message


def test_a_pragma_on_a_notebook_is_placed_in_its_cell() -> None:
    text = "import torch\nf()  # zerograd: ignore\n"

    (finding,) = Suppression("train.ipynb", text, {1: 1, 2: 2}).unknown()

    assert (finding.location.cell, finding.location.line) == (2, 1)
