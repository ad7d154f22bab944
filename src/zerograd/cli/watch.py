"""`zerograd watch`: run a script as it is, and report its gradient faults."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zerograd.cli.lint_options import A_FILE, COMMA, commas
from zerograd.settings import FORMATS, load_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zerograd.settings import Settings

HELP = """Run SCRIPT as it is and report every gradient fault that happens.

The script runs with its own arguments, working directory and exit status; its parameters, losses
and random numbers are those of the bare run. Each fault is said once on stderr when it first
happens and reported at the end on stdout: where, how often, how badly, and what to type instead.

\b
Examples:
  zerograd watch train.py --epochs 2       everything after SCRIPT is the script's
  zerograd watch -m mypackage.train        like python -m
  zerograd watch --strict train.py         exit 1 when something was found, for CI
  zerograd watch --fail-fast train.py      stop at the first error, with a traceback
  zerograd watch --max-steps 200 train.py  stop early and cleanly
  zerograd watch --nproc 2 train.py        two ranks, one report
  zerograd watch --html run.html train.py  see the run: findings, ledger and plots, offline
  zerograd watch --live train.py           the same page on this machine, while it trains

\b
Allow what is meant, in the script:
  loss.backward()  # zerograd: ignore[missing-zero]
  with zerograd.allow("missing-zero"): ...

Exit status: the script's own; with --strict, 1 when the script succeeded and something was found,
2 when a bug of ours kept it from being watched; 2 for wrong usage or settings, or without PyTorch.
"""

FLAGS = ("hints", "preview")
LISTS = ("select", "extend-select", "ignore")


class WatchCommand(click.Command):
    """A command line that ends where the script's own begins."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave to the module what follows `-m MODULE`, as Python does."""
        return super().parse_args(ctx, self._parted(args))

    def _parted(self, args: list[str]) -> list[str]:
        takes_value = False
        for position, argument in enumerate(args):
            if argument == "-m" and position + 1 < len(args):
                return [*args[: position + 2], "--", *args[position + 2 :]]
            if not takes_value and (argument == "--" or not argument.startswith("-")):
                break
            takes_value = not takes_value and argument in self._with_value()
        return args

    def _with_value(self) -> set[str]:
        options = (option for option in self.params if isinstance(option, click.Option))
        return {name for option in options if not option.is_flag for name in option.opts}


@click.command(
    "watch",
    cls=WatchCommand,
    help=HELP,
    short_help="run a script and report its gradient faults",
    context_settings={"allow_interspersed_args": False},
)
@click.option("-m", "module", metavar="MODULE", help="Run a module, like python -m.")
@click.option("--nproc", metavar="N", help="Run N ranks, as torchrun --nproc-per-node does.")
@click.option("--strict", is_flag=True, help="Exit 1 when something was found.")
@click.option("--fail-fast", is_flag=True, help="Stop at the first error, with a traceback.")
@click.option("--max-steps", type=click.IntRange(min=1), metavar="N", help="Stop after N steps.")
@click.option("--select", multiple=True, metavar="RULES", help=f"Only these rules. {COMMA}")
@click.option("--extend-select", multiple=True, metavar="RULES", help="These rules too.")
@click.option("--ignore", multiple=True, metavar="RULES", help="All but these rules.")
@click.option(
    "--hints",
    is_flag=True,
    default=None,
    help="Report hints too; those of rules in preview with --preview.",
)
@click.option("--preview", is_flag=True, default=None, help="Report rules in preview too.")
@click.option(
    "--format", "--output-format", "form", type=click.Choice(FORMATS), help="How to report."
)
@click.option("--output", type=A_FILE, metavar="FILE", help="Report to a file.")
@click.option("--html", type=A_FILE, metavar="FILE", help="Draw the run too, in one HTML file.")
@click.option("--live", is_flag=True, help="Show the run in a browser while it goes on.")
@click.option(
    "--every",
    type=click.FloatRange(min=0.5),
    metavar="SECONDS",
    help="Draw --live or --html anew after so long.",
)
@click.option("-q", "--quiet", is_flag=True, help="Findings only, and only at the end.")
@click.option("--config", type=A_FILE, metavar="FILE", help="Read settings from this file.")
@click.option("--isolated", is_flag=True, help="Read no settings file.")
@click.option("--recover", is_flag=True, help="Report what killed runs had found; run nothing.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT [ARGS]...")
def command(arguments: tuple[str, ...], module: str | None, **options: Any) -> int:
    """Run the script, report, and exit like it."""
    settings = settings_of(options)
    if options["recover"]:
        from zerograd.cli.watch_recover import recover

        return recover(settings)
    from zerograd.cli.watch_run import run

    return run(python_arguments(arguments, module), settings, options)


def settings_of(options: Mapping[str, Any]) -> Settings:
    """Return the settings of the working directory, with the command line over them."""
    lists = {key: commas(options[key.replace("-", "_")]) for key in LISTS}
    flags = {key: options[key] for key in FLAGS}
    return load_settings(
        Path.cwd(),
        config=options["config"],
        isolated=options["isolated"],
        command_line={**lists, **flags, "format": options["form"]},
    )


def python_arguments(
    arguments: Sequence[str], module: str | None, verb: str = "watch"
) -> list[str]:
    """Return what follows `python` on the command line that is watched."""
    if module is not None:
        return ["-m", module, *arguments]
    if not arguments:
        raise click.UsageError(
            f"name a script: zerograd {verb} train.py", click.get_current_context()
        )
    return list(arguments)
