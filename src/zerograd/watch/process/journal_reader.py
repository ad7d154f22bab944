"""Read journals: what each program of a run wrote, as far as it can be read.

A journal may come from another version, be torn, or have been edited. Records that cannot be read
are left out and counted. One file holds several programs where one replaced itself by `os.exec`,
or where the system reused a process id.
"""

from __future__ import annotations

from os import strerror
from typing import TYPE_CHECKING, Any

from zerograd.errors import ZerogradError
from zerograd.findings.record import from_record
from zerograd.record import field, record, replace
from zerograd.watch.process.journal import LOST, RECORDS, read_lines
from zerograd.watch.report.run_summary import RunSummary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from zerograd.findings import Finding

UNREADABLE = (ZerogradError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What reading a value may raise if it is not what it should be."""


@record(frozen=True)
class ProgramRecord:
    """What one program had written when it ended."""

    pid: int
    records: list[dict[str, Any]]
    followed: bool = False
    """Whether another program wrote into the same journal after it."""

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

    def counted(self) -> list[dict[str, Any]]:
        """Return over how many items its gradients were means, at the steps that are compared."""
        return [record["items"] for record in self.records if "items" in record]

    @property
    def seen(self) -> RunSummary:
        """What it had seen at its last snapshot."""
        seen: RunSummary = self.last("seen") or RunSummary()
        return replace(seen, processes=0) if self.replaced_by and self.followed else seen

    @property
    def replaced_by(self) -> str | None:
        """The program that this one became by `os.exec`."""
        program: str | None = self.last("exec")
        return program

    @property
    def cut_off_by(self) -> str | None:
        """The call by which it lost the right, or the way, to write its journal."""
        call: str | None = self.last("cut_off")
        return call if self.last("end") is None else None

    def title(self, watcher: int) -> str:
        """Return what to call it in a sentence."""
        return "the script" if self.rank is None and self.is_child_of(watcher) else self.name

    def is_child_of(self, pid: int) -> bool:
        """Whether it was started by this process: the script itself is ours."""
        return bool((self.last("process") or {}).get("parent") == pid)

    def findings(self) -> list[Finding]:
        """Return the last snapshot's findings, and what was found after it."""
        known: list[Finding] = list(self.last("findings") or ())
        keys = {(finding.rule.code, finding.location) for finding in known}
        found = (record["found"] for record in self._after_snapshot())
        return known + [new for new in found if (new.rule.code, new.location) not in keys]

    def _after_snapshot(self) -> Iterator[dict[str, Any]]:
        snapshots = [at for at, record in enumerate(self.records) if "findings" in record]
        begin = snapshots[-1] + 1 if snapshots else 0
        return (record for record in self.records[begin:] if "found" in record)

    def notes(self, name: str, *, running: bool = False) -> Iterator[str]:
        """Yield what a reader should know about how it was watched."""
        steps = self.seen.steps
        if self.last("end") == "enough":
            yield f"{name} was stopped after {steps:,} steps, as --max-steps asked"
        elif self.replaced_by is not None:
            if self.seen.is_anything or not self.followed:
                yield self._replacement(name)
        elif self.cut_off_by is not None:
            yield (
                f"{name} called `{self.cut_off_by}` after its step {steps:,} and could write no "
                "journal from then on: what was found later is lost"
            )
        elif self.last("end") is None and self.findings() and not running:
            yield f"{name} ended abruptly: the counts are those of its step {steps:,}"

    def _replacement(self, name: str) -> str:
        after = "was watched too" if self.followed else "used no torch, or could not be watched"
        return (
            f"{name} replaced itself by `{self.replaced_by}` after its step {self.seen.steps:,}; "
            f"that program {after}"
        )


@record()
class Journals:
    """All journals of a run."""

    told: list[ProgramRecord] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    """Why records are missing, where a process could not write them."""

    unreadable: list[str] = field(default_factory=list)
    """A sentence for each file of which not all could be read."""


def read_journals(folder: Path) -> Journals:
    """Return what every program of a run told."""
    journals = Journals()
    for path in sorted(folder.glob(f"*{RECORDS}")):
        try:
            lines, pid = read_lines(path), int(path.stem)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "its name is no number"
            journals.unreadable.append(f"{path} cannot be read: {why}")
            continue
        if lines and lines[-1] is None:
            del lines[-1]  # torn: its process was killed while it wrote
        records = [record for record in map(_readable, lines) if record is not None]
        strange = len(lines) - len(records)
        if strange == len(lines) > 0:
            journals.unreadable.append(f"{path} cannot be read: no record is one of this version")
        elif strange:
            what = f"{strange} of the {len(lines)} records in {path}"
            journals.unreadable.append(
                f"{what} cannot be read: another version may have written it"
            )
        journals.told += _programs(pid, records)
    for path in sorted(folder.glob(f"*{LOST}")):
        number = path.stem.rpartition(".")[2]
        journals.lost.append(strerror(int(number)) if number.isdecimal() else "unknown")
    return journals


def _programs(pid: int, records: list[dict[str, Any]]) -> Iterator[ProgramRecord]:
    """Yield the programs that wrote one journal: each begins by saying which process it is."""
    begins = [at for at, record in enumerate(records) if "process" in record and at] + [
        len(records)
    ]
    begin = 0
    for end in begins:
        if records[begin:end]:
            yield ProgramRecord(pid, records[begin:end], followed=end < len(records))
        begin = end


def _readable(said: Any) -> dict[str, Any] | None:
    """Return a record with its values as this version means them, or None."""
    try:
        return {key: READ[key](value) for key, value in said.items() if key in READ}
    except UNREADABLE:
        return None


def _typed(**kinds: type) -> Callable[[Any], dict[str, Any]]:
    def read(value: Any) -> dict[str, Any]:
        for name, kind in kinds.items():
            if not isinstance(value[name], kind):
                raise TypeError(name)
        return dict(value)

    return read


def _text(value: Any) -> str | None:
    if not isinstance(value, str | None):
        raise TypeError(value)
    return value


def _seen(value: Any) -> RunSummary:
    return RunSummary(**{name: int(count) for name, count in value.items()})


_held = _typed(key=str, ranks=list, step=int, place=int, gradients=list, parameters=list)


_counted = _typed(key=str, ranks=list, step=int, place=int, items=float, share=float)


def _counting(value: Any) -> dict[str, Any]:
    if "finding" in value:
        from_record(value["finding"])
    return _counted(value)


def _holding(value: Any) -> dict[str, Any]:
    if "finding" in value:
        from_record(value["finding"])
    return _held(value)


READ: Mapping[str, Callable[[Any], Any]] = {
    "process": _typed(name=str, parent=int, torch=str),
    "rank": _typed(number=int, world=int),
    "found": from_record,
    "findings": lambda records: tuple(map(from_record, records)),
    "seen": _seen,
    "held": _holding,
    "items": _counting,
    "proof": _typed(optimizer=str, number=int, deposits=int),
    "failed_backward": int,
    "exec": _text,
    "cut_off": _text,
    "end": _text,
    "raised": _text,
    "internal_error": _text,
    "unheard": lambda rules: [str(rule) for rule in rules],
}
"""What a record may hold, and how it is read; what a later version adds is passed over."""
