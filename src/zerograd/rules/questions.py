"""The questions people ask about gradients, and the page that answers each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "topics"


class Question(NamedTuple):
    """A question in the words of the person who asks it."""

    text: str
    page: str
    """A topic or the name of a rule: what to type after `zerograd explain`."""


QUESTIONS = (
    Question("When do I call zero_grad()?", "when-to-clear"),
    Question("Is clearing after step() fine?", "after-step"),
    Question("What happens if I forget it?", "missing-zero"),
    Question("Do I need it with Adam?", "adam"),
    Question("Does clearing erase what was learned?", "what-clearing-keeps"),
    Question("What is set_to_none?", "set-to-none"),
    Question("Why is my .grad None?", "none-grad"),
    Question("Should gradient tracking be on when I clear or update by hand?", "tracking"),
    Question("How do I accumulate gradients exactly?", "accumulation"),
    Question("In which order do scaling, unscaling and stepping go?", "mixed-precision"),
    Question("Where do I clip?", "clipping"),
    Question("What changes with several GPUs?", "ranks"),
    Question("How do I train with two optimizers, as in a GAN?", "leaked-deposit"),
    Question("Why does my memory grow at every step?", "kept-graph"),
    Question("Why does my model not learn at all?", "step-without-effect"),
    Question("Why is my loss NaN?", "nan-loss"),
)


COMMON = frozenset(
    {"a", "an", "and", "as", "at", "be", "by", "do", "does", "for", "how", "i", "if", "in", "is"}
    | {"it", "my", "of", "on", "or", "so", "the", "to", "with"}
)
"""Words that most questions have."""


def answers(question: str) -> list[Question]:
    """Return the questions that somebody's own words come nearest to; several when they tie.

    >>> [found.page for found in answers("what if I forget to call it?")]
    ['missing-zero']
    """
    asked = words(question)
    weights = [sum(weight(word) for word in asked & known(one)) for one in QUESTIONS]
    best = max(weights)
    # A word that only one or two questions have; less is a coincidence.
    if best < 0.5:
        return []
    return [one for one, reached in zip(QUESTIONS, weights, strict=True) if reached == best]


def words(text: str) -> set[str]:
    """Return the words of a text that say what it is about, each by its beginning."""
    found = re.findall(r"[a-z_]+", text.lower())
    return {word[:5] for word in found if word not in COMMON}


def known(question: Question) -> set[str]:
    """Return the words that lead to a question: its own, and those of its page's name."""
    return words(f"{question.text} {question.page.replace('-', ' ')}")


def weight(word: str) -> float:
    """Return how much a word tells: the fewer questions have it, the more."""
    return 1 / sum(word in known(one) for one in QUESTIONS)


def topics() -> tuple[str, ...]:
    """Return the names of the topics, each a page beside the rules' own."""
    return tuple(sorted(page.stem for page in FOLDER.glob("*.md")))


def read_topic(name: str) -> str:
    """Return a topic's page as Markdown."""
    return (FOLDER / f"{name}.md").read_text("utf-8")
