"""`zerograd lint --fix` and `--diff`: repair files, or show what a repair would change."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zerograd.atomic import write_atomically
from zerograd.cli.lint_report import WRONG, report, status
from zerograd.errors import UnreadableError
from zerograd.lint.check import text_of
from zerograd.lint.rewrite.passes import repair
from zerograd.reports.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zerograd.cli.lint_task import Task
    from zerograd.findings import Finding
    from zerograd.lint.rewrite.passes import Repaired
    from zerograd.lint.run import Run


class Relint:
    """Lints as often as a repair asks for it, and keeps the last run for the report."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.run: Run = task.lint()
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
    if options["diff"]:
        return show_differences(repaired, relint.run, task, options)
    if task.job.overlay:
        return print_source(repaired, relint.run, task, options)
    refused = [sentence for sentence in map(written, differences(repaired)) if sentence]
    for sentence in refused:
        sys.stderr.write(f"zerograd: {sentence}\n")
    if repaired.fixes and not options["quiet"]:
        sys.stderr.write(f"zerograd: {counted(repaired, 'repaired')}\n")
    return WRONG if refused else report(relint.run, task, options)


Difference = tuple[str, bytes, bytes]


def differences(repaired: Repaired) -> Iterator[Difference]:
    """Yield the files that change, in order, each with its content before and after."""
    for path, after in sorted(repaired.after.items()):
        if after != repaired.before[path]:
            yield path, repaired.before[path], after


def written(difference: Difference) -> str | None:
    """Write one repaired file, and return why not if it must stay as it is."""
    path, before, after = difference
    try:
        write_atomically(Path(path), after, expected=before)
    except UnreadableError as error:
        return str(error)
    return None


def counted(repaired: Repaired, verb: str) -> str:
    """Return what a repair did: "repaired 3 findings in 2 files"."""
    files = plural(len(repaired.after), "file")
    return f"{verb} {plural(repaired.fixes, 'finding')} in {files}"


def print_source(repaired: Repaired, run: Run, task: Task, options: Mapping[str, Any]) -> int:
    """Write the repaired standard input to stdout, and the report to stderr."""
    for path, content in task.job.overlay.items():
        sys.stdout.flush()
        sys.stdout.buffer.write(repaired.after.get(path, content))
    with redirect_stdout(sys.stderr):
        return report(run, task, options)


def show_differences(repaired: Repaired, run: Run, task: Task, options: Mapping[str, Any]) -> int:
    """Show what would change as a unified diff; a difference is status 1."""
    changed = list(differences(repaired))
    for difference in changed:
        sys.stdout.writelines(diff_lines(*difference))
    if repaired.fixes and not options["quiet"]:
        sys.stderr.write(f"zerograd: {counted(repaired, 'would repair')}\n")
    worst = status(run, [], task, options)
    return worst or (1 if changed and not options["exit_zero"] else 0)


def diff_lines(path: str, before: bytes, after: bytes) -> Iterator[str]:
    """Yield a file's difference as `patch` reads it."""
    old = text_of(path, before).content.splitlines(keepends=True)
    new = text_of(path, after).content.splitlines(keepends=True)
    for line in unified_diff(old, new, f"a/{path}", f"b/{path}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
