"""A project to lint: fixtures for a folder of its own, in which the test runs."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that is the working directory."""
    monkeypatch.chdir(tmp_path)
    # A repository around the temporary folder must not lend its settings or its ignores.
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    return tmp_path


@pytest.fixture
def repository(here: Path) -> Path:
    """Return the working directory as a git repository."""
    subprocess.run(["git", "init", "--quiet"], check=True)
    return here
