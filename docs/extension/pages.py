"""One page a rule and one a question, written from what `zerograd explain` shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.cli.rules import COLUMNS, cells
from zerograd.rules import CATALOGUE, SECTIONS, SeenBy
from zerograd.rules.page import read_page
from zerograd.rules.questions import QUESTIONS, read_topic, topics
from zerograd.rules.search import ALIASES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sphinx.application import Sphinx

    from zerograd.rules import Rule


ASKED = ("why", "how", "when", "where", "what", "wrong", "my", "training", "loss", "gradient")
"""Words of questions that are on no page because they say nothing about it."""


def write(app: Sphinx) -> None:
    """Write the pages into the sources, where they are ignored by git."""
    folder = Path(app.srcdir)
    write_folder(folder / "rules", rule_pages())
    write_folder(folder / "questions", question_pages())


def write_folder(folder: Path, pages: dict[str, str]) -> None:
    """Make these the pages of a folder."""
    folder.mkdir(exist_ok=True)
    for older in folder.glob("*.md"):
        older.unlink()
    for name, text in pages.items():
        (folder / name).write_text(text, "utf-8")


def rule_pages() -> dict[str, str]:
    """Return the table of the rules, and the page of each."""
    pages = {f"{rule.name}.md": rule_page(rule) for rule in CATALOGUE}
    return {"index.md": rule_index(), **pages}


def rule_page(rule: Rule) -> str:
    """Return what `zerograd explain` shows, with what `zerograd rules` says under the title."""
    title, _, rest = read_page(rule).text.partition("\n")
    facts = (
        f"*{rule.severity}* at {rule.at}; seen by {seen_by(rule)}; {rule.status} "
        f"({rule.real} real, {rule.false} false); repair: {rule.repair}."
    )
    return f"{keywords(rule.name)}{title}\n\n{facts}\n{rest}"


def seen_by(rule: Rule) -> str:
    """Return who sees a rule's fault: "lint, watch, engine"."""
    return ", ".join(str(who.name).lower() for who in SeenBy if who in rule.seen)


def rule_index() -> str:
    """Return the catalogue as tables, one a section."""
    return "\n".join([*index_lines(), "", contents(rule.name for rule in CATALOGUE)])


def index_lines() -> Iterator[str]:
    """Yield the lines of the rules' table."""
    yield "# Rules"
    yield ""
    yield (
        "What `zerograd rules` lists. The severity is the highest that a finding can have. Seen by "
        "L, lint in the source; W, watch in a run; E, the engine, which makes it impossible or "
        "refuses it. A rule is stable once it has found a real bug in [public "
        "code](../found-in-public-code.md) and is false in no more than one of 1,000 unseen files; "
        "until then it is in preview. Codes are never reused."
    )
    for number, section in SECTIONS.items():
        yield f"\n## {number} {section}\n"
        # A name for the style sheet: on a phone each row becomes a card.
        yield "````{container} rules"
        yield f"| {' | '.join(COLUMNS)} |"
        yield "|---" * len(COLUMNS) + "|"
        yield from (row(rule) for rule in CATALOGUE if rule.section == number)
        yield "````"


def row(rule: Rule) -> str:
    """Return a rule's row of the table: the cells of `zerograd rules`."""
    code, name, *rest = cells(rule)
    return f"| {code} | [{name}]({name}.md) | {' | '.join(rest)} |"


def question_pages() -> dict[str, str]:
    """Return the list of questions, and the page of each topic."""
    pages = {f"{name}.md": f"{keywords(name)}{read_topic(name)}" for name in topics()}
    return {"index.md": question_index(), **pages}


def keywords(page: str) -> str:
    """Return the head of a page with what people type who look for it, for the search.

    The search wants every word of a question on one page.
    """
    names = [word for word, meant in ALIASES.items() if meant == page]
    questions = [one.text for one in QUESTIONS if one.page == page]
    if not names and not questions:
        return ""
    spoken = re.findall(r"\w+", " ".join(questions))
    typed = ", ".join(dict.fromkeys((*names, *spoken, *ASKED)))
    return f'---\nmyst:\n  html_meta:\n    keywords: "{typed}"\n---\n'


def question_index() -> str:
    """Return the questions people ask, each with the page that answers it."""
    lines = [
        f"- [{question.text}]({address(question.page)}) `zerograd explain {question.page}`"
        for question in QUESTIONS
    ]
    return "\n".join(["# What people ask", "", *lines, "", contents(topics())])


def address(page: str) -> str:
    """Return where a question's page lies, seen from the list of questions."""
    return f"{page}.md" if page in topics() else f"../rules/{page}.md"


def contents(names: Iterable[str]) -> str:
    """Return a table of contents that only the sidebar shows."""
    return "\n".join(["```{toctree}", ":hidden:", "", *names, "```"])
