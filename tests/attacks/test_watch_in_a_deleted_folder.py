"""A program may delete the folder that it runs in; what it calls of ours works without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

import zerograd
from zerograd.engine.call import place
from zerograd.settings.place import shown

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> torch.nn.Linear:
    """A model in a process whose working directory does not exist."""
    torch.optim.SGD([torch.zeros(1)])  # torch itself wants a folder when it builds its first one
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    return torch.nn.Linear(3, 1)


def test_a_training_is_watched(model: torch.nn.Linear) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    with zerograd.watch(report=False) as watching:
        for _ in range(3):
            model(torch.ones(2, 3)).mean().backward()
            optimizer.step()

    assert [finding.rule.name for finding in watching.findings] == ["missing-zero"]


@pytest.mark.usefixtures("model")
def test_lines_and_settings_are_shown_by_their_whole_path(tmp_path: Path) -> None:
    line, settings = place(str(tmp_path / "train.py"), 3), shown(tmp_path / "zerograd.toml")

    assert (line, settings) == (f"{tmp_path}/train.py:3", f"{tmp_path}/zerograd.toml")
