"""A program that gives up its rights, or its root folder, takes the journal out of our reach."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from warm_python import warm_python
from watched_programs import FAULT, TRAINING, watch

from zerograd.watch.process.journal_reader import ProgramRecord

if TYPE_CHECKING:
    from pathlib import Path

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")

LOST = (
    "zerograd: this run was not watched to its end, and nothing of it is reported: "
    "the script called `os.setuid`, and could write no journal after it\n"
)
NOTED = (
    "note: the script called `os.chroot` after its step 3 and could write no journal from then "
    "on: what was found later is lost\n"
)
UNTOLD = "what watch found in process {pid} is lost: Permission denied\n"


@as_root
def test_what_is_found_after_setuid_is_lost_and_the_run_is_not_called_clean(
    tmp_path: Path,
) -> None:
    becomes = "train(3, clear=True)\nos.setuid(65534)\ntrain(3)\n"

    run = watch(tmp_path, TRAINING + becomes, "--strict", python=warm_python())

    assert (run.stdout, run.stderr, run.returncode) == ("", LOST, 2)


@as_root
def test_what_was_found_before_chroot_is_reported_with_what_is_lost(tmp_path: Path) -> None:
    leaves = "train(3)\nos.mkdir('jail')\nos.chroot('jail')\ntrain(3)\n"

    run = watch(tmp_path, TRAINING + leaves, "--strict", python=warm_python())

    assert FAULT in run.stdout
    assert NOTED in run.stdout
    assert (run.stderr, run.returncode) == ("", 1)


@as_root
def test_a_forked_process_that_gives_up_its_rights_says_itself_what_is_lost(
    tmp_path: Path,
) -> None:
    becomes = "train(3, clear=True)\nif not os.fork():\n    os.setuid(65534)\n    train(3)\n"
    waits = "else:\n    print(os.wait()[0])\n"

    run = watch(tmp_path, TRAINING + becomes + waits, "-q", python=warm_python())

    pid = run.stdout.split()[0]
    assert run.stderr == "zerograd: " + UNTOLD.format(pid=pid)


def test_rights_that_were_refused_or_regained_are_not_lost() -> None:
    lost = ProgramRecord(1, [{"cut_off": "os.seteuid"}])
    regained = ProgramRecord(1, [{"cut_off": "os.seteuid"}, {"cut_off": None}])
    ended = ProgramRecord(1, [{"cut_off": "os.seteuid"}, {"end": "whole"}])

    calls = [one.cut_off_by for one in (lost, regained, ended)]

    assert calls == ["os.seteuid", None, None]
