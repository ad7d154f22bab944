"""`zerograd rules`: the catalogue as a table, as text or as JSON."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import click

from zerograd.cli.terminal import wants_rich
from zerograd.errors import UnknownRuleError
from zerograd.rules import CATALOGUE, SECTIONS, Seen, code_prefix, suggestion

if TYPE_CHECKING:
    from zerograd.rules import Rule

HELP = """List the rules, each with its status and what earned it.

Name rules, beginnings of codes or sections to list only those. SEEN says who sees the fault: L lint
in the source, W watch in a run, E the engine, which makes it impossible or refuses it. A rule is
stable once it has found three REAL bugs in public code and nothing FALSE, until then in preview.

\b
Examples:
  zerograd rules
  zerograd rules clearing windows
  zerograd rules ZG4 missing-zero
  zerograd rules --format json | jq '.rules[].name'

Exit status: 0, or 2 for a rule or section that does not exist.
"""

COLUMNS = ("code", "name", "severity", "seen", "status", "real", "false", "fault")
COLOURS = {"error": "red", "warning": "yellow", "hint": "cyan"}


@click.command("rules", help=HELP, short_help="list the rules")
@click.argument("which", nargs=-1, metavar="[RULE|SECTION]...")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
def command(which: tuple[str, ...], form: str) -> None:
    """List the rules."""
    rules = chosen(which)
    if form == "json":
        click.echo(as_json(rules))
    elif wants_rich():
        print_table(rules)
    else:
        click.echo(as_text(rules))


def chosen(which: tuple[str, ...]) -> list[Rule]:
    """Return the rules that any of these words means, in the catalogue's order; all for none."""
    prefixes = tuple(meaning(word) for word in which) or ("ZG",)
    return [rule for rule in CATALOGUE if rule.code.startswith(prefixes)]


def meaning(word: str) -> str:
    """Return the beginning of the codes that a word means: a section, a code or a name."""
    sections = {title: f"ZG{number}" for number, title in SECTIONS.items()}
    prefix = sections.get(word.lower()) or code_prefix(word)
    if prefix is None:
        hint = f"{suggestion(word)}, the sections are {', '.join(sections)}"
        raise UnknownRuleError(f"unknown rule or section {word!r}; {hint}")
    return prefix


def cells(rule: Rule) -> tuple[str, ...]:
    """Return a rule's row of the table."""
    seen = "".join(who.name[0] if who in rule.seen else "-" for who in Seen if who.name)
    counts = (str(rule.real), str(rule.false))
    return (rule.code, rule.name, rule.severity, seen, rule.status, *counts, rule.fault)


def as_text(rules: list[Rule]) -> str:
    """Return the table for a pipe: one line a rule, columns aligned, nothing cut off."""
    rows = [tuple(column.upper() for column in COLUMNS), *(cells(rule) for rule in rules)]
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def print_table(rules: list[Rule]) -> None:
    """Draw the table on a terminal, a line between sections."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*COLUMNS, header_style="bold", pad_edge=False)
    for _, section in groupby(rules, key=attrgetter("section")):
        for rule in section:
            code, name, severity, *rest = cells(rule)
            style = COLOURS[severity]
            table.add_row(code, Text(name, "bold"), Text(severity, style), *map(Text, rest))
        table.add_section()
    Console().print(table)


def as_json(rules: list[Rule]) -> str:
    """Return the rules for a program to read; keys may be added within version 1."""
    import json

    return json.dumps({"version": 1, "rules": [as_object(rule) for rule in rules]}, indent=2)


def as_object(rule: Rule) -> dict[str, object]:
    """Return everything that the catalogue says of a rule."""
    return {
        "code": rule.code,
        "name": rule.name,
        "section": SECTIONS[rule.section],
        "severity": rule.severity,
        "seen": [who.name.lower() for who in Seen if who in rule.seen and who.name],
        "status": rule.status,
        "real": rule.real,
        "false": rule.false,
        "fault": rule.fault,
        "at": rule.at,
        "repair": rule.repair,
        "url": rule.url,
    }
