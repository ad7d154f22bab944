"""`zerograd explain`: the page of a rule or a topic, or the questions that lead to them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from zerograd.cli.completion import completed_pages
from zerograd.cli.lint_options import A_FILE
from zerograd.cli.terminal import show, wants_rich
from zerograd.errors import UnknownRuleError
from zerograd.printable import printable
from zerograd.rules import CATALOGUE, exact_rule, find_rule
from zerograd.rules.lookup import nearest
from zerograd.rules.page import programs_in, read_page
from zerograd.rules.questions import QUESTIONS, answers, read_topic, topics
from zerograd.rules.search import alias, mentioning, summary

if TYPE_CHECKING:
    from pathlib import Path

HELP = """Say what a rule or a topic is about, with loops that run.

Without an argument: the questions people ask, and what to type for the answer. A rule is named by
its code, its name or the beginning of its name; a question can be asked in your own words, and a
word of torch leads to the page about it. --run executes the loops of a page, the broken and the
repaired one side by side.

\b
Examples:
  zerograd explain
  zerograd explain missing-zero
  zerograd explain missing-zero --run
  zerograd explain missing-zero --run --html shown.html
  zerograd explain ZG402
  zerograd explain adam
  zerograd explain GradScaler
  zerograd explain when do I call zero_grad

Exit status: 0, or 2 when there is no such page.
"""


LISTED = "`zerograd explain` lists the questions, `zerograd rules` the rules"

CODE = re.compile(r"(?i)zg\d*")

ALL = ("topics", "questions")
"""What else people type for the list of questions."""


@click.command("explain", help=HELP, short_help="say what a rule or a question is about")
@click.option("--run", is_flag=True, help="Execute the page's loops and show them as they go.")
@click.option("--html", type=A_FILE, metavar="FILE", help="With --run: draw it in one HTML file.")
@click.argument("words", nargs=-1, metavar="[RULE|TOPIC|QUESTION]", shell_complete=completed_pages)
def command(words: tuple[str, ...], run: bool, html: Path | None) -> int:
    """Show one page, or the questions; or run a page's loops."""
    what = " ".join(words) if words else None  # a question needs no quotes
    if run or html is not None:
        return perform(what, html)
    markdown = questions() if what is None or what in ALL else told(what)
    if wants_rich():
        print_markdown(markdown)
    else:
        show(plain(markdown))
    return 0


def perform(what: str | None, html: Path | None) -> int:
    """Run the loops of a page."""
    if what is None:
        raise click.UsageError(
            "name what to run: zerograd explain missing-zero --run", click.get_current_context()
        )
    # Imported here: to read a page needs neither processes nor reports.
    from zerograd.cli.explain_run import run

    name = page_name(what)
    return run(programs_in(page(name)), name, html)


def questions() -> str:
    """Return the questions people ask as a page of its own."""
    # Two spaces break the line in Markdown: what to type stays in one piece on a terminal.
    lines = (f"- {question.text}  \n  `zerograd explain {question.page}`" for question in QUESTIONS)
    return "\n".join(
        [
            "# What people ask",
            "",
            *lines,
            "",
            "Every rule has a page too; `zerograd rules` lists them.",
        ]
    )


def told(what: str) -> str:
    """Return a page, or where no name leads to one, a list of those that mention what is asked."""
    try:
        return page(what)
    except UnknownRuleError:
        found = mentioning(what)
        if not found or is_begun(what):
            raise
    lines = (f"- {summary(name)}  \n  `zerograd explain {name}`" for name in found)
    return "\n".join([f"# Pages that mention {printable(what)}", "", *lines])


def is_begun(what: str) -> bool:
    """Tell whether a word is the beginning of codes or of several pages, which is told instead."""
    return what.upper().startswith("ZG") or any(name.startswith(what.lower()) for name in names())


def names() -> list[str]:
    """Return the names of all pages."""
    return [*(rule.name for rule in CATALOGUE), *topics()]


def page(what: str) -> str:
    """Return the page of a rule or a topic as Markdown."""
    name = page_name(what)
    rule = exact_rule(name)
    return read_page(rule).text if rule else read_topic(name)


def page_name(what: str) -> str:
    """Return the page that this code, name, topic or unique beginning of one means."""
    spelled = "-".join(what.lower().replace("_", " ").split())
    if spelled in names():
        return spelled
    if " " in what.strip():
        return answer(what)
    if CODE.fullmatch(what):
        return find_rule(what).name
    begun = [name for name in names() if name.startswith(what.lower())]
    if len(begun) == 1:
        return begun[0]
    # Names of pages have a hyphen, what torch calls its things has none.
    meant = None if "-" in what and nearest(what.lower(), names()) else alias(what)
    if meant is not None:
        return meant
    raise UnknownRuleError(several(what, begun) if begun else unknown(what, names()))


def answer(question: str) -> str:
    """Return the page that answers a question in somebody's own words."""
    found = answers(question)
    if len(found) == 1:
        return found[0].page
    meant = alias(question)
    if meant is not None:
        return meant
    if found:
        some = ", ".join(one.page for one in found[:5])
        raise UnknownRuleError(f"{question!r} may be answered by {some}; name one of them")
    raise UnknownRuleError(f"no page answers {question!r}; {LISTED}")


def several(what: str, pages: list[str]) -> str:
    """Return the sentence for a beginning that many pages share."""
    some = ", ".join(pages[:5]) + (", ..." if len(pages) > 5 else "")
    return f"{what!r} is the beginning of {len(pages)} pages: {some}"


def unknown(what: str, names: list[str]) -> str:
    """Return the sentence for a page that does not exist."""
    near = nearest(what.lower(), names)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    return f"no page {what!r}; {meant}{LISTED}"


def plain(markdown: str) -> str:
    """Return a page for a pipe: the Markdown itself, without white space at the ends of lines."""
    return "\n".join(line.rstrip() for line in markdown.rstrip("\n").split("\n"))


def print_markdown(markdown: str) -> None:
    """Render a page on a terminal."""
    from rich.console import Console
    from rich.markdown import Markdown

    # ansi_dark draws code in the terminal's own colours, readable on light ones too.
    Console().print(Markdown(markdown, code_theme="ansi_dark"))
