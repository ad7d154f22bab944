"""What a shell completes: the names of rules, sections, topics and questions' pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click
    from click.shell_completion import CompletionItem


ASKED_BY = "_ZEROGRAD_COMPLETE"
"""The variable of the environment by which a shell asks."""


def split_once_in_fish() -> None:
    """Let fish keep `missing-zero,spent-twice` whole: click's lines for it split at every comma."""
    # Imported here: only a shell asks.
    from click.shell_completion import FishComplete, add_completion_class

    class WholeWords(FishComplete):
        """Click's completion for fish, which splits a line into its kind and the rest."""

        source_template = FishComplete.source_template.replace(
            'string split ","', 'string split --max 1 ","'
        )

    add_completion_class(WholeWords)


def completed_rules(
    context: click.Context, parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Complete the last of several rules between commas, by name or by code."""
    del context, parameter
    # Imported here: only a shell asks.
    from click.shell_completion import CompletionItem

    from zerograd.rules import CATALOGUE

    done, comma, last = begun.rpartition(",")
    known = {rule.name: rule.fault for rule in CATALOGUE}
    known |= {rule.code: f"{rule.name}: {rule.fault}" for rule in CATALOGUE if last.isupper()}
    return [
        CompletionItem(f"{done}{comma}{word}", help=told)
        for word, told in known.items()
        if word.startswith(last)
    ]


def completed_sections(
    context: click.Context, parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Complete a section of the catalogue, or a rule."""
    from zerograd.rules import SECTIONS

    return [*matching(SECTIONS.values(), begun), *completed_rules(context, parameter, begun)]


def completed_pages(
    context: click.Context, parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Complete what has a page: a topic or a rule."""
    from zerograd.rules.questions import topics

    return [*matching(topics(), begun), *completed_rules(context, parameter, begun)]


def matching(words: Iterable[str], begun: str) -> list[CompletionItem]:
    """Return the words with this beginning."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(word) for word in words if word.startswith(begun)]
