"""`zerograd prove`: run a script's first steps and compare each with its whole batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from zerograd.cli.watch import WatchCommand, python_arguments
from zerograd.printable import printable
from zerograd.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from zerograd.watch.process.journal_reader import ProgramRecord

HELP = """Run the first steps of SCRIPT and compare each with the gradient of its whole batch.

Accumulation is right if a window of micro-batches spends what one batch of all their items would.
SCRIPT runs as it is. How many items each loss is the mean of is read from its graph, and what was
deposited is weighed by items: no second run, no reference, no change to the script.

\b
Examples:
  zerograd prove train.py --epochs 2       everything after SCRIPT is the script's
  zerograd prove --steps 32 train.py       compare more windows than the first 8
  zerograd prove -m mypackage.train        like python -m

Exit status: 0 when every compared window agrees, 1 when one does not, 2 when none could be compared
or for wrong usage; the script's own if it fails.
"""

DIFFERS, UNSEEN = 1, 2


@click.command(
    "prove",
    cls=WatchCommand,
    help=HELP,
    short_help="compare each step of a script with the gradient of its whole batch",
    context_settings={"allow_interspersed_args": False},
)
@click.option("-m", "module", metavar="MODULE", help="Run a module, like python -m.")
@click.option("--nproc", metavar="N", help="Run N ranks, as torchrun --nproc-per-node does.")
@click.option(
    "--steps", type=click.IntRange(min=1), default=8, metavar="N", help="Stop after N steps."
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT [ARGS]...")
def command(arguments: tuple[str, ...], module: str | None, nproc: str | None, steps: int) -> int:
    """Run the script's first steps, and say how its windows compare."""
    from zerograd.cli.watch_run import check
    from zerograd.watch.process.launch import run_script
    from zerograd.watch.process.multi_process_run import begun_run
    from zerograd.watch.process.options import ProcessOptions
    from zerograd.watch.process.torchrun import on_ranks

    given = python_arguments(arguments, module, "prove")
    options: dict[str, Any] = {"html": None, "output": None, "live": False, "every": None}
    check(given, Settings(), options)
    watched = ProcessOptions(quiet=True, max_steps=steps, prove=True)
    outcome = 0
    with begun_run(given) as here:
        status = run_script(on_ranks(given, nproc) if nproc else given, here.folder, watched, None)
        if here.leave():
            outcome = told(here.folder)
            here.clean_up()
    return status or outcome


def told(folder: Path) -> int:
    """Print how the windows of every process compare; return the status for it."""
    from zerograd.watch.process.journal_reader import read_journals
    from zerograd.watch.report.proof import proofs

    programs = read_journals(folder).told
    found = [
        proof
        for one in programs
        for proof in proofs((r["proof"] for r in one.records if "proof" in r), one.rank)
    ]
    for proof in found:
        for sentence in proof.sentences():
            click.echo(printable(sentence))
    if not any(proof.seen for proof in found):
        reduced = any(proof.reduced for proof in found)
        why = "ranks reduce in the backward" if reduced else uncounted(programs)
        click.echo(printable(f"nothing could be compared: {why}"))
        return UNSEEN
    return 0 if all(proof.agrees for proof in found) else DIFFERS


def uncounted(programs: Sequence[ProgramRecord]) -> str:
    """Say why no items were counted: the losses do not show them, or this torch does not."""
    for one in programs:
        if "unequal-micro-batches" in (one.last("unheard") or ()):
            version = (one.last("process") or {}).get("torch")
            return (
                f"torch {version} does not show how many items a loss is the mean of; torch 2.10 "
                "and newer do"
            )
    return "no loss shows how many items it is the mean of"
