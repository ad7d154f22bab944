"""Files that never end or never begin: settings, baselines, modules and programs by name."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from zerograd.bounded_read import NoFileError, read_regular

if TYPE_CHECKING:
    from pathlib import Path

MEGABYTE = 1_000_000

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")


def lint(folder: Path, *paths: str) -> subprocess.CompletedProcess[str]:
    """Lint in a process with little memory."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (3_000 * MEGABYTE, 3_000 * MEGABYTE))

    return subprocess.run(
        [sys.executable, "-P", "-m", "zerograd", "lint", *paths],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=limit,  # this process has no other threads that hold locks
    )


def test_a_baseline_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("x = 1\n")
    (tmp_path / "zerograd.toml").write_text('baseline = "known.json"\n')
    os.mkfifo(tmp_path / "known.json")

    done = lint(tmp_path, ".")

    assert done.returncode == 2
    assert "cannot read the baseline" in done.stderr
    assert "known.json: it is no file" in done.stderr


def test_a_named_file_of_a_terabyte_of_holes_is_a_sentence(tmp_path: Path) -> None:
    with (tmp_path / "train.py").open("wb") as stream:
        stream.truncate(1_000_000 * MEGABYTE)

    done = lint(tmp_path, "train.py")

    assert done.returncode == 2
    assert "this file is larger than 100 MB, and no program" in done.stdout


def test_a_pipe_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(NoFileError):
        read_regular(tmp_path / "pipe", 10)


def test_a_file_is_read_as_far_as_was_agreed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")

    assert read_regular(tmp_path / "file", 10) == b"0123456789"
    assert read_regular(tmp_path / "file", 4) == b"01234"
