"""The repository lints itself: `zerograd lint` in a clone finds nothing that is not on purpose."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest
from distributions import ROOT

EXCLUDED = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["zerograd"][
    "extend-exclude"
]


def lint(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "zerograd", "lint", "--format=concise", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_clone_has_no_findings() -> None:
    done = lint()

    assert done.stdout == ""
    assert done.returncode == 0


@pytest.mark.parametrize("path", [path for path in EXCLUDED if path != "tests"])
def test_what_is_excluded_is_wrong_on_purpose(path: str) -> None:
    done = lint(path)

    assert done.returncode == 1
