"""Every question leads to a page, and every topic's program prints what its page says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from page_programs import output_of

from zerograd.rules import CATALOGUE
from zerograd.rules.page import PROGRAM
from zerograd.rules.questions import QUESTIONS, read_topic, topics

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
