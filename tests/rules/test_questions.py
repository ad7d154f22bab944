"""Every question leads to a page, and every topic's program prints what its page says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from page_programs import output_of

from zerograd.rules import CATALOGUE
from zerograd.rules.page import PROGRAM
from zerograd.rules.questions import QUESTIONS, Question, answers, read_topic, topics

if TYPE_CHECKING:
    from pathlib import Path

RULES = {rule.name for rule in CATALOGUE}


def test_every_question_leads_to_a_rule_or_a_topic() -> None:
    pages = {question.page for question in QUESTIONS}

    assert pages <= RULES | set(topics())


def test_every_topic_answers_a_question() -> None:
    pages = {question.page for question in QUESTIONS}

    assert set(topics()) <= pages


def test_no_topic_is_named_like_a_rule() -> None:
    assert RULES.isdisjoint(topics())


@pytest.mark.parametrize("topic", topics())
def test_a_topic_opens_with_its_question(topic: str) -> None:
    (question,) = [question for question in QUESTIONS if question.page == topic]

    assert read_topic(topic).startswith(f"# {question.text}\n\n")


@pytest.mark.parametrize("topic", topics())
def test_a_topic_sends_the_reader_only_to_rules_that_exist(topic: str) -> None:
    words = " ".join(read_topic(topic).split()).split("zerograd explain ")[1:]
    named = {word.partition("`")[0] for word in words}

    assert named <= RULES


@pytest.mark.parametrize("topic", topics())
def test_a_topic_has_one_program_that_prints_what_the_page_says(topic: str, tmp_path: Path) -> None:
    ((source, output),) = PROGRAM.findall(read_topic(topic))

    assert output_of(source, tmp_path) == output


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        ("when do I call zero_grad", "when-to-clear"),
        ("is after step() fine", "after-step"),
        ("do I need it with Adam", "adam"),
        ("does it erase what was learned", "what-clearing-keeps"),
        ("what if I forget", "missing-zero"),
        ("should tracking be on", "tracking"),
        ("what is set_to_none", "set-to-none"),
        ("how do I accumulate exactly", "accumulation"),
        ("mixed precision", "mixed-precision"),
        ("where to clip gradients", "clipping"),
        ("several ranks", "ranks"),
    ],
)
def test_a_question_in_ones_own_words_finds_its_page(asked: str, page: str) -> None:
    assert [found.page for found in answers(asked)] == [page]


def test_words_that_no_question_has_find_nothing() -> None:
    assert answers("is the moon round") == []


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.page)
def test_every_question_finds_itself(question: Question) -> None:
    assert answers(question.text) == [question]
