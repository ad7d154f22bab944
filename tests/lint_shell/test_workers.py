"""Processes that lint for another: they answer in order, and end when it does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from zerograd.errors import ZerogradError
from zerograd.lint.shell.check_file import Job
from zerograd.lint.shell.run import lint_files
from zerograd.lint.shell.workers import Worker, checked_by_workers
from zerograd.settings import Knowledge

pytest_plugins = ["lint_project"]


def write(count: int) -> list[str]:
    names = [f"train_{number:02}.py" for number in range(count)]
    for name in names:
        Path(name).write_text("f()  # zerograd: ignore\n")
    return names


def job(root: Path) -> Job:
    return Job(root=root, knowledge=Knowledge())


def test_outcomes_come_in_the_order_of_the_files(here: Path) -> None:
    names = write(11)

    outcomes = list(checked_by_workers(names, job(here), 2))

    assert [checked.path for checked in outcomes] == names
    assert {checked.findings[0].rule.name for checked in outcomes} == {"unknown-ignore"}


def test_a_worker_that_was_killed_is_told_in_one_sentence(here: Path) -> None:
    worker = Worker(job(here))
    worker.process.kill()

    with pytest.raises(ZerogradError) as refusal:
        worker.check(write(1))
    worker.end()

    assert str(refusal.value) == (
        "a process of zerograd was ended from outside, perhaps for lack of memory; try `--jobs 1`"
    )


def test_who_does_not_want_the_rest_leaves_no_process_behind(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Worker] = []
    begin = Worker.__init__

    def listed(worker: Worker, job: Job) -> None:
        begin(worker, job)
        started.append(worker)

    monkeypatch.setattr(Worker, "__init__", listed)

    outcomes = checked_by_workers(write(40), job(here), 2)
    next(outcomes)
    outcomes.close()  # type: ignore[attr-defined]

    assert [worker.process.poll() is None for worker in started] == [False, False]


def test_a_worker_ends_when_nobody_asks_any_more(here: Path) -> None:
    worker = Worker(job(here))
    worker.check(write(1))
    assert worker.process.stdin is not None

    worker.process.stdin.close()

    assert worker.process.wait() == 0
    worker.end()


def test_without_a_python_to_start_one_process_lints_all(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = write(3)
    monkeypatch.setattr(sys, "executable", "")

    run = lint_files(dict.fromkeys(names, True), job(here), processes=2)

    assert [checked.path for checked in run.checked] == names
