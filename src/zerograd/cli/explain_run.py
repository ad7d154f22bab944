"""`zerograd explain --run`: a page's loops, executed side by side as they go."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Any

from zerograd.cli.output import refuse_unwritable, write_report
from zerograd.errors import MissingDependencyError, ScriptError
from zerograd.findings import Reach, Results, Sources
from zerograd.findings.record import from_record
from zerograd.history.history import from_record as history_from
from zerograd.printable import printable
from zerograd.record import field, record
from zerograd.reports import View, find_report
from zerograd.rules import exact_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zerograd.rules.page import Program

MARK = "\x1fzerograd "
EVERY = 12
"""Steps that are all shown; of later ones every tenth."""

WIDTH = 23


@record()
class Performance:
    """One program while it runs."""

    name: str
    """"broken" or "repaired"; a topic's only program is its "loop"."""

    process: subprocess.Popen[str]
    complaints: Path
    """Where its stderr goes."""

    lines: SimpleQueue[str | None] = field(default_factory=SimpleQueue)
    printed: list[str] = field(default_factory=list)
    outcome: dict[str, Any] = field(default_factory=dict)

    def listen(self) -> None:
        """Take in what it says, while somebody else waits for it."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each step as it happens; keep what the program itself prints."""
        while (line := self.lines.get()) is not None:
            if not line.startswith(MARK):
                self.printed.append(line)
                continue
            record = json.loads(line.removeprefix(MARK))
            if "step" in record:
                yield record
            else:
                self.outcome = record


def run(programs: Sequence[Program], page: str, html: Path | None) -> int:
    """Run the programs of a page at the same time, show them, and draw them if asked to."""
    if find_spec("torch") is None:
        raise MissingDependencyError("running a page needs PyTorch; pip install torch")
    if not programs:
        raise ScriptError(f"the page {page!r} has no loop to run; `zerograd explain {page}` is all")
    if html is not None:
        find_report("html")  # now: a missing library is said before the loops run
        refuse_unwritable(html)
    names = ("broken", "repaired") if len(programs) == 2 else ("loop",)
    with TemporaryDirectory(prefix="zerograd-explain-") as folder:
        played = [
            start(name, program, Path(folder))
            for name, program in zip(names, programs, strict=True)
        ]
        try:
            perform(played)
        finally:
            stop(played)
        refuse_unfinished(played)
        if html is not None:
            view = View(sources=Sources(Path(folder)), title=f"zerograd explain {page} --run")
            write_report(results_of(played, page), "html", html, view=view)
    return 0


def start(name: str, program: Program, folder: Path) -> Performance:
    """Start one program in a process of its own."""
    (folder / f"{name}.py").write_text(program.source, encoding="utf-8")
    command = [sys.executable, "-m", "zerograd.watch.process.page_program", f"{name}.py"]
    complaints = folder / f"{name}.err"
    with complaints.open("wb") as stderr:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            encoding="utf-8",
        )
    played = Performance(name, process, complaints)
    Thread(target=played.listen, daemon=True).start()
    return played


def perform(played: Sequence[Performance]) -> None:
    """Print the steps of all programs side by side, each row when all have come so far."""
    rows = [one.rows() for one in played]
    current = [next(one, None) for one in rows]
    if any(current):
        sys.stdout.write(heading(played))
    step = 0
    while any(current):
        step += 1
        if step <= EVERY or step % 10 == 0:
            sys.stdout.write(f"{step:6}  {'  '.join(map(cell, current)).rstrip()}\n")
            sys.stdout.flush()
        current = [next(one, None) for one in rows]
    for one in played:
        if one.printed:
            sys.stdout.write(f"\n{one.name} prints:\n")
            sys.stdout.writelines(f"  {line}" for line in one.printed)


def heading(played: Sequence[Performance]) -> str:
    """Return the two lines above the rows."""
    names = "  ".join(f"{one.name:<{WIDTH}}" for one in played)
    columns = "  ".join(f"{'loss':<11} {'gradient':<11}" for _ in played)
    return f"{'':6}  {names.rstrip()}\n{'step':>6}  {columns.rstrip()}\n"


def cell(row: dict[str, Any] | None) -> str:
    """Return one program's loss and gradient norm at a step; blank when it has ended."""
    if row is None:
        return " " * WIDTH
    loss = "" if row["loss"] is None else f"{row['loss']:.4g}"
    return f"{loss:<11} {row['norm']:<11.4g}"


def stop(played: Sequence[Performance]) -> None:
    """Leave no process behind, also after Ctrl-C."""
    for one in played:
        with suppress(OSError):
            if one.process.poll() is None and not one.outcome:
                one.process.kill()
        one.process.wait()
        assert one.process.stdout is not None
        one.process.stdout.close()


def refuse_unfinished(played: Sequence[Performance]) -> None:
    """Say which loop broke down before its end: the page promises that it runs."""
    for one in played:
        if not one.outcome:
            said = one.complaints.read_text("utf-8", "replace").strip().splitlines()
            why = said[-1] if said else f"status {one.process.returncode}"
            raise ScriptError(
                f"{one.complaints.stem}.py did not run to its end ({printable(why)}); "
                f"does `{sys.executable} -c 'import torch'` work?"
            )


def results_of(played: Sequence[Performance], page: str) -> Results:
    """Return what all programs did as one run, each with lanes of its own.

    Only what the page is about is reported; a topic's loops may be broken in several ways.
    """
    rule = exact_rule(page)
    told = [one for one in played if one.outcome]
    histories = [history_from(one.outcome["history"]).of_process(one.name) for one in told]
    together = None
    for history in histories:
        together = history if together is None else together.followed_by(history)
    found = [from_record(record) for one in told for record in one.outcome["findings"]]
    wanted = [one for one in found if one.rule == rule or not (rule or one.severity == "hint")]
    steps = sum(one.outcome["steps"] for one in told)
    return Results(
        verb="watch",
        findings=tuple(wanted),
        reach=Reach(thing="step", seen=steps, checked=steps),
        history=together,
    )
