"""`zerograd lint --why-silent`: nobody has to guess why nothing was said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from lint_programs import CLEARED, MISSING_ZERO

from zerograd.cli import main

if TYPE_CHECKING:
    import pytest

pytest_plugins = ["lint_project"]

WINDOW = """\
import torch

model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i, x in enumerate(loader):
    loss = model(x).norm()
    loss.backward()
    if (i + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
"""
KEPT = MISSING_ZERO + "train_on(optimizer)\n"
UNRESOLVED = CLEARED.replace("    optimizer.step()", "    self.optimizer_step(optimizer)")

AGAIN = """\
for _ in range(4):
    optimizer.zero_grad()
    model(torch.randn(5, 3)).pow(2).mean().backward()
    optimizer.step()
"""

NONE = "does not apply: nothing here is about it"


def told(given: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(["lint", "--why-silent", given]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_loop_that_is_right_was_checked_by_every_family_that_applies(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(CLEARED)

    assert told("train.py", capsys) == [
        "train.py:5:1: this loop was followed to its end",
        "    clearing  checked, nothing found",
        f"    windows   {NONE}",
        "    spending  checked, nothing found",
        f"    scaling   {NONE}",
        f"    ranks     {NONE}",
        "    graph     checked, nothing found",
    ]


def test_a_finding_that_was_withheld_names_what_it_lacks(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(WINDOW)

    assert told("train.py", capsys)[2] == (
        "    windows   withheld: unnormalised-window at line 7: "
        "lint could not show that the loss is a mean"
    )


def test_a_finding_that_is_only_a_hint_names_what_it_lacks(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(KEPT)

    assert told("train.py", capsys)[1] == (
        "    clearing  only a hint: missing-zero at line 7: lint could not show that nothing that "
        "cannot be followed was given the optimizer and clears or steps it"
    )


def test_a_finding_that_is_reported_is_listed(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(MISSING_ZERO)

    assert told("train.py", capsys)[1] == "    clearing  error: missing-zero at line 7"


def test_a_loop_that_was_not_followed_says_what_stopped_it(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(UNRESOLVED)

    assert told("train.py", capsys) == [
        "train.py:5:1: this loop was not checked: unresolved `self.optimizer_step`"
    ]


def test_a_line_asks_about_the_loops_around_it(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(CLEARED + AGAIN)

    assert told("train.py:11", capsys)[0] == "train.py:10:1: this loop was followed to its end"
    assert len(told("train.py:11", capsys)) == 7
    assert len(told("train.py", capsys)) == 14


def test_a_line_outside_of_every_loop_is_told_where_they_are(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(CLEARED)

    assert told("train.py:1", capsys) == [
        "no training loop around line 1; the loops begin at line 5"
    ]


def test_a_file_without_a_loop_says_so(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("train.py").write_text("import torch\n")

    assert told("train.py", capsys) == ["no training loop in this file"]


def test_a_file_that_has_a_colon_in_its_name_is_a_file(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py:7").write_text("")
    Path("train.py").write_text(CLEARED)

    assert told("train.py:7", capsys) == ["no training loop in this file"]


def test_other_paths_are_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["lint", "src", "--why-silent", "train.py:7"])

    assert status == 2
    assert (
        "--why-silent takes one file and no other paths: zerograd lint --why-silent train.py:7"
        in capsys.readouterr().err
    )


def test_a_file_that_is_not_there_is_status_two(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", "--why-silent", "gone.py:7"]) == 2


def test_the_summary_says_all_checked_only_where_every_family_was(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(WINDOW)

    main(["lint", "--preview"])

    assert capsys.readouterr().out == (
        "Found nothing; 1 loop: all followed, not judged: windows in 1.\n"
    )


def test_a_rule_that_is_not_wanted_is_not_missed(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(WINDOW)

    main(["lint", "--preview", "--ignore", "unnormalised-window"])

    assert capsys.readouterr().out == "Found nothing; 1 loop: all checked.\n"


def test_json_counts_by_families_and_lists_what_was_withheld(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(WINDOW)

    main(["lint", "--preview", "--format", "json"])

    reach = json.loads(capsys.readouterr().out)["reach"]
    assert reach["families"] == [
        {"name": "clearing", "seen": 1, "checked": 1},
        {"name": "windows", "seen": 1, "checked": 0},
        {"name": "spending", "seen": 1, "checked": 1},
        {"name": "graph", "seen": 1, "checked": 1},
    ]
    assert reach["withheld"] == [
        {
            "rule": "unnormalised-window",
            "lacks": ["the loss is a mean"],
            "reported": None,
            "path": "train.py",
            "cell": None,
            "line": 7,
            "column": 5,
        }
    ]
