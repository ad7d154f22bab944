"""Journals that cannot be read stop no run; `--recover` reads what it can and names the rest."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from watched_programs import run_python

if TYPE_CHECKING:
    from pathlib import Path

PROCESS = {"process": {"name": "MainProcess", "parent": 1, "torch": "2.13.0+cpu"}}

FINDING: dict[str, Any] = {
    "rule": "ZG101",
    "severity": "error",
    "location": {
        "path": "train.py",
        "line": 13,
        "column": 9,
        "end_line": None,
        "end_column": None,
        "cell": None,
    },
    "message": "adds to gradients",
    "help": None,
    "evidence": [],
    "fix": None,
    "fingerprint": "",
    "count": 1,
    "first_step": 2,
    "last_step": 2,
    "rank": None,
    "process": None,
    "damage": None,
}

STRANGE: dict[str, Any] = {
    "a field of another version": {"found": {**FINDING, "mood": "sad"}},
    "a rule of another version": {"found": {**FINDING, "rule": "ZG999"}},
    "a line that is a word": {"found": {**FINDING, "location": {"path": "a", "line": "seven"}}},
    "a count that is a list": {"found": {**FINDING, "count": [1]}},
    "steps that are no number": {"findings": [], "seen": {"steps": "many"}},
    "counts of another version": {"findings": [], "seen": {"moods": 3}},
    "a process that is a list": {"process": [1, 2]},
    "a rank that is a word": {"rank": "first"},
    "what a rank held, in part": {"held": {"key": "model"}},
    "a list": [1, 2, 3],
}

CARD = {"command": "train.py", "started": 1.7e9, "watcher": 1, "here": "."}

CARDS: dict[str, Any] = {
    "a list": [1],
    "no time": {**CARD, "started": "yesterday"},
    "a time without end": {**CARD, "started": 1e300},
    "a command that is a number": {**CARD, "command": 7},
    "a folder that is a number": {**CARD, "here": 7},
}


def leave(folder: Path, *records: Any, card: Any = CARD) -> Path:
    """Leave what a killed run would have left, and return its folder."""
    run = folder / "zerograd-watch-left"
    run.mkdir(mode=0o700)
    (run / "lock").touch()
    (run / "run.json").write_text(json.dumps(card))
    lines = "".join(f"{json.dumps(record)}\n" for record in (PROCESS, *records))
    (run / "7.jsonl").write_text(lines)
    return run


def watch_another(folder: Path) -> tuple[int, str, str]:
    (folder / "another.py").write_text("print('another')\n")
    run = run_python(folder, "-m", "zerograd", "watch", "another.py")
    return run.returncode, run.stdout, run.stderr


def recover(folder: Path) -> tuple[int, str, str]:
    run = run_python(folder, "-m", "zerograd", "watch", "--recover", "--format", "concise")
    return run.returncode, run.stdout, run.stderr


@pytest.mark.parametrize("kind", STRANGE)
def test_a_strange_record_stops_no_run_and_hides_no_other(tmp_path: Path, kind: str) -> None:
    left = leave(tmp_path, {"found": FINDING}, STRANGE[kind], {"end": "whole"})

    status, said, complained = watch_another(tmp_path)
    recovered = recover(tmp_path)

    assert (status, said.startswith("another\n")) == (0, True)
    assert "was killed and had found 1 error; `zerograd watch --recover` shows them" in complained
    assert recovered[0] == 0
    assert recovered[1].startswith("train.py:13:9: ZG101 missing-zero: adds to gradients")
    assert f"1 of the 4 records in {left}/7.jsonl cannot be read" in recovered[2]


@pytest.mark.parametrize("kind", CARDS)
def test_a_strange_card_stops_no_run(tmp_path: Path, kind: str) -> None:
    leave(tmp_path, {"found": FINDING}, card=CARDS[kind])

    status, said, _ = watch_another(tmp_path)

    assert (status, said.startswith("another\n")) == (0, True)
    assert recover(tmp_path)[0] == 0


def test_files_that_are_no_journals_are_neither_waited_for_nor_fatal(tmp_path: Path) -> None:
    left = leave(tmp_path, {"found": FINDING})
    os.mkfifo(left / "8.jsonl")
    (left / "9.jsonl").symlink_to(left / "9.jsonl")
    (left / "ten.jsonl").write_text("{}\n")
    (left / "11.jsonl").mkdir()
    (left / "12.jsonl").write_bytes(b"\xff\xfe\n" + b"[" * 100_000 + b"\n")

    status, said, _ = watch_another(tmp_path)
    recovered = recover(tmp_path)

    assert (status, said.startswith("another\n")) == (0, True)
    assert recovered[1].startswith("train.py:13:9: ZG101 missing-zero: adds to gradients")
    for name in ("8", "9", "ten", "11", "12"):
        assert f"{left}/{name}.jsonl cannot be read" in recovered[2]


def test_what_could_not_be_read_is_kept_for_who_can(tmp_path: Path) -> None:
    left = leave(tmp_path, STRANGE["a rule of another version"])

    recover(tmp_path)

    assert (left / "7.jsonl").exists()


def test_a_link_to_a_folder_is_not_a_run_that_was_left(tmp_path: Path) -> None:
    left = leave(tmp_path, {"found": FINDING})
    elsewhere = tmp_path / "elsewhere"
    left.rename(elsewhere)
    left.symlink_to(elsewhere)

    status, said, complained = recover(tmp_path)

    assert (status, said) == (0, "")
    assert complained == "zerograd: no killed run has left anything behind\n"
