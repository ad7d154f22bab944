"""What `zerograd lint` says at its end: the report, the counts, the reach, a baseline."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zerograd.cli.output import write_report
from zerograd.findings import Sources
from zerograd.lint.shell.files.root import repository_root
from zerograd.lint.shell.results import results_of
from zerograd.printable import say, sentence
from zerograd.reports import View
from zerograd.reports.words import place, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zerograd.cli.lint_task import Task
    from zerograd.findings import Finding, Results
    from zerograd.lint.shell.run import LintRun

WRONG = 2
BASELINE = "zerograd-baseline.json"

PROSE = ("full", "concise")
"""Formats that people read."""


def report(run: LintRun, task: Task, options: Mapping[str, Any]) -> int:
    """Report what was found, or accept it, and return the status."""
    findings = task.findings(run)
    if options["write_baseline"]:
        write_baseline(findings, task, options)
        return status(run, [], task, options)
    # A program that reads the report gets its document also when nothing was found.
    is_read = task.settings.format not in PROSE or options["output"]
    if findings or is_read or not options["quiet"]:
        write(run, findings, task, options)
    return status(run, findings, task, options)


def status(
    run: LintRun, findings: Sequence[Finding], task: Task, options: Mapping[str, Any]
) -> int:
    """Return 2 for what went wrong, 1 for findings, else 0."""
    named = task.found.files
    if any(file.is_failure or (file.is_unreadable and named[file.path]) for file in run.checked):
        return WRONG
    return 1 if findings and not options["exit_zero"] else 0


def write(
    run: LintRun, findings: Sequence[Finding], task: Task, options: Mapping[str, Any]
) -> None:
    """Write the report of a run."""
    results = results_of(run, findings, notes(task), task.settings)
    form = task.settings.format
    if options["statistics"]:
        sys.stdout.write(statistics(results, as_json=form == "json"))
        return
    if options["reach"] and form in PROSE:
        sys.stdout.writelines(unchecked_lines(results))
    quiet = options["quiet"]
    sources = Sources(texts=run.texts)
    view = View(sources=sources, prefix=prefix(), quiet=quiet, title=task.title)
    write_report(results, form, options["output"], view=view, quiet=quiet)


def notes(task: Task) -> Iterator[str]:
    """Yield what a reader should know besides the findings."""
    yield from task.found.notes
    if not task.found.files and not task.found.notes:
        yield "no Python files or notebooks were found"
    if task.gone:
        be, them = ("is", "it") if task.gone == 1 else ("are", "them")
        yield (
            f"{plural(task.gone, 'finding')} of the baseline {be} gone; "
            f"`zerograd lint --write-baseline` forgets {them}"
        )


def prefix() -> str:
    """Return the working directory as seen from the repository's root."""
    here = Path.cwd()
    root = repository_root(here)
    return "" if root is None or root == here else here.relative_to(root).as_posix()


def statistics(results: Results, *, as_json: bool) -> str:
    """Return how often each rule was found, the most frequent first."""
    counts = Counter(finding.rule for finding in results.findings)
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0].code))
    if as_json:
        import json

        listed = [{"code": rule.code, "name": rule.name, "count": n} for rule, n in rows]
        return json.dumps({"version": 1, "statistics": listed}, indent=2) + "\n"
    return "".join(f"{count:5}  {rule.code}  {rule.name:24}{rule.fault}\n" for rule, count in rows)


def unchecked_lines(results: Results) -> Iterator[str]:
    """Yield a line for each loop that was not judged, with what stopped it."""
    for loop in results.reach.unchecked:
        yield f"{place(loop.location)}: not checked: {sentence(loop.reason)}\n"


def write_baseline(findings: Sequence[Finding], task: Task, options: Mapping[str, Any]) -> None:
    """Accept all findings of today."""
    from zerograd.atomic import write_atomically
    from zerograd.lint.program.display_paths import shown
    from zerograd.lint.shell.baseline import baseline_text

    file = task.settings.baseline or Path(BASELINE)
    # Only a path that the user typed leads anywhere; a tree that nobody vetted may hold a link.
    inside = None if options["baseline"] else task.settings.folder
    write_atomically(file, baseline_text(findings).encode(), inside=inside)
    told = f"{shown(str(file))} now knows {plural(len(findings), 'finding')}"
    use = "" if task.settings.baseline else f'; set baseline = "{BASELINE}" in [tool.zerograd]'
    say(f"{told}{use}")
