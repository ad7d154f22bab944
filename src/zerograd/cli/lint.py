"""`zerograd lint`: find gradient faults in source without running it, and repair them."""

from __future__ import annotations

import atexit
import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zerograd.cli.lint_options import OPTIONS
from zerograd.cli.lint_task import settings_of, task_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HELP = """Find gradient faults in PATHS without running anything.

PATHS are files, folders or notebooks; without any, the folder you are in. `-` reads standard
input. Files that git ignores are left out. Every finding comes with the way that leads to it and,
where there is one, its repair. What could not be judged is counted, not passed over in silence.

\b
Examples:
  zerograd lint                              everything below this folder
  zerograd lint train.py --reach             also list the loops that were not checked
  zerograd lint --why-silent train.py:31     tell what was judged there, and what was withheld
  zerograd lint --unsafe-fixes --diff        show the repairs
  zerograd lint --unsafe-fixes --fix         write them
  zerograd lint --format sarif --output zerograd.sarif
  zerograd lint --write-baseline             accept what is there, report what comes
  zerograd lint --add-ignores                the same, by comments on the lines
  zerograd lint --watch                      lint again whenever a file changes

\b
Silence one finding where it is meant:
  loss.backward()  # zerograd: ignore[missing-zero]

Exit status: 0 when nothing was found, 1 when something was, 2 for wrong usage or settings, a path
that cannot be read, a repair that cannot be written, or a bug of ours.
"""


def with_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options of lint."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@click.command("lint", help=HELP, short_help="find gradient faults in source")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH|-]...")
@with_options
def command(paths: tuple[Path, ...], **options: Any) -> int:
    """Lint, report, and tell by the status what was found."""
    # Nothing that lives until the end is garbage; Python would look through all of it once more.
    atexit.register(gc.freeze)
    if options["migrate"]:
        from zerograd.cli.migrate import show

        return show(options["migrate"])
    if options["settings_schema"]:
        from zerograd.cli.shown_settings import schema_text

        sys.stdout.write(schema_text())
        return 0
    if options["watch"]:
        from zerograd.cli.lint_watch import lint_until_interrupted

        lint_until_interrupted(paths, options, lint_once)
    return lint_once(paths, options)


def lint_once(paths: tuple[Path, ...], options: Mapping[str, Any]) -> int:
    """Lint, report, and return the status."""
    line = None
    if options["why_silent"]:
        from zerograd.cli.why_silent import asked

        file, line = asked(paths, options["why_silent"])
        paths = (file,)
    paths = paths or (Path(),)
    settings = settings_of(paths, options)
    if options["show_settings"]:
        from zerograd.cli.shown_settings import settings_text

        sys.stdout.write(settings_text(settings))
        return 0
    task = task_of(paths, settings, options)
    if options["why_silent"]:
        from zerograd.cli.lint_report import status
        from zerograd.cli.why_silent import tell

        run = task.lint()
        tell(run.checked, line)
        return status(run, [], task, options)
    if options["add_ignores"]:
        from zerograd.cli.lint_fix import add_ignores

        return add_ignores(task, options)
    if options["diff"] or settings.fix:
        from zerograd.cli.lint_fix import fix_files

        return fix_files(task, options)
    from zerograd.cli.lint_report import report

    return report(task.lint(), task, options)
