"""`zerograd explain`: the page of a rule or a topic, or the questions that lead to them."""

from __future__ import annotations

import click

from zerograd.cli.terminal import show, wants_rich
from zerograd.errors import UnknownRuleError
from zerograd.rules import CATALOGUE, exact_rule, find_rule
from zerograd.rules.lookup import nearest
from zerograd.rules.page import read_page
from zerograd.rules.questions import QUESTIONS, read_topic, topics

HELP = """Say what a rule or a topic is about, with loops that run.

Without an argument: the questions people ask, and what to type for the answer. A rule is named by
its code, its name or the beginning of its name.

\b
Examples:
  zerograd explain
  zerograd explain missing-zero
  zerograd explain ZG402
  zerograd explain adam

Exit status: 0, or 2 when there is no such page.
"""


@click.command("explain", help=HELP, short_help="say what a rule or a question is about")
@click.argument("what", required=False, metavar="[RULE|TOPIC]")
def command(what: str | None) -> None:
    """Show one page, or the questions."""
    markdown = questions() if what is None else page(what)
    if wants_rich():
        print_markdown(markdown)
    else:
        show(plain(markdown))


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


def page(what: str) -> str:
    """Return the page of a rule or a topic as Markdown."""
    name = page_name(what)
    rule = exact_rule(name)
    return read_page(rule).text if rule else read_topic(name)


def page_name(what: str) -> str:
    """Return the page that this code, name, topic or unique beginning of one means."""
    if what.upper().startswith("ZG"):
        return find_rule(what).name
    names = [*(rule.name for rule in CATALOGUE), *topics()]
    if what.lower() in names:
        return what.lower()
    begun = [name for name in names if name.startswith(what.lower())]
    if len(begun) == 1:
        return begun[0]
    raise UnknownRuleError(several(what, begun) if begun else unknown(what, names))


def several(what: str, pages: list[str]) -> str:
    """Return the sentence for a beginning that many pages share."""
    some = ", ".join(pages[:5]) + (", ..." if len(pages) > 5 else "")
    return f"{what!r} is the beginning of {len(pages)} pages: {some}"


def unknown(what: str, names: list[str]) -> str:
    """Return the sentence for a page that does not exist."""
    near = nearest(what.lower(), names)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    listed = "`zerograd explain` lists the questions, `zerograd rules` the rules"
    return f"no page {what!r}; {meant}{listed}"


def plain(markdown: str) -> str:
    """Return a page for a pipe: the Markdown itself, without white space at the ends of lines."""
    return "\n".join(line.rstrip() for line in markdown.rstrip("\n").split("\n"))


def print_markdown(markdown: str) -> None:
    """Render a page on a terminal."""
    from rich.console import Console
    from rich.markdown import Markdown

    # ansi_dark draws code in the terminal's own colours, readable on light ones too.
    Console().print(Markdown(markdown, code_theme="ansi_dark"))
