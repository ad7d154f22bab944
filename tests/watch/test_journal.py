"""A journal holds whole records, whatever ends the process that wrote it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.watch.process.journal import Journal, read_lines

if TYPE_CHECKING:
    import pytest


def test_records_come_back_in_order(tmp_path: Path) -> None:
    journal = Journal(tmp_path)

    journal.write({"found": 1})
    journal.write({"found": 2})

    assert journal.path == tmp_path / f"{os.getpid()}.jsonl"
    assert read_lines(journal.path) == [{"found": 1}, {"found": 2}]


def test_a_journal_without_records_leaves_no_file(tmp_path: Path) -> None:
    Journal(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_a_torn_line_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "7.jsonl"
    file.write_bytes(b'{"found":1}\n{"found":2}\n{"fou')

    assert read_lines(file) == [{"found": 1}, {"found": 2}, None]


def test_no_descriptor_is_kept(tmp_path: Path) -> None:
    before = sorted(Path("/dev/fd").iterdir())

    Journal(tmp_path).write({"found": 1})

    assert sorted(Path("/dev/fd").iterdir()) == before


def test_what_cannot_be_written_now_is_written_later(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "late")

    journal.write({"found": 1})
    broken = journal.broken
    (tmp_path / "late").mkdir()
    journal.write({"found": 2})

    assert isinstance(broken, FileNotFoundError)
    assert journal.broken is None
    assert read_lines(journal.path) == [{"found": 1}, {"found": 2}]


def test_a_line_that_was_torn_by_a_full_disk_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, write = Journal(tmp_path), os.write
    room = iter([5])
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[: next(room, None)]))

    journal.write({"found": 1})
    journal.write({"found": 2})

    assert read_lines(journal.path) == [None, {"found": 1}, {"found": 2}]


def test_a_full_disk_stops_the_journal_and_nothing_else() -> None:
    journal = Journal(Path("/dev"))
    journal.path = Path("/dev/full")

    journal.write({"found": 1})
    journal.write({"found": 2})

    assert str(journal.broken) == "[Errno 28] No space left on device"


def test_a_journal_that_gives_up_says_so_by_its_name(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.write({"found": 1})
    journal.broken = OSError(28, "No space left on device")

    journal.give_up()

    assert [file.name for file in tmp_path.iterdir()] == [f"{os.getpid()}.28.lost"]
