"""The fragments of changelog.d become release notes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def draft(folder: Path) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "towncrier", "build", "--draft", "--version", "next")
    return subprocess.run(
        (*command, "--dir", str(folder)), capture_output=True, text=True, check=False
    )


def test_the_next_release_notes_can_be_built() -> None:
    notes = draft(ROOT)

    assert notes.returncode == 0, notes.stderr
    assert "## next" in notes.stdout


def test_two_fragments_of_one_name_cannot(tmp_path: Path) -> None:
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    (tmp_path / "changelog.d" / "1.fixed.here.md").write_text("one\n")
    (tmp_path / "changelog.d" / "1.fixed.there.md").write_text("two\n")

    notes = draft(tmp_path)

    assert notes.returncode != 0
