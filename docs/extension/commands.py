"""The commands' reference, from the parsers that read the command line."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator


def command(verb: str) -> str:
    """Return usage, help and options of a verb."""
    found: click.Command = import_module(f"zerograd.cli.{verb}").command
    context = click.Context(found, info_name=f"zerograd {verb}")
    usage = " ".join([context.command_path, *found.collect_usage_pieces(context)])
    return "\n".join(
        [f"```text\n{usage}\n```\n", prose(found.help or ""), *table(options(found, context))]
    )


def prose(text: str) -> str:
    r"""Return a help text; what a terminal keeps as it stands, after `\b`, becomes a block."""
    paragraphs = re.split(r"\n\n+", text.strip())
    return "\n\n".join(map(kept, paragraphs)) + "\n"


def kept(paragraph: str) -> str:
    """Return one paragraph of a help text, examples as a block under their heading."""
    if not paragraph.startswith("\b"):
        return paragraph
    heading, _, rest = paragraph.removeprefix("\b\n").partition("\n")
    lines = "\n".join(line.removeprefix("  ") for line in rest.split("\n"))
    return f"{heading}\n\n```text\n{lines}\n```"


def options(of: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    """Yield each option as the terminal shows it, with its help."""
    for parameter in of.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):
            yield record


def table(records: Iterator[tuple[str, str]]) -> Iterator[str]:
    """Yield a table of options."""
    yield "| option | meaning |"
    yield "|---|---|"
    for option, meaning in records:
        yield f"| `{cell(option)}` | {cell(meaning)} |"


def cell(text: str) -> str:
    """Return a text that may stand in a table: a bar in it is none of the table's."""
    return text.replace("|", "\\|")


def pytest_options() -> str:
    """Return the options of the pytest plugin."""
    recorder = Recorder()
    import_module("zerograd.integrations.pytest_plugin").pytest_addoption(recorder)
    return "\n".join(table(iter(recorder.options)))


class Recorder:
    """Takes the place of pytest's parser and keeps what it is told."""

    def __init__(self) -> None:
        self.options: list[tuple[str, str]] = []

    def getgroup(self, *about: str) -> Recorder:
        """Be the group as well."""
        del about
        return self

    def addoption(self, option: str, **about: Any) -> None:
        """Keep an option."""
        self.options.append((f"{option} {about.get('metavar', '')}".strip(), about["help"]))
