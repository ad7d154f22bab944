"""One run of `zerograd watch`: check what can be checked, run, report, and end like the script."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings
from zipfile import is_zipfile

from zerograd.cli.output import write_report
from zerograd.cli.watch_recover import mention
from zerograd.errors import MissingDependencyError, ScriptError, UnreadableError
from zerograd.reports import find_report
from zerograd.watch.gather import gather
from zerograd.watch.launch import exit_like, run_script
from zerograd.watch.options import Options
from zerograd.watch.runs import new_run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zerograd.findings import Results
    from zerograd.settings import Settings


def run(arguments: Sequence[str], settings: Settings, options: Mapping[str, Any]) -> int:
    """Run the script, report, and exit like it."""
    check(arguments, settings, options["output"])
    if not options["quiet"]:
        mention()
    watched = Options(
        settings=settings,
        fail_fast=options["fail_fast"],
        max_steps=options["max_steps"],
        quiet=options["quiet"],
    )
    with new_run(arguments) as folder:
        status = run_script(arguments, folder, watched)
        results = gather(folder)
        report(results, settings, options)
    if options["strict"] and status == 0 and results.findings:
        return 1
    if status < 0:
        flush()
        exit_like(status)
    return status


def report(results: Results, settings: Settings, options: Mapping[str, Any]) -> None:
    """Write the report; where that fails, say so, and leave the script its status."""
    output = options["output"]
    try:
        if results.findings or output is not None or not options["quiet"]:
            write_report(results, settings.format, output, quiet=options["quiet"])
        sys.stdout.flush()
    except UnreadableError as error:
        sys.stderr.write(f"zerograd: {error}; the report follows\n")
        write_report(results, settings.format, quiet=options["quiet"])
    except OSError as error:
        # The reader has gone, or the disk is full: the script's status is still worth having.
        if not isinstance(error, BrokenPipeError):
            sys.stderr.write(f"zerograd: cannot write the report: {error.strerror or error}\n")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def flush() -> None:
    """Write out what is still buffered: a signal would take it with it."""
    sys.stdout.flush()
    sys.stderr.flush()


def check(arguments: Sequence[str], settings: Settings, output: Path | None) -> None:
    """Refuse now what would fail after hours of training."""
    find_report(settings.format)
    if output is not None and not can_be_written(output):
        raise UnreadableError(f"cannot write {output}; name a file in a folder that can be written")
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


def can_be_written(file: Path) -> bool:
    """Whether a report could be put there."""
    return os.access(file, os.W_OK) if file.exists() else os.access(file.parent, os.W_OK)
