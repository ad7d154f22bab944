"""Read the journals of all processes of a run into one set of results."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zerograd.findings import Finding, Reach, Results
from zerograd.findings.record import from_record
from zerograd.history.history import from_record as history_from
from zerograd.record import replace
from zerograd.watch.journal import read_history, read_journals
from zerograd.watch.ranks.comparing import partings
from zerograd.watch.ranks.naming import listed
from zerograd.watch.seen import Seen
from zerograd.watch.tested import untested

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from zerograd.history import History

NO_TORCH = "the script never imported torch: there was nothing to watch"
MANY = 3
"""More processes than this are counted, not named."""


@dataclass(frozen=True, slots=True)
class Told:
    """What one process had written when it ended."""

    pid: int
    records: list[dict[str, Any]]

    def last(self, key: str) -> Any:
        """Return the last value that it wrote under this key."""
        return next((record[key] for record in reversed(self.records) if key in record), None)

    @property
    def name(self) -> str:
        """Its rank, else what multiprocessing calls it, or its number."""
        if self.rank is not None:
            return f"rank {self.rank}"
        name = (self.last("process") or {}).get("name", "MainProcess")
        return f"process {self.pid}" if name == "MainProcess" else str(name)

    @property
    def rank(self) -> int | None:
        """Which rank of a distributed run it was."""
        return (self.last("rank") or {}).get("number")

    def held(self) -> list[dict[str, Any]]:
        """Return what it held at the steps that are compared between ranks."""
        return [record["held"] for record in self.records if "held" in record]

    @property
    def seen(self) -> Seen:
        """What it had seen at its last snapshot."""
        return Seen(**(self.last("seen") or {}))

    def title(self, watcher: int) -> str:
        """Return what to call it in a sentence."""
        return "the script" if self.rank is None and self.is_child_of(watcher) else self.name

    def is_child_of(self, pid: int) -> bool:
        """Whether it was started by this process: the script itself is ours."""
        return (self.last("process") or {}).get("parent") == pid

    def findings(self) -> list[Finding]:
        """Return the last snapshot's findings, and what was found after it."""
        known = [from_record(record) for record in self.last("findings") or ()]
        keys = {(finding.rule.code, finding.location) for finding in known}
        found = (from_record(record["found"]) for record in self._after_snapshot())
        return known + [new for new in found if (new.rule.code, new.location) not in keys]

    def _after_snapshot(self) -> Iterator[dict[str, Any]]:
        snapshots = [at for at, record in enumerate(self.records) if "seen" in record]
        begin = snapshots[-1] + 1 if snapshots else 0
        return (record for record in self.records[begin:] if "found" in record)

    def notes(self, name: str) -> Iterator[str]:
        """Yield what a reader should know about how it was watched."""
        mistake, steps = self.last("internal_error"), self.seen.steps
        if mistake:
            yield f"{name} was watched only in part, by a bug of ours: {mistake}"
        if self.last("end") == "enough":
            yield f"{name} was stopped after {steps:,} steps, as --max-steps asked"
        elif self.last("end") is None and self.findings():
            yield f"{name} ended abruptly: the counts are those of its step {steps:,}"


def gather(folder: Path, watcher: int | None = None) -> Results:
    """Return what all processes found, as far as each came; `watcher` started the script."""
    told = [Told(pid, records) for pid, records in read_journals(folder).items()]
    watcher = os.getpid() if watcher is None else watcher
    told.sort(key=lambda one: (not one.is_child_of(watcher), one.rank or 0))
    findings: dict[object, list[tuple[Told, Finding]]] = {}
    notes = _notes_on_torch(told)
    for one in told:
        notes += one.notes(one.title(watcher))
        for finding in one.findings():
            key = (finding.rule.code, finding.location)
            findings.setdefault(key, []).append((one, finding))
    seen = sum((one.seen for one in told), Seen(processes=0))
    wanted = [
        _together(same, watcher)
        for same in findings.values()
        if len(told) == 1 or not _is_unused(same)
    ]
    notes += _uneven(told)
    held = {one.rank: one.held() for one in told if one.rank is not None}
    found = [*wanted, *partings(held, wanted)]
    return results(found, seen, notes, _history(folder, told, watcher))


def _history(folder: Path, told: list[Told], watcher: int) -> History | None:
    """Return what all processes did, if it was recorded."""
    together: History | None = None
    for one in told:
        record = read_history(folder, one.pid)
        if record is not None:
            name = None if one.is_child_of(watcher) else one.name
            history = history_from(record).of_process(name)
            together = history if together is None else together.followed_by(history)
    return together


def results(
    findings: Iterable[Finding],
    seen: Seen,
    notes: Iterable[str],
    history: History | None = None,
) -> Results:
    """Return the results of a run."""
    reach = Reach(thing="step", seen=seen.steps, checked=seen.steps)
    said = [*notes, f"seen: {seen.sentence()}"] if seen.processes else list(notes)
    return Results(
        verb="watch", findings=tuple(findings), reach=reach, notes=tuple(said), history=history
    )


def _notes_on_torch(told: list[Told]) -> list[str]:
    if not told:
        return [NO_TORCH]
    versions = {str((one.last("process") or {}).get("torch", "")) for one in told} - {""}
    return [note for note in map(untested, sorted(versions)) if note]


def _uneven(told: list[Told]) -> list[str]:
    """Say which ranks waited in vain for others that raised, or had no more batches."""
    waited = {one.rank: int(one.last("failed_backward") or 0) for one in told}
    ended = [one for one in told if one.last("end") == "whole" and not waited[one.rank]]
    notes = []
    for rank, backwards in waited.items():
        short = [one for one in ended if one.rank is not None and one.seen.backwards < backwards]
        raised = [one for one in short if one.last("raised")]
        if short:
            notes.append(
                f"rank {rank} waited in its backward {backwards:,} for {_why(raised, short)}"
            )
    return notes


def _why(raised: list[Told], short: list[Told]) -> str:
    who = listed(one.rank for one in raised or short if one.rank is not None)
    batches = min(one.seen.backwards for one in raised or short)
    if raised:
        return f"{who}, which raised {raised[0].last('raised')} after {batches:,}"
    return (
        f"{who}, which ended after {batches:,}: give every rank as many batches, or use "
        "`with model.join():`"
    )


def _is_unused(same: list[tuple[Told, Finding]]) -> bool:
    # A pragma that one process does not need may be another's.
    return same[0][1].rule.name == "unused-ignore"


def _together(same: list[tuple[Told, Finding]], watcher: int) -> Finding:
    """Return one finding of what several processes found on the same line."""
    found = [finding for _, finding in same]
    counts = [finding.count for finding in found if finding.count is not None]
    first = [finding.first_step for finding in found if finding.first_step is not None]
    last = [finding.last_step for finding in found if finding.last_step is not None]
    return replace(
        found[0],
        count=sum(counts) if counts else None,
        first_step=min(first, default=None),
        last_step=max(last, default=None),
        damage=next((finding.damage for finding in found if finding.damage), None),
        rank=same[0][0].rank if len(same) == 1 else None,
        process=_processes([one for one, _ in same], watcher),
    )


def _processes(same: list[Told], watcher: int) -> str | None:
    ranks = [one.rank for one in same if one.rank is not None]
    titles = [one.title(watcher) for one in same if one.rank is None]
    if (titles == ["the script"] and not ranks) or len(ranks) == len(same) == 1:
        return None
    if len(titles) > MANY:
        titles = [f"{len(titles)} processes"]
    return ", ".join([*([listed(ranks)] if ranks else []), *titles])
