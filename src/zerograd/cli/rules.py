"""`zerograd rules`: the catalogue as a table, as text or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from zerograd.cli.completion import completed_sections
from zerograd.cli.terminal import show, wants_rich
from zerograd.errors import UnknownRuleError
from zerograd.rules import CATALOGUE, SECTIONS, SeenBy, code_prefix, suggestion
from zerograd.rules.lookup import nearest

if TYPE_CHECKING:
    from zerograd.rules import Rule

LEGEND = """\
  SEVERITY  the highest that a finding of the rule can have: its page says when it is less
            error: what is trained is not what was written
            warning: almost always a fault; a rare program means it
            hint: worth a look; shown with --hints
  SEEN      L: by lint in the source; W: by watch in a run; E: the engine makes it impossible
  STATUS    stable: it found a real bug in public code, and is seldom wrong
            preview: it has not yet; lint shows it with --preview
  REAL      real bugs that it found in public code
  FALSE     findings there that were wrong
"""

HELP = f"""List the rules, each with its status and what earned it.

Name rules, beginnings of codes or sections (files, clearing, windows, spending, scaling, ranks,
graph, speed) to list only those. The columns:

\b
{LEGEND}
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
@click.argument("which", nargs=-1, metavar="[RULE|SECTION]...", shell_complete=completed_sections)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="Text is a table."
)
def command(which: tuple[str, ...], form: str) -> None:
    """List the rules."""
    rules = chosen(which)
    if form == "json":
        show(as_json(rules))
    elif wants_rich():
        print_table(rules)
    else:
        show(as_text(rules))


def chosen(which: tuple[str, ...]) -> list[Rule]:
    """Return the rules that any of these words means, in the catalogue's order; all for none."""
    prefixes = tuple(meaning(word) for word in which) or ("ZG",)
    return [rule for rule in CATALOGUE if rule.code.startswith(prefixes)]


def meaning(word: str) -> str:
    """Return the beginning of the codes that a word means: a section, a code or a name."""
    sections = {title: f"ZG{number}" for number, title in SECTIONS.items()}
    prefix = sections.get(word.lower()) or code_prefix(word)
    if prefix is None:
        near = nearest(word.lower(), sections)
        hint = f"did you mean {' or '.join(near)}?" if near else suggestion(word)
        raise UnknownRuleError(f"unknown rule or section {word!r}; {hint}")
    return prefix


def cells(rule: Rule) -> tuple[str, ...]:
    """Return a rule's row of the table."""
    seen = "".join(who.name[0] if who in rule.seen else "-" for who in SeenBy if who.name)
    counts = (str(rule.real), str(rule.false))
    return (rule.code, rule.name, rule.severity, seen, rule.status, *counts, rule.fault)


def aligned(rules: list[Rule]) -> list[tuple[str, ...]]:
    """Return the heading and the rules' rows, each column padded to its widest cell."""
    rows = [tuple(column.upper() for column in COLUMNS), *(cells(rule) for rule in rules)]
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        tuple(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
    ]


def as_text(rules: list[Rule]) -> str:
    """Return the table for a pipe: one line a rule, columns aligned, nothing cut off."""
    return "\n".join("  ".join(row).rstrip() for row in aligned(rules))


def print_table(rules: list[Rule]) -> None:
    """Show the table on a terminal: in colour, and on a narrow one each fault below its rule."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    heading, *rows = aligned(rules)
    one_line = console.width >= len("  ".join(heading))
    between = "  " if one_line else "\n       "
    console.print(Text("  ".join(heading[:-1]) + between + heading[-1].rstrip(), "bold"))
    for rule, (code, name, severity, *rest, fault) in zip(rules, rows, strict=True):
        line = Text("  ").join(
            [
                Text(code),
                Text(name, "bold"),
                Text(severity, COLOURS[rule.severity]),
                *map(Text, rest),
            ]
        )
        console.print(line.append(between).append(fault.rstrip(), "" if one_line else "dim"))
    console.print(Text(f"\n{LEGEND}", "dim"), end="", soft_wrap=True)


def as_json(rules: list[Rule]) -> str:
    """Return the rules for a program to read; keys may be added within version 1."""
    import json

    return json.dumps({"version": 1, "rules": [as_object(rule) for rule in rules]}, indent=2)


def as_object(rule: Rule) -> dict[str, object]:
    """Return everything that the catalogue says of a rule."""
    from zerograd.rules.page import read_page

    return {
        "code": rule.code,
        "name": rule.name,
        "section": SECTIONS[rule.section],
        "severity": rule.severity,
        "seen": [who.name.lower() for who in SeenBy if who in rule.seen and who.name],
        "status": rule.status,
        "real": rule.real,
        "false": rule.false,
        "fault": rule.fault,
        "at": rule.at,
        "repair": rule.repair,
        "url": rule.url,
        "page": read_page(rule).text,
    }
