"""Combine the journals of all processes of a run into one set of results."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from zerograd.errors import BrokenWatchError
from zerograd.findings import Reach, Results, Unheard
from zerograd.history.history import from_record as history_from
from zerograd.record import replace
from zerograd.watch.process.journal import HISTORY, read_whole
from zerograd.watch.process.journal_reader import UNREADABLE, read_journals
from zerograd.watch.ranks.comparing import partings
from zerograd.watch.ranks.item_shares import unequal_ranks
from zerograd.watch.ranks.naming import listed
from zerograd.watch.report.run_summary import RunSummary
from zerograd.watch.report.tested_versions import untested

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from zerograd.findings import Finding
    from zerograd.history import History
    from zerograd.watch.process.journal_reader import Journals, ProgramRecord

MISTAKE = "internal_error"
NO_TORCH = "the script never imported torch: there was nothing to watch"
MANY = 3
"""More processes than this are counted, not named."""


def gather(folder: Path, watcher: int | None = None, *, running: bool = False) -> Results:
    """Return what all processes found, as far as each came; `watcher` started the script."""
    if not folder.is_dir():
        raise BrokenWatchError(broken_off(f"somebody deleted its journal, {folder}"))
    here = os.getpid() if watcher is None else watcher
    return together(folder, read_journals(folder), here, running=running)


def together(folder: Path, journals: Journals, watcher: int, *, running: bool = False) -> Results:
    """Return what all processes of a run found; of one that we broke off, nothing is said."""
    told = journals.told
    broken = [f"a bug of ours: {mistake}" for one in told if (mistake := one.last(MISTAKE))]
    broken += [f"its journal could not be kept: {why}" for why in journals.lost]
    if not any(one.findings() for one in told):  # else they are reported, with a note
        broken += [
            f"{one.title(watcher)} called `{one.cut_off_by}`, and could write no journal after it"
            for one in told
            if one.cut_off_by is not None
        ]
    if broken:
        raise BrokenWatchError(broken_off(broken[0]))
    told.sort(key=lambda one: (not one.is_child_of(watcher), one.rank or 0))
    findings: dict[object, list[tuple[ProgramRecord, Finding]]] = {}
    notes = [*journals.unreadable, *_notes_on_torch(told)]
    for one in told:
        notes += one.notes(one.title(watcher), running=running)
        for finding in one.findings():
            key = (finding.rule.code, finding.location)
            findings.setdefault(key, []).append((one, finding))
    seen = sum((one.seen for one in told), RunSummary(processes=0))
    wanted = [
        _together(same, watcher)
        for same in findings.values()
        if len(told) == 1 or not _is_unused(same)
    ]
    notes += _uneven(told)
    held = {one.rank: one.held() for one in told if one.rank is not None}
    counted = {one.rank: one.counted() for one in told if one.rank is not None}
    found = [*wanted, *partings(held, wanted), *unequal_ranks(counted, wanted)]
    return results(found, seen, notes, _history(folder, told, watcher), _unheard(told))


def broken_off(why: str) -> str:
    """Return the sentence for a run of which nothing is reported."""
    return f"this run was not watched to its end, and nothing of it is reported: {why}"


def _history(folder: Path, told: list[ProgramRecord], watcher: int) -> History | None:
    """Return what all processes did, if it was recorded."""
    whole: History | None = None
    for pid, one in {one.pid: one for one in told}.items():
        history = _kept(folder / f"{pid}{HISTORY}")
        if history is not None:
            history = history.of_process(None if one.is_child_of(watcher) else one.name)
            whole = history if whole is None else whole.followed_by(history)
    return whole


def _kept(path: Path) -> History | None:
    """Return the history that a process kept, if it was asked to and it can be read."""
    try:
        return history_from(json.loads(read_whole(path)))
    except (OSError, *UNREADABLE):
        return None


def results(
    findings: Iterable[Finding],
    seen: RunSummary,
    notes: Iterable[str],
    history: History | None = None,
    unheard: Unheard | None = None,
) -> Results:
    """Return the results of a run."""
    reach = Reach(thing="step", seen=seen.steps, checked=seen.steps, unheard=unheard)
    said = [*notes, f"seen: {seen.sentence()}"] if seen.processes else list(notes)
    return Results(
        verb="watch", findings=tuple(findings), reach=reach, notes=tuple(said), history=history
    )


def _notes_on_torch(told: list[ProgramRecord]) -> list[str]:
    if not told:
        return [NO_TORCH]
    versions = {str((one.last("process") or {}).get("torch", "")) for one in told} - {""}
    return [note for note in map(untested, sorted(versions)) if note]


def _unheard(told: list[ProgramRecord]) -> Unheard | None:
    """Return what some process could not hear, all together."""
    deaf = [one for one in told if one.last("unheard")]
    rules = sorted({rule for one in deaf for rule in one.last("unheard")})
    versions = sorted({str((one.last("process") or {}).get("torch", "")) for one in deaf})
    return Unheard(", ".join(versions), tuple(rules)) if rules else None


def _uneven(told: list[ProgramRecord]) -> list[str]:
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


def _why(raised: list[ProgramRecord], short: list[ProgramRecord]) -> str:
    who = listed(one.rank for one in raised or short if one.rank is not None)
    batches = min(one.seen.backwards for one in raised or short)
    if raised:
        return f"{who}, which raised {raised[0].last('raised')} after {batches:,}"
    return (
        f"{who}, which ended after {batches:,}: give every rank as many batches, or use "
        "`with model.join():`"
    )


def _is_unused(same: list[tuple[ProgramRecord, Finding]]) -> bool:
    # A pragma that one process does not need may be another's.
    return same[0][1].rule.name == "unused-ignore"


def _together(same: list[tuple[ProgramRecord, Finding]], watcher: int) -> Finding:
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


def _processes(same: list[ProgramRecord], watcher: int) -> str | None:
    ranks = [one.rank for one in same if one.rank is not None]
    # A program that replaced itself is one process, and has one title.
    titles = [*dict.fromkeys(one.title(watcher) for one in same if one.rank is None)]
    if (titles == ["the script"] and not ranks) or len(ranks) == len(same) == 1:
        return None
    if len(titles) > MANY:
        titles = [f"{len(titles)} processes"]
    return ", ".join([*([listed(ranks)] if ranks else []), *titles])
