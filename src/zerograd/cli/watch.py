"""`zerograd watch`: run a script as it is, and report its gradient faults."""

from __future__ import annotations

import shutil
import sys
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zerograd.cli.output import write_report
from zerograd.errors import MissingDependencyError, ScriptError
from zerograd.settings import FORMATS, load_settings

if TYPE_CHECKING:
    from zerograd.findings import Results

HELP = """Run SCRIPT as it is and report every gradient fault that happens.

The script runs with its own arguments, working directory and exit status; its parameters, losses
and random numbers are those of the bare run. Each fault is said once on stderr when it first
happens and reported at the end on stdout: where, how often, how badly, and what to type instead.

\b
Examples:
  zerograd watch train.py --epochs 2       everything after SCRIPT is the script's
  zerograd watch -m mypackage.train        like python -m
  zerograd watch --strict train.py         exit 1 when something was found, for CI
  zerograd watch --max-steps 200 train.py  stop early and cleanly

Exit status: the script's own; with --strict, 1 when the script succeeded and something was found;
2 for wrong usage.
"""

COMMA = "Several, separated by commas."


@click.command(
    "watch",
    help=HELP,
    short_help="run a script and report its gradient faults",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option("-m", "module", metavar="MODULE", help="Run a module, like python -m.")
@click.option("--strict", is_flag=True, help="Exit 1 when something was found.")
@click.option("--fail-fast", is_flag=True, help="Stop at the first error, with a traceback.")
@click.option("--max-steps", type=click.IntRange(min=1), metavar="N", help="Stop after N steps.")
@click.option("--select", metavar="RULES", help=f"Report only these rules. {COMMA}")
@click.option("--extend-select", metavar="RULES", help=f"Report these rules too. {COMMA}")
@click.option("--ignore", metavar="RULES", help=f"Do not report these rules. {COMMA}")
@click.option("--hints", is_flag=True, default=None, help="Report hints too.")
@click.option("--preview", is_flag=True, default=None, help="Report rules in preview too.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="How to report.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Report to a file.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing while the script runs.")
@click.option("--config", type=click.Path(path_type=Path), help="Read settings from this file.")
@click.option("--isolated", is_flag=True, help="Read no settings file.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT [ARGS]...")
def command(arguments: tuple[str, ...], module: str | None, **options: Any) -> None:
    """Run the script, report, and exit like it."""
    command_line = {key: options[key] for key in ("hints", "preview")}
    command_line |= {"format": options["form"]}
    for key in ("select", "extend-select", "ignore"):
        given = options[key.replace("-", "_")]
        command_line[key] = given.split(",") if given else None
    settings = load_settings(
        Path.cwd(),
        config=options["config"],
        isolated=options["isolated"],
        command_line=command_line,
    )
    run = ["-m", module, *arguments] if module else _script(arguments)
    _need_torch()
    # Loaded by name: nothing that the command line imports by itself may lead to torch.
    launch = import_module("zerograd.watch.launch")
    child_settings = {
        "select": list(settings.select),
        "extend-select": list(settings.extend_select),
        "ignore": list(settings.ignore),
        "hints": settings.hints,
        "preview": settings.preview,
    }
    folder = Path(tempfile.mkdtemp(prefix="zerograd-watch-"))
    try:
        status = launch.run_script(
            run,
            folder,
            {
                "settings": child_settings,
                "fail_fast": options["fail_fast"],
                "max_steps": options["max_steps"],
                "quiet": options["quiet"],
            },
        )
        results: Results = import_module("zerograd.watch.gather").gather(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    write_report(results, settings.format, options["output"])
    if options["strict"] and status == 0 and results.findings:
        status = 1
    launch.exit_like(status)


def _script(arguments: tuple[str, ...]) -> list[str]:
    if not arguments:
        raise click.UsageError("name a script: zerograd watch train.py")
    script = Path(arguments[0])
    if not script.exists():
        raise ScriptError(f"there is no script {arguments[0]!r} in {Path.cwd()}; check its path")
    return list(arguments)


def _need_torch() -> None:
    if find_spec("torch") is None:
        raise MissingDependencyError(
            f"watching needs PyTorch, and {sys.executable} has none; pip install torch"
        )
