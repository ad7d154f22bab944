"""What is held back is counted: findings of rules in preview, and repairs that are not shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lint_programs import CLEARED, MISSING_ZERO

from zerograd.cli import main

if TYPE_CHECKING:
    import pytest

pytest_plugins = ["lint_project"]

ORPHAN = """\
import torch
trunk, head = torch.nn.Linear(3, 2), torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(trunk.parameters(), lr=0.1, fused=True)
head.train()
for x in [torch.randn(4, 3)] * 16:
    optimizer.zero_grad()
    head(trunk(x)).pow(2).mean().backward()
    optimizer.step()
torch.save(head.state_dict(), "head.pt")
"""


def test_a_finding_of_a_rule_in_preview_is_counted_and_nothing_is_called_all_checked(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(ORPHAN)

    status = main(["lint", "train.py"])

    said = "Found nothing; 1 more with `--preview`; 1 loop: all followed.\n"
    assert status == 0
    assert capsys.readouterr().out == said


def test_with_preview_nothing_is_hidden(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("train.py").write_text(ORPHAN)

    main(["lint", "--preview", "train.py"])

    assert "more with" not in capsys.readouterr().out


def test_a_correct_file_is_all_checked(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("train.py").write_text(CLEARED)

    main(["lint", "train.py"])

    assert capsys.readouterr().out == "Found nothing; 1 loop: all checked.\n"


def test_a_difference_of_unsafe_repairs_only_says_how_to_see_it(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(MISSING_ZERO)

    status = main(["lint", "--diff", "train.py"])

    captured = capsys.readouterr()
    assert status == 0
    assert captured.out == ""
    assert captured.err == (
        "zerograd: 1 repair changes what is computed: "
        "`zerograd lint --unsafe-fixes --diff` shows it\n"
    )


def test_a_difference_that_is_shown_is_not_called_hidden(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(MISSING_ZERO)

    main(["lint", "--unsafe-fixes", "--diff", "train.py"])

    assert "what is computed" not in capsys.readouterr().err
