"""What one call of `zerograd lint` works on: its settings, its files, and how it lints them."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zerograd.cli.lint_options import command_line
from zerograd.errors import UnreadableError
from zerograd.lint.program.display_paths import shown
from zerograd.lint.shell.check_file import Job
from zerograd.lint.shell.files.find import Found, find_files
from zerograd.lint.shell.files.root import project_root, settings_start
from zerograd.lint.shell.results import wanted
from zerograd.lint.shell.run import lint_files
from zerograd.record import field, record, replace
from zerograd.settings import excluded, load_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zerograd.findings import Finding
    from zerograd.lint.shell.run import LintRun
    from zerograd.settings import Settings

STDIN = Path("-")
NAMELESS = Path("stdin.py")


@record(kw_only=True, eq=False)
class Task:
    """One call: the files, and what they are linted with."""

    settings: Settings
    found: Found
    job: Job
    processes: int
    is_quiet: bool
    title: str = ""
    """The paths, as they were typed."""

    paths: tuple[Path, ...] = ()
    """The paths that the user named."""

    known: Counter[str] = field(default_factory=Counter)
    """The baseline."""

    gone: int = 0
    """Findings that the baseline knows and that are not there any more."""

    def lint(self, overlay: Mapping[str, bytes] | None = None) -> LintRun:
        """Lint all files; `overlay` takes the place of contents."""
        job = self.job if overlay is None else replace(self.job, overlay=overlay)
        if self.is_quiet or not sys.stderr.isatty():
            return lint_files(self.found.files, job, processes=self.processes)
        from zerograd.cli.progress import Bar

        with Bar() as bar:
            return lint_files(self.found.files, job, processes=self.processes, progress=bar.advance)

    def findings(self, run: LintRun) -> list[Finding]:
        """Return what the user wants to see of a run."""
        findings = wanted(run, self.settings)
        if self.known:
            from zerograd.lint.shell.baseline import new_findings

            findings, self.gone = new_findings(findings, self.known)
        return findings


def task_of(paths: tuple[Path, ...], settings: Settings, options: Mapping[str, Any]) -> Task:
    """Return the task that a command line means; reads standard input if that is meant."""
    given: dict[str, bytes] = {}
    is_stdin = STDIN in paths
    paths = (options["stdin_filename"] or NAMELESS,) if is_stdin else paths
    root = project_root(paths, settings)
    if is_stdin:
        found = stdin_file(paths[0], settings, given)
    else:
        found = find_files(paths, settings, root.opened)
    job = Job(root=root.folder, knowledge=settings.knowledge, opened=root.opened, overlay=given)
    task = Task(
        settings=settings,
        found=found,
        job=job,
        processes=options["jobs"],
        is_quiet=options["quiet"],
        title=" ".join(map(str, paths)),
        paths=paths,
    )
    if settings.baseline and not options["write_baseline"]:
        from zerograd.lint.shell.baseline import read_baseline

        task.known = read_baseline(settings.baseline)
    return task


def settings_of(paths: tuple[Path, ...], options: Mapping[str, Any]) -> Settings:
    """Return the settings that hold for these paths."""
    check_usage(paths, options)
    start = settings_start([path for path in paths if path != STDIN])
    return load_settings(
        start,
        config=options["config"],
        isolated=options["isolated"],
        command_line=command_line(options),
    )


def check_usage(paths: tuple[Path, ...], options: Mapping[str, Any]) -> None:
    """Refuse what cannot be meant."""
    if STDIN in paths and len(paths) > 1:
        raise click.UsageError("`-` stands alone: standard input, or files")
    if options["stdin_filename"] and STDIN not in paths:
        raise click.UsageError("--stdin-filename goes with `-`; write `zerograd lint -`")


def stdin_file(path: Path, settings: Settings, given: dict[str, bytes]) -> Found:
    """Read standard input, which goes by the name of a file."""
    # Given even if it is excluded: an editor that asks for `--fix` takes what is printed.
    if sys.stdin is None:
        raise UnreadableError("standard input is closed; name a file, or write `< train.py`")
    given[shown(path)] = sys.stdin.buffer.read()
    if settings.force_exclude and excluded(path, settings):
        return Found(notes=[f"{shown(path)} is excluded by the settings"])
    return Found({shown(path): True})
