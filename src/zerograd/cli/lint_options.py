"""The options of `zerograd lint`, in the order in which its help lists them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zerograd.cli.completion import completed_rules
from zerograd.settings import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

COMMA = "Codes, their beginnings or names, separated by commas."
A_FILE = click.Path(dir_okay=False, path_type=Path)


def rules_option(name: str, meaning: str) -> Callable[..., Any]:
    """Return an option that takes rules, and completes their names in a shell."""
    return click.option(
        name, multiple=True, metavar="RULES", help=meaning, shell_complete=completed_rules
    )


OPTIONS: tuple[Callable[..., Any], ...] = (
    rules_option("--select", f"Only these rules. {COMMA}"),
    rules_option("--extend-select", "These rules too."),
    rules_option("--ignore", "All but these rules."),
    click.option(
        "--hints",
        is_flag=True,
        default=None,
        help="Report hints too; those of rules in preview with --preview.",
    ),
    click.option("--preview", is_flag=True, default=None, help="Report rules in preview too."),
    click.option("--fix/--no-fix", default=None, help="Write safe repairs into the files."),
    click.option(
        "--unsafe-fixes",
        is_flag=True,
        default=None,
        help="Also those that change what is computed.",
    ),
    click.option("--diff", is_flag=True, help="Show the repairs, write none."),
    click.option(
        "--add-ignores",
        is_flag=True,
        help="Write comments that ignore the findings of today; with --diff, show them.",
    ),
    click.option("--watch", is_flag=True, help="Lint again whenever a file changes, until Ctrl-C."),
    click.option(
        "--format", "--output-format", "form", type=click.Choice(FORMATS), help="How to report."
    ),
    click.option("--output", type=A_FILE, metavar="FILE", help="Report to a file."),
    click.option("--statistics", is_flag=True, help="Count the findings of each rule instead."),
    click.option("--reach", is_flag=True, help="List the loops that were not checked, and why."),
    click.option(
        "--why-silent",
        metavar="FILE[:LINE]",
        help="Tell what was judged in the loops of a file, and what was withheld and why.",
    ),
    click.option(
        "--migrate",
        type=A_FILE,
        metavar="FILE",
        help="Show how the plain loops of a file read with zerograd.Gradients.",
    ),
    click.option("--baseline", type=A_FILE, metavar="FILE", help="Leave out what this file knows."),
    click.option("--write-baseline", is_flag=True, help="Accept all findings of today."),
    click.option("--exit-zero", is_flag=True, help="Exit 0 also when something was found."),
    click.option("-q", "--quiet", is_flag=True, help="Findings only: no summary, no progress."),
    click.option(
        "--stdin-filename", type=A_FILE, metavar="FILE", help="The name that `-` goes by."
    ),
    click.option("--exclude", multiple=True, metavar="PATTERNS", help="Leave out other paths."),
    click.option("--extend-exclude", multiple=True, metavar="PATTERNS", help="Leave out more."),
    click.option(
        "--force-exclude", is_flag=True, default=None, help="Leave out named files as well."
    ),
    click.option(
        "--respect-gitignore/--no-respect-gitignore", default=None, help="Leave out what git does."
    ),
    click.option("--config", type=A_FILE, metavar="FILE", help="Read settings from this file."),
    click.option("--isolated", is_flag=True, help="Read no settings file."),
    click.option("--show-settings", is_flag=True, help="Show what is set, lint nothing."),
    click.option(
        "--settings-schema",
        is_flag=True,
        help="Show what can be set as a JSON Schema, with which editors complete zerograd.toml.",
    ),
    click.option(
        "-j", "--jobs", type=click.IntRange(min=0), default=0, help="Processes; 0: enough."
    ),
)

LISTS = ("select", "extend-select", "ignore", "exclude", "extend-exclude")
FLAGS = ("hints", "preview", "fix", "unsafe-fixes", "force-exclude", "respect-gitignore")


def command_line(options: Mapping[str, Any]) -> dict[str, object]:
    """Return what the command line sets, spelled as in a settings file."""
    lists = {key: commas(options[key.replace("-", "_")]) for key in LISTS}
    flags = {key: options[key.replace("-", "_")] for key in FLAGS}
    baseline = options["baseline"] and str(options["baseline"])
    return {**lists, **flags, "format": options["form"], "baseline": baseline}


def commas(given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the items of options that may be given several times, with several items each."""
    items = (item.strip() for text in given for item in text.split(","))
    return tuple(item for item in items if item)
