"""Folders of runs: gone afterwards, and found again when their watcher was killed."""

from __future__ import annotations

import os
import signal
import tempfile
from typing import TYPE_CHECKING

import pytest

from zerograd.errors import UnreadableError
from zerograd.watch.process.run_folders import leftovers, new_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_the_folder_is_gone_after_the_run(tmp_path: Path) -> None:
    with new_run(["train.py"]) as folder:
        during = folder.parent

    assert during == tmp_path
    assert list(tmp_path.iterdir()) == []


def test_a_run_under_way_is_not_left_behind() -> None:
    with new_run(["train.py"]):
        found = leftovers()

    assert found == []


def test_a_killed_run_is_left_behind_with_its_command(tmp_path: Path) -> None:
    child = os.fork()
    if not child:
        with new_run(["train.py", "--epochs", "2"]):
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)

    (run,) = leftovers()

    assert run.folder.parent == tmp_path
    assert (run.command, run.watcher) == ("train.py --epochs 2", child)


def test_a_folder_without_a_card_is_nobodys(tmp_path: Path) -> None:
    (tmp_path / "zerograd-watch-x").mkdir()

    assert leftovers() == []


def test_a_temporary_folder_that_cannot_be_written_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))

    with pytest.raises(UnreadableError) as refusal, new_run(["train.py"]):
        pass

    assert str(refusal.value) == (
        "cannot keep a journal: No such file or directory; "
        "set TMPDIR to a folder that can be written"
    )
