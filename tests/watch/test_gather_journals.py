"""From the journals of several processes to one set of results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from zerograd.errors import BrokenWatchError
from zerograd.findings import Finding, Location
from zerograd.findings.record import to_record
from zerograd.rules import find_rule
from zerograd.severity import Severity
from zerograd.watch.process.gather_journals import gather
from zerograd.watch.report.tested_versions import TESTED

if TYPE_CHECKING:
    from pathlib import Path

WATCHER = 1
SCRIPT = 10


def finding(line: int = 7, count: int = 2, name: str = "missing-zero") -> Finding:
    """Return a finding of a run."""
    return Finding(
        rule=find_rule(name),
        severity=Severity.ERROR,
        location=Location("train.py", line),
        message="m",
        count=count,
        first_step=2,
        last_step=1 + count,
    )


def process(name: str = "MainProcess", parent: int = WATCHER, torch: str = "2.13.0+cpu") -> Any:
    """Return the first record of a process."""
    return {"process": {"name": name, "parent": parent, "torch": torch}}


def snapshot(*findings: Finding, steps: int = 4, mistake: str | None = None) -> Any:
    """Return a record of all that was known."""
    seen = {"optimizers": 1, "steps": steps, "backwards": steps, "parameters": 2}
    return {
        "findings": [to_record(one) for one in findings],
        "seen": seen,
        "internal_error": mistake,
    }


END = {"end": "whole"}


def journal(folder: Path, pid: int, *records: Any) -> None:
    """Write what one process would have written."""
    lines = "".join(f"{json.dumps(record)}\n" for record in records)
    (folder / f"{pid}.jsonl").write_text(lines)


def test_the_last_snapshot_of_the_script_is_its_result(tmp_path: Path) -> None:
    early, late = finding(count=1), finding(count=9)
    journal(tmp_path, SCRIPT, process(), snapshot(early, steps=2), snapshot(late, steps=10), END)

    results = gather(tmp_path, WATCHER)

    assert results.findings == (late,)
    assert results.reach.seen == 10
    assert results.notes == ("seen: 1 optimizer, 10 steps, 10 backwards, 2 parameters, 1 process",)


def test_what_was_found_after_the_last_snapshot_is_not_lost(tmp_path: Path) -> None:
    old, new = finding(line=7, count=3), finding(line=9, count=1)
    found = {"found": to_record(new)}
    journal(tmp_path, SCRIPT, process(), snapshot(old), {"found": to_record(old)}, found)

    results = gather(tmp_path, WATCHER)

    assert results.findings == (old, new)
    assert results.notes[0] == "the script ended abruptly: the counts are those of its step 4"


def test_a_finding_of_a_child_names_its_process(tmp_path: Path) -> None:
    journal(tmp_path, SCRIPT, process(), snapshot(), END)
    journal(tmp_path, 11, process("SpawnProcess-1", parent=SCRIPT), snapshot(finding()), END)

    (found,) = gather(tmp_path, WATCHER).findings

    assert found.process == "SpawnProcess-1"


def test_the_same_line_in_several_processes_is_one_finding(tmp_path: Path) -> None:
    journal(tmp_path, SCRIPT, process(), snapshot(finding(count=1)), END)
    journal(tmp_path, 11, process(parent=SCRIPT), snapshot(finding(count=4)), END)

    (found,) = gather(tmp_path, WATCHER).findings

    assert (found.count, found.first_step, found.last_step) == (5, 2, 5)
    assert found.process == "the script, process 11"


def rank(number: int) -> Any:
    """Return the record with which a process says which rank it is."""
    return {"rank": {"number": number, "world": 4}}


def test_a_finding_of_one_rank_has_its_number(tmp_path: Path) -> None:
    journal(tmp_path, 11, process(parent=SCRIPT), rank(0), snapshot(), END)
    journal(tmp_path, 12, process(parent=SCRIPT), rank(3), snapshot(finding()), END)

    (found,) = gather(tmp_path, WATCHER).findings

    assert (found.rank, found.process) == (3, None)


def test_a_finding_of_several_ranks_names_them(tmp_path: Path) -> None:
    for number in range(4):
        journal(tmp_path, 20 - number, process(), rank(number), snapshot(finding()), END)

    (found,) = gather(tmp_path, WATCHER).findings

    assert (found.rank, found.process, found.count) == (None, "ranks 0 to 3", 8)


def test_a_rank_that_ended_abruptly_is_named(tmp_path: Path) -> None:
    journal(tmp_path, 11, process(parent=SCRIPT), rank(1), snapshot(finding()))

    assert gather(tmp_path, WATCHER).notes[0] == (
        "rank 1 ended abruptly: the counts are those of its step 4"
    )


def test_many_processes_are_counted_not_named(tmp_path: Path) -> None:
    for pid in range(10, 14):
        journal(tmp_path, pid, process(parent=SCRIPT), snapshot(finding()), END)

    (found,) = gather(tmp_path, WATCHER).findings

    assert found.process == "4 processes"


def test_a_pragma_that_one_of_several_processes_does_not_need_is_not_unused(tmp_path: Path) -> None:
    unused = finding(name="unused-ignore")
    journal(tmp_path, SCRIPT, process(), snapshot(unused), END)
    alone = gather(tmp_path, WATCHER).findings
    journal(tmp_path, 11, process(parent=SCRIPT), snapshot(), END)

    together = gather(tmp_path, WATCHER).findings

    assert (len(alone), together) == (1, ())


def test_after_a_bug_of_ours_nothing_is_reported(tmp_path: Path) -> None:
    journal(tmp_path, SCRIPT, process(), snapshot(finding(), mistake="KeyError: 3"), END)

    with pytest.raises(BrokenWatchError) as broken:
        gather(tmp_path, WATCHER)

    assert str(broken.value) == (
        "this run was not watched to its end, and nothing of it is reported: "
        "a bug of ours: KeyError: 3"
    )


def test_of_a_journal_with_records_missing_nothing_is_reported(tmp_path: Path) -> None:
    journal(tmp_path, SCRIPT, process(), snapshot(finding()), END)
    (tmp_path / "11.28.lost").touch()

    with pytest.raises(BrokenWatchError) as broken:
        gather(tmp_path, WATCHER)

    assert str(broken.value) == (
        "this run was not watched to its end, and nothing of it is reported: "
        "its journal could not be kept: No space left on device"
    )


def test_two_programs_of_one_process_are_told_apart(tmp_path: Path) -> None:
    before = (process(), snapshot(finding(count=1)), {"exec": "right.py"})
    journal(tmp_path, SCRIPT, *before, process(), snapshot(steps=5), END)

    results = gather(tmp_path, WATCHER)

    assert results.findings == (finding(count=1),)
    assert results.notes == (
        "the script replaced itself by `right.py` after its step 4; that program was watched too",
        "seen: 2 optimizers, 9 steps, 9 backwards, 4 parameters, 1 process",
    )


def test_enough_steps_are_a_note(tmp_path: Path) -> None:
    journal(tmp_path, SCRIPT, process(), snapshot(), {"end": "enough"})

    assert gather(tmp_path, WATCHER).notes[0] == (
        "the script was stopped after 4 steps, as --max-steps asked"
    )


def test_an_untested_torch_is_one_note(tmp_path: Path) -> None:
    journal(tmp_path, SCRIPT, process(torch="2.2.0"), snapshot(), END)
    journal(tmp_path, 11, process(torch="2.2.0", parent=SCRIPT), snapshot(), END)

    notes = gather(tmp_path, WATCHER).notes

    assert notes[0] == (
        f"torch 2.2.0 was not tested with zerograd ({', '.join(TESTED)} were); findings may be "
        "missing or wrong"
    )
    assert len(notes) == 2


def test_without_any_journal_torch_was_never_imported(tmp_path: Path) -> None:
    assert gather(tmp_path, WATCHER).notes == (
        "the script never imported torch: there was nothing to watch",
    )


def test_a_rank_that_waited_for_one_that_ended_is_told_to_have_as_many_batches(
    tmp_path: Path,
) -> None:
    waited = {"failed_backward": 5}
    journal(tmp_path, SCRIPT, process(), rank(0), waited, snapshot(), END)
    journal(tmp_path, SCRIPT + 1, process(), rank(1), snapshot(), {**END, "raised": None})

    notes = gather(tmp_path, WATCHER).notes

    assert notes[0] == (
        "rank 0 waited in its backward 5 for rank 1, which ended after 4: give every rank as many "
        "batches, or use `with model.join():`"
    )


def test_a_rank_that_waited_for_one_that_raised_is_told_so(tmp_path: Path) -> None:
    waited = {"failed_backward": 5}
    journal(tmp_path, SCRIPT, process(), rank(0), waited, snapshot(), END)
    journal(tmp_path, SCRIPT + 1, process(), rank(1), snapshot(), {**END, "raised": "OSError"})

    notes = gather(tmp_path, WATCHER).notes

    assert notes[0] == "rank 0 waited in its backward 5 for rank 1, which raised OSError after 4"
