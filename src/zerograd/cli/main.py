"""The `zerograd` command: what it says about itself, and how it ends."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from zerograd import __version__
from zerograd.cli.completion import ASKED_BY, split_once_in_fish
from zerograd.cli.verbs import VERBS
from zerograd.errors import ZerogradError
from zerograd.printable import printable, say

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

WRONG = 2
"""Wrong usage or configuration, something that cannot be read or written, or a bug of ours."""

INTERRUPTED = 130

NOWHERE = (
    "the working directory was deleted, or may not be read; `cd` to one that exists and try again"
)

HELP = """PyTorch adds every backward() to .grad. zerograd keeps the books.

\b
Examples:
  zerograd lint                   find gradient faults in the source below this folder
  zerograd watch train.py         run a script and report the faults that happen
  zerograd prove train.py         compare its steps with the gradients of their batches
  zerograd rules                  the ways that training goes wrong without an error
  zerograd explain                the questions people ask
  zerograd explain missing-zero   one fault: its damage, a loop that shows it, the repair

Exit status: 0 when all went well, 1 when lint found something, 2 for wrong usage or configuration,
130 after Ctrl-C.
"""


@click.group(
    "zerograd",
    commands=VERBS,
    help=HELP,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="zerograd")
@click.pass_context
def zerograd(context: click.Context) -> None:
    """Hold the verbs; alone, show the help."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@zerograd.command("help", hidden=True)
@click.argument("verb", nargs=-1)
def show_help(verb: tuple[str, ...]) -> int:
    """Do what `--help` does, for who types it as a verb."""
    status: int = zerograd.main([*verb, "--help"], prog_name="zerograd", standalone_mode=False)
    return status


@zerograd.result_callback()
def finish(status: int | None) -> int:
    """Write out what is still buffered, while a vanished reader is still handled quietly."""
    sys.stdout.flush()
    return status or 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; a vanished reader exits at once, quietly."""
    supply_streams()
    prepare_streams()
    if os.environ.get(ASKED_BY, "").startswith("fish"):
        split_once_in_fish()
    try:
        status: int = zerograd.main(arguments, prog_name="zerograd", standalone_mode=False)
    except ZerogradError as error:
        return complain(str(error))
    except click.ClickException as error:
        return complain(usage(error), where_to_look(error))
    except click.Abort:
        return INTERRUPTED
    except OSError as error:
        if not is_somewhere():
            return complain(NOWHERE)
        abandon_output()
        return complain(str(error))
    except Exception:
        return report_bug()
    return status


def supply_streams() -> None:
    """Write nowhere when we were started without stdout or stderr, as some services do."""
    sys.stdout = sys.stdout or nowhere()
    sys.stderr = sys.stderr or nowhere()


def nowhere() -> TextIO:
    """Return a stream that swallows everything."""
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123  lives until exit


def prepare_streams() -> None:
    """Let an ASCII-only terminal show `?` for what it lacks, and keep the order of both streams.

    Into one pipe, as CI reads them, stdout would otherwise come after all that stderr says.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace", line_buffering=True)


def is_somewhere() -> bool:
    """Whether the working directory still exists, and its path can be read."""
    try:
        os.getcwd()  # noqa: PTH109  `Path.cwd` is the same, and hides the question
    except OSError:
        return False
    return True


def complain(sentence: str, advice: str = "") -> int:
    """Say on stderr why nothing was done."""
    say(sentence)
    if advice:
        sys.stderr.write(f"{printable(advice)}\n")
    return WRONG


def usage(error: click.ClickException) -> str:
    """Return a mistake on the command line as one sentence."""
    message = error.format_message().rstrip(".")
    return message[:1].lower() + message[1:]


def where_to_look(error: click.ClickException) -> str:
    """Return which help says how it is typed."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f"Try `{context.command_path} --help`." if context else ""


def abandon_output() -> None:
    """Keep the interpreter from failing a second time when it flushes a broken stdout at exit."""
    sys.stdout = nowhere()


def report_bug() -> int:
    """Show an exception that is our own fault, and ask for it."""
    import traceback

    # Each line behind a bar: a message with line ends in it forges none of ours.
    for line in traceback.format_exc().rstrip().split("\n"):
        sys.stderr.write(f"| {printable(line)}\n")
    return complain("internal error; please report it with the lines above")
