"""Watchers that torchrun started together: the last one to leave reports, however others ended."""

from __future__ import annotations

import os
import signal
import tempfile
from typing import TYPE_CHECKING

import pytest

from zerograd.watch.process import multi_process_run as company
from zerograd.watch.process.multi_process_run import begun_run, launch_here
from zerograd.watch.process.run_folders import leftovers

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def started_by_torchrun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")


def test_the_last_to_leave_reports_and_the_folder_is_gone(tmp_path: Path) -> None:
    with begun_run(["train.py"]) as first, begun_run(["train.py"]) as second:
        same = first.folder == second.folder
        reports = [first.leave(), second.leave(), second.leave()]
        second.clean_up()

    assert same
    assert reports == [False, True, False]
    assert list(tmp_path.iterdir()) == []


def test_a_killed_watcher_is_not_waited_for() -> None:
    with begun_run(["train.py"]) as survivor:
        child = os.fork()
        if not child:
            with begun_run(["train.py"]):
                os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)

        assert survivor.leave()


def test_one_that_never_came_is_waited_for_only_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(company, "LATE", 0.0)

    with begun_run(["train.py"]) as only:
        assert only.leave()


def test_a_company_that_was_killed_is_left_behind_to_be_recovered() -> None:
    child = os.fork()
    if not child:
        with begun_run(["train.py", "--epochs", "2"]):
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)

    (run,) = leftovers()

    assert run.command == "train.py --epochs 2"


def test_another_attempt_is_another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    first = launch_here()
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "1")

    assert first is not None
    assert launch_here() != first


def test_without_torchrun_everyone_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCHELASTIC_RUN_ID")

    with begun_run(["train.py"]) as one, begun_run(["train.py"]) as other:
        reports = [one.leave(), other.leave()]

    assert reports == [True, True]
    assert one.folder != other.folder
