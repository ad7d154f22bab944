"""The site builds without a warning: every page is listed, and every link leads somewhere."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from zerograd.rules import CATALOGUE

pytest.importorskip("furo", reason="the documentation's tools are not installed")
pytest.importorskip("myst_parser", reason="the documentation's tools are not installed")

ROOT = Path(__file__).parents[2]
BESIDE = ("SECURITY.md", "benchmarks", "ecosystem", "examples", "src")
"""What pages include or link to, next to docs/."""


def built(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "--quiet", "--builder", "html"]
    return subprocess.run(
        [*command, folder / "docs", folder / "site"], capture_output=True, text=True
    )


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Return a folder with the sources: a build writes rules and questions beside them."""
    made = shutil.ignore_patterns("_build", "rules", "questions", "__pycache__")
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=made)
    for name in BESIDE:
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def test_the_site_builds_without_a_warning(copied: Path) -> None:
    run = built(copied)

    site = copied / "site"
    assert run.returncode == 0, run.stderr
    assert [
        rule.name for rule in CATALOGUE if not (site / f"rules/{rule.name}.html").exists()
    ] == []
    assert (site / "schema" / "findings-1.json").exists()
    assert (site / "images" / "report-dark.png").exists()
    # A rule's name in the prose leads to its page.
    assert 'href="rules/missing-zero.html"' in (site / "index.html").read_text("utf-8")


def test_a_link_that_leads_nowhere_breaks_the_build(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "conf.py").write_text("extensions = ['myst_parser']\n")
    (tmp_path / "docs" / "index.md").write_text("# Page\n\n[gone](gone.md)\n")

    run = built(tmp_path)

    assert run.returncode == 1
    assert "'gone.md'" in run.stderr
