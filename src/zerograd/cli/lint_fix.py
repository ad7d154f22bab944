"""`zerograd lint --fix` and `--diff`: repair files, or show what a repair would change."""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zerograd.atomic import write_atomically
from zerograd.cli.lint_diff import write_diff
from zerograd.cli.lint_report import WRONG, report, status
from zerograd.errors import UnreadableError
from zerograd.lint.shell.fix import Repaired, ignored, repair
from zerograd.printable import say
from zerograd.reports.words import plural
from zerograd.rules import Repair

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from zerograd.cli.lint_task import Task
    from zerograd.findings import Finding
    from zerograd.lint.shell.run import LintRun


class Relint:
    """Lints as often as a repair asks for it, and keeps the last run for the report."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.run: LintRun = task.lint()
        self.overlay = task.job.overlay

    def __call__(self, overlay: Mapping[str, bytes]) -> list[Finding]:
        """Return the findings that are wanted, with these contents in place of files."""
        if overlay != self.overlay:
            self.run, self.overlay = self.task.lint(overlay), overlay
        return self.task.findings(self.run)


def fix_files(task: Task, options: Mapping[str, Any]) -> int:
    """Repair all files, or show the difference, and report what is left."""
    relint = Relint(task)
    repaired = repair(relint, task.job.overlay, unsafe=task.settings.unsafe_fixes)
    for sentence in repaired.refused.values():
        say(sentence)
    if options["diff"]:
        found = show_differences(repaired, relint.run, task, options)
    elif task.job.overlay:
        found = print_source(repaired, relint.run, task, options)
    else:
        found = write_all(repaired, relint.run, task, options)
    return WRONG if repaired.refused else found


def add_ignores(task: Task, options: Mapping[str, Any]) -> int:
    """Write comments that ignore what was found, or show them, and report what is left."""
    relint = Relint(task)
    written = ignored(relint(task.job.overlay), task.job.overlay)
    for sentence in written.refused.values():
        say(sentence)
    overlay = {**task.job.overlay, **written.after}
    relint(overlay)
    if options["diff"]:
        found = show_differences(written, relint.run, task, options, verb="would ignore")
    elif task.job.overlay:
        found = print_source(written, relint.run, task, options)
    else:
        found = write_all(written, relint.run, task, options, verb="ignored")
    return WRONG if written.refused else found


def write_all(
    repaired: Repaired,
    run: LintRun,
    task: Task,
    options: Mapping[str, Any],
    *,
    verb: str = "repaired",
) -> int:
    """Write the repaired files, say how many that were, and report what is left."""
    done: dict[str, str] = {}
    is_refused = False
    for path, before, after in differences(repaired):
        place = os.path.realpath(path)
        if place in done and repaired.after[done[place]] == after:
            continue  # a second name of a file that is already repaired
        try:
            write_atomically(Path(path), after, expected=before, inside=bounds(path, task))
            done[place] = path
        except UnreadableError as error:
            is_refused = True
            say(str(error))
    if done and not options["quiet"]:
        say(counted(repaired, done.values(), verb))
    if is_refused:
        report(task.lint(), task, options)  # the files as they are, not as they should be
        return WRONG
    return report(run, task, options)


def bounds(path: str, task: Task) -> Path:
    """Return the folder that no link may lead out of when this file is written.

    That of the settings file or of the repository; for files elsewhere, the one that was named.
    """
    place = Path(os.path.abspath(path))  # noqa: PTH100  without following links
    project = task.settings.folder if task.settings.file else task.job.root
    has_end = task.settings.file or (project / ".git").exists()
    if has_end and place.is_relative_to(project):
        return project
    for named in task.paths:
        typed = Path(os.path.abspath(named))  # noqa: PTH100  likewise
        if place.is_relative_to(typed):
            return typed.parent if place == typed else typed
    return place.parent


Difference = tuple[str, bytes, bytes]


def differences(repaired: Repaired) -> Iterator[Difference]:
    """Yield the files that change, in order, each with its content before and after."""
    for path, after in sorted(repaired.after.items()):
        if after != repaired.before[path]:
            yield path, repaired.before[path], after


def counted(repaired: Repaired, paths: Collection[str], verb: str) -> str:
    """Return what a repair did to these files: "repaired 3 findings in 2 files"."""
    findings = sum(repaired.fixes[path] for path in paths)
    return f"{verb} {plural(findings, 'finding')} in {plural(len(paths), 'file')}"


def print_source(repaired: Repaired, run: LintRun, task: Task, options: Mapping[str, Any]) -> int:
    """Write the repaired standard input to stdout, and the report to stderr."""
    for path, content in task.job.overlay.items():
        sys.stdout.flush()
        sys.stdout.buffer.write(repaired.after.get(path, content))
    with redirect_stdout(sys.stderr):
        return report(run, task, options)


def show_differences(
    repaired: Repaired,
    run: LintRun,
    task: Task,
    options: Mapping[str, Any],
    *,
    verb: str = "would repair",
) -> int:
    """Show what would change as a unified diff; a difference is status 1."""
    changed = [path for path, _, _ in differences(repaired)]
    for difference in differences(repaired):
        write_diff(*difference)
    if changed and not options["quiet"]:
        say(counted(repaired, changed, verb))
    is_repair = not (task.settings.unsafe_fixes or options["add_ignores"])
    held_back = unsafe_repairs(task.findings(run)) if is_repair else 0
    if held_back and not options["quiet"]:
        change, them = ("changes", "it") if held_back == 1 else ("change", "them")
        say(
            f"{plural(held_back, 'repair')} {change} what is computed: "
            f"`zerograd lint --unsafe-fixes --diff` shows {them}"
        )
    worst = status(run, [], task, options)
    return worst or (1 if changed and not options["exit_zero"] else 0)


def unsafe_repairs(findings: Sequence[Finding]) -> int:
    """Return how many repairs are left that change what is computed."""
    return sum(item.fix is not None and item.fix.safety is Repair.UNSAFE for item in findings)
