"""One run of `zerograd watch`: check what can be checked, run, report, and end like the script."""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings
from zipfile import is_zipfile

import click

from zerograd.cli.output import refuse_unwritable, write_report
from zerograd.cli.watch_recover import mention
from zerograd.cli.watch_repairs import with_repairs
from zerograd.errors import BrokenWatchError, MissingDependencyError, ScriptError, UnreadableError
from zerograd.printable import say
from zerograd.reports import View, find_report
from zerograd.watch.process.gather_journals import broken_off, gather
from zerograd.watch.process.launch import exit_like, nothing_more, run_script
from zerograd.watch.process.multi_process_run import begun_run
from zerograd.watch.process.options import ProcessOptions
from zerograd.watch.process.torchrun import on_ranks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zerograd.cli.watch_live import LiveReport
    from zerograd.findings import Results
    from zerograd.settings import Settings

EVERY = 2.0
"""Seconds after which a live page is drawn again."""

FOUND, BROKEN = 1, 2
"""What `--strict` makes of a script that succeeded: something was found, or watch itself broke."""


def run(arguments: Sequence[str], settings: Settings, options: Mapping[str, Any]) -> int:
    """Run the script, report, and exit like it."""
    check(arguments, settings, options)
    if not options["quiet"] and os.environ.get("LOCAL_RANK", "0") == "0":
        mention()
    watched = ProcessOptions(
        settings=settings,
        fail_fast=options["fail_fast"],
        max_steps=options["max_steps"],
        quiet=options["quiet"],
        record=wants_history(settings, options),
        refresh=(options["every"] or EVERY) if is_followed(options) else 0.0,
    )
    view = View(title=" ".join(arguments))
    command = on_ranks(arguments, options["nproc"]) if options["nproc"] else arguments
    outcome = 0
    with begun_run(arguments) as here:
        live = follower(here.folder, settings, options, view)

        def conclude() -> None:
            nonlocal outcome
            last = end_of(here.folder) if live is not None else None
            if live is not None:
                live.end(last)
            if here.leave():
                outcome = told(here.folder, settings, options, view)
                here.clean_up()  # now: an overdue script may take us with it

        overdue = conclude if here.in_company else None
        started = partial(live.begin, serve=options["live"]) if live is not None else nothing_more
        status = run_script(command, here.folder, watched, overdue, started)
        conclude()
    if options["strict"] and status == 0:
        return outcome
    if status < 0:
        flush()
        exit_like(status)
    return status


def told(folder: Path, settings: Settings, options: Mapping[str, Any], view: View) -> int:
    """Report what a run found; return the status that `--strict` gives it.

    Whatever goes wrong with us here, the script keeps its own status.
    """
    try:
        results = gather(folder)
        show(results, settings, options, view)
    except BrokenWatchError as error:
        say(f"{error}")
        return BROKEN
    except Exception as mistake:
        words = f"{type(mistake).__name__}: {mistake}".partition("\n")[0]
        say(f"{broken_off(f'a bug of ours: {words}')}")
        return BROKEN
    return FOUND if results.findings else 0


def show(results: Results, settings: Settings, options: Mapping[str, Any], view: View) -> None:
    """Write the report, and draw it if it is wanted."""
    report(results, settings, options, view)
    if options["html"] is not None:
        draw(results, settings, options["html"], view)


def is_followed(options: Mapping[str, Any]) -> bool:
    """Whether somebody looks at the run while it goes on."""
    return bool(options["live"] or options["every"])


def follower(
    folder: Path, settings: Settings, options: Mapping[str, Any], view: View
) -> LiveReport | None:
    """Return what draws the run while it goes on, if that is wanted; of several ranks, for one."""
    if not is_followed(options) or os.environ.get("LOCAL_RANK", "0") != "0":
        return None
    # Imported here: a server takes as long to load as all the rest.
    from zerograd.cli.watch_live import LiveReport

    every = options["every"] or EVERY
    file = options["html"] if options["every"] else None
    return LiveReport(folder, settings, view, every=every, file=file)


def end_of(folder: Path) -> Results | None:
    """Return what a run came to, or nothing where that cannot be told."""
    try:
        return gather(folder)
    except Exception:  # `told` says why
        return None


def wants_history(settings: Settings, options: Mapping[str, Any]) -> bool:
    """Whether the run is to be recorded: only this report draws it."""
    return options["html"] is not None or settings.format == "html" or options["live"]


def draw(results: Results, settings: Settings, file: Path, view: View) -> None:
    """Write the HTML report; where that fails, say so, and leave the script its status."""
    try:
        write_report(with_repairs(results, settings), "html", file, view=view)
    except UnreadableError as error:
        say(f"{error}")
    except Exception as mistake:  # what was found stands in the report above
        words = f"{type(mistake).__name__}: {mistake}".partition("\n")[0]
        say(f"cannot draw {file}, by a bug of ours: {words}")


def report(results: Results, settings: Settings, options: Mapping[str, Any], view: View) -> None:
    """Write the report; where that fails, say so, and leave the script its status."""
    output = options["output"]
    try:
        if results.findings or output is not None or not options["quiet"]:
            write_report(results, settings.format, output, view=view, quiet=options["quiet"])
        sys.stdout.flush()
    except UnreadableError as error:
        say(f"{error}; the report follows")
        write_report(results, settings.format, view=view, quiet=options["quiet"])
    except OSError as error:
        # The reader has gone, or the disk is full: the script's status is still worth having.
        if not isinstance(error, BrokenPipeError):
            say(f"cannot write the report: {error.strerror or error}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def flush() -> None:
    """Write out what is still buffered: a signal would take it with it."""
    sys.stdout.flush()
    sys.stderr.flush()


def check(arguments: Sequence[str], settings: Settings, options: Mapping[str, Any]) -> None:
    """Refuse now what would fail after hours of training."""
    find_report("html" if wants_history(settings, options) else settings.format)
    if options["every"] and not (options["live"] or options["html"]):
        raise click.UsageError("--every is for --live or --html; add one of them")
    for file in (options["output"], options["html"]):
        refuse_unwritable(file)
    if arguments[0] not in ("-m", "-"):
        check_script(Path(arguments[0]))
    if find_spec("torch") is None:
        raise MissingDependencyError(
            f"watching needs PyTorch, and {sys.executable} has none; pip install torch"
        )


def check_script(script: Path) -> None:
    """Refuse what Python could not run."""
    if not script.exists():
        raise ScriptError(f"there is no script {str(script)!r} in {Path.cwd()}; check its path")
    if script.is_dir() and not (script / "__main__.py").exists():
        raise ScriptError(
            f"{str(script)!r} is a folder without a __main__.py; name a script, or -m MODULE"
        )
    if script.suffix == ".ipynb":
        raise ScriptError(
            f"{str(script)!r} is a notebook; write `import zerograd; zerograd.watch()` "
            f"in its first cell instead"
        )
    if not os.access(script, os.R_OK):
        raise ScriptError(f"{str(script)!r} cannot be read; check its permissions")
    if script.is_file() and not is_zipfile(script):
        check_source(script)


def check_source(script: Path) -> None:
    """Refuse a script that is no Python, with its line."""
    try:
        with catch_warnings(action="ignore"):  # Python will say them when it runs the script
            compile(script.read_bytes(), script, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise ScriptError(f"{script}{line} is not valid Python: {reason}") from error
