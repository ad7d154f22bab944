"""A rule's page: the Markdown that `zerograd explain` shows, and the two programs in it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.record import record

if TYPE_CHECKING:
    from zerograd.rules.rule import Rule

FOLDER = Path(__file__).parent / "pages"

HEADINGS = (
    "What it does",
    "Why is this bad?",
    "Example",
    "Use instead",
    "Fix",
    "Known limits",
)

HEADING = re.compile(r"^## (.+)\n", re.MULTILINE)
PROGRAM = re.compile(r"^```python\n(.*?)^```\n+```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@record(frozen=True, kw_only=True)
class Program:
    """A complete program, and what running it shows."""

    source: str
    """Python, from its imports to its last line."""

    output: str
    """What it prints; if an exception stops it, the last line of the traceback instead."""


def programs_in(text: str) -> tuple[Program, ...]:
    """Return the programs of a page or of a part of one, in order."""
    return tuple(Program(source=source, output=shown) for source, shown in PROGRAM.findall(text))


@record(frozen=True, kw_only=True)
class Section:
    """What stands under one heading."""

    heading: str
    text: str

    @property
    def programs(self) -> tuple[Program, ...]:
        """Each Python block that is followed by its output."""
        return programs_in(self.text)


@record(frozen=True, kw_only=True)
class Page:
    """One rule explained: the fault, its damage, a broken program and the repaired one."""

    title: str
    """Name and code: `missing-zero (ZG101)`."""

    summary: str
    """The fault in the user's words."""

    sections: tuple[Section, ...]
    """In the page's order, which is that of HEADINGS."""

    text: str
    """The whole page, as Markdown."""

    @property
    def programs(self) -> tuple[Program, ...]:
        """The broken program, then the repaired one; none where a rule is about files."""
        return tuple(program for section in self.sections for program in section.programs)


def read_page(rule: Rule) -> Page:
    """Return the page of this rule.

    >>> from zerograd.rules import find_rule
    >>> read_page(find_rule("missing-zero")).title
    'missing-zero (ZG101)'
    """
    return parse_page((FOLDER / f"{rule.name}.md").read_text("utf-8"))


def parse_page(text: str) -> Page:
    """Return the page that this Markdown spells."""
    opening, *rest = HEADING.split(text)
    title, _, summary = opening.partition("\n")
    sections = tuple(
        Section(heading=heading, text=body.strip("\n"))
        for heading, body in zip(rest[::2], rest[1::2], strict=True)
    )
    return Page(
        title=title.removeprefix("# "), summary=summary.strip(), sections=sections, text=text
    )
