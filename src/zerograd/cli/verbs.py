"""The verbs of the command line, each in the module of its name, loaded only when typed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable

# A new verb is one line here and a module `zerograd.cli.<verb>` with a click command `command`.
VERBS = {
    "explain": "say what a rule or a question is about",
    "rules": "list the rules",
}


class Verbs(click.Group):
    """A group of commands that knows their names and summaries without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of the help."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the verb's module and return its command."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"zerograd.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the verb that was typed, or name the nearest."""
        if args[0] not in VERBS and not args[0].startswith("-"):
            raise click.UsageError(f"unknown command {args[0]!r}{did_you_mean(args[0], VERBS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs and their summaries into the help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


def did_you_mean(text: str, known: Iterable[str]) -> str:
    """Return the end of a sentence that names what may have been meant, or nothing."""
    from zerograd.rules.lookup import nearest

    near = nearest(text, known)
    return f"; did you mean {' or '.join(near)}?" if near else ""
