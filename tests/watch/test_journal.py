"""A journal holds whole records, whatever ends the process that wrote it."""

from __future__ import annotations

import os
from pathlib import Path

from zerograd.watch.journal import Journal, read_journal, read_journals


def test_records_come_back_in_order(tmp_path: Path) -> None:
    journal = Journal(tmp_path)

    journal.write({"found": 1})
    journal.write({"found": 2})
    journal.close()

    assert read_journals(tmp_path) == {os.getpid(): [{"found": 1}, {"found": 2}]}


def test_a_journal_without_records_leaves_no_file(tmp_path: Path) -> None:
    journal = Journal(tmp_path)

    journal.close()

    assert list(tmp_path.iterdir()) == []


def test_a_torn_last_line_is_dropped(tmp_path: Path) -> None:
    file = tmp_path / "7.jsonl"
    file.write_bytes(b'{"found":1}\n{"found":2}\n{"fou')

    assert list(read_journal(file)) == [{"found": 1}, {"found": 2}]


def test_a_record_is_there_before_the_journal_is_closed(tmp_path: Path) -> None:
    journal = Journal(tmp_path)

    journal.write({"found": 1})

    assert list(read_journal(journal.path)) == [{"found": 1}]
    journal.close()


def test_a_full_disk_stops_the_journal_and_nothing_else() -> None:
    journal = Journal(Path("/dev"))
    journal.path = Path("/dev/full")

    journal.write({"found": 1})
    journal.write({"found": 2})
    journal.close()

    assert str(journal.broken) == "[Errno 28] No space left on device"


def test_a_folder_that_is_gone_stops_the_journal_and_nothing_else(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "gone")

    journal.write({"found": 1})

    assert isinstance(journal.broken, FileNotFoundError)
