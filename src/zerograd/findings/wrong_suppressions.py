"""Comments that were meant to silence zerograd and do not: other tools' words, and wrong ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zerograd.findings.logical_lines import comments
from zerograd.findings.pragmas import MARK, PRAGMA, Pragma
from zerograd.rules import exact_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings.logical_lines import Comment

ANOTHER = "[missing-zero]`, or another rule"

OTHER_TOOLS = re.compile(
    r"(?<!\S)#\s*(?P<tool>noqa(?=:)|nosec(?=:)|type:\s*ignore|pylint:\s*disable|ruff:\s*noqa)"
    r"[:=\[\s]\s*(?P<words>[^#\]]*)"
)
"""A comment of another tool, and what it names."""

MISSPELLED = re.compile(
    r"(?i)(?<!\S)#\s*+(?P<mark>zerograd\s*+:?+)\s*+"
    r"(?P<verb>ignore(?:-file)?+)\s*+\[(?P<words>[^\]#\n]*+)\]"
)
"""A pragma without its colon, or in capitals; one that is right is among them."""

WORD = re.compile(r"[\w-]+")

MEANT = frozenset(
    {"allow", "disable", "disable-file", "enable", "exclude", "ignored", "ignroe", "no-lint"}
    | {"nolint", "noqa", "off", "ok", "silence", "skip", "skip-file", "skipfile", "suppress"}
)
"""Words that other tools have for it, whatever follows them."""


def wrong_suppressions(text: str) -> Iterator[tuple[Pragma, str]]:
    """Yield the place of each, and what to write instead."""
    elsewhere = (
        named_rules(found["words"])
        for pattern in (OTHER_TOOLS, MISSPELLED)
        for found in pattern.finditer(text)
    )
    if MARK not in text and not any(elsewhere):
        return
    for comment in comments(text):
        for found in OTHER_TOOLS.finditer(comment.text):
            rules = named_rules(found["words"])
            if rules:
                tool = " ".join(found["tool"].split())
                told = f"`{tool}` does not silence zerograd; {instead('ignore', rules)}"
                yield place(found, comment), told
        for found in MISSPELLED.finditer(comment.text):
            rules, mark = named_rules(found["words"]), found["mark"].strip()
            if rules and mark != MARK:
                what = f"`{mark}` is" if mark.endswith(":") else f"`{mark}` without a colon is"
                yield (
                    place(found, comment),
                    f"{what} no pragma; {instead(found['verb'].lower(), rules)}",
                )
        for found in re.finditer(PRAGMA, comment.text):
            if found["rules"] is None and is_meant(found):
                verb = "ignore-file" if "file" in found["verb"] else "ignore"
                rules = named_rules(following(found))
                yield (
                    place(found, comment),
                    f"unknown pragma `{found['verb']}`; {instead(verb, rules)}",
                )


def is_meant(found: re.Match[str]) -> bool:
    """Tell whether somebody meant a pragma: `# zerograd: see issue 12` is prose."""
    verb, after = found["verb"], following(found)
    if verb.startswith("ignore"):
        return False  # read as a pragma, which tells its own mistakes
    first = WORD.search(after)
    names_rule = first is not None and exact_rule(first[0]) is not None
    return verb in MEANT or names_rule or not after.strip() or after.lstrip()[0] in "=(:,"


def following(found: re.Match[str]) -> str:
    """Return what follows a pragma in its comment, up to the next one."""
    return found.string[found.end() :].partition("#")[0]


def named_rules(text: str) -> list[str]:
    """Return the words of a text that are rules, as it spells them."""
    return [word for word in WORD.findall(text) if exact_rule(word)]


def instead(verb: str, rules: list[str]) -> str:
    """Return what to write for these rules."""
    return f"write `# zerograd: {verb}" + (f"[{', '.join(rules)}]`" if rules else ANOTHER)


def place(found: re.Match[str], comment: Comment) -> Pragma:
    """Return the place of a comment's part, which covers nothing."""
    return Pragma(
        verb="",
        rules=(),
        line=comment.line,
        column=comment.column + found.start(),
        end_column=comment.column + len(found[0].rstrip()) + found.start(),
        covers=range(0),
    )
