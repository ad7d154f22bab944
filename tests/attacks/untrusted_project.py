"""A project that nobody vetted, and a folder beside it that is none of its business."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from repairable import BROKEN, SETTINGS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory: a project that wants its files repaired."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "zerograd.toml").write_text(SETTINGS)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a folder beside the project, which holds the same program."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "train.py").write_text(BROKEN)
    return folder
