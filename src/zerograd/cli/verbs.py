"""The verbs of the command line, each in the module of its name, loaded only when typed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

# A new verb is one line here and a module `zerograd.cli.<verb>` with a click command `command`.
SUMMARIES = {
    "doctor": "say what works here, and what to type where not",
    "explain": "say what a rule or a question is about",
    "lint": "find gradient faults in source",
    "prove": "compare each step of a script with the gradient of its whole batch",
    "rules": "list the rules",
    "server": "serve findings to an editor",
    "watch": "run a script and report its gradient faults",
}


class Verb(click.Command):
    """A command that knows its name and summary, and imports the rest when it is typed."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Return the context of the real command, which click then invokes."""
        command: click.Command = import_module(f"zerograd.cli.{self.name}").command
        return command.make_context(info_name, args, parent, **extra)


VERBS = {verb: Verb(verb, short_help=summary) for verb, summary in SUMMARIES.items()}
