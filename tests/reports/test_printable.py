"""Nothing that a terminal would obey reaches it, and every width is known."""

from __future__ import annotations

import doctest
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zerograd import printable
from zerograd.printable import cells, sentence, visible, well_formed
from zerograd.reports import place

BIDIRECTIONAL = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize("module", [printable, place])
def test_the_examples_in_docstrings_hold(module: object) -> None:
    examples = doctest.testmod(module)  # type: ignore[arg-type]  # parametrize hides the type

    assert examples.attempted > 0
    assert examples.failed == 0


@pytest.mark.parametrize("character", ["a", "é", "模", "🎯", "\u0301", " "])
def test_what_is_seen_stays(character: str) -> None:
    assert visible(character) == character


@pytest.mark.parametrize("character", ["\t", "\r", "\x7f", "\x9b", "\ud800", "\ufeff", "\u2029"])
def test_what_is_hidden_is_spelled_out(character: str) -> None:
    assert visible(character).startswith("\\")


@pytest.mark.parametrize("character", BIDIRECTIONAL)
def test_no_bidirectional_control_stays(character: str) -> None:
    assert visible(character) == f"\\u{ord(character):04x}"


@settings(deadline=None)  # a machine may be loaded
@given(st.text())
def test_a_printable_text_is_one_line_of_utf8(text: str) -> None:
    shown = printable.printable(text)

    shown.encode("utf-8")
    assert not {unicodedata.category(character) for character in shown} & printable.HIDDEN


def test_an_endless_message_is_cut() -> None:
    assert sentence("x" * 600) == "x" * 600
    assert sentence("x" * 601) == "x" * 597 + "..."


def test_a_lone_surrogate_becomes_text_and_all_else_stays() -> None:
    assert well_formed("a\udcff\n模") == "a\\udcff\n模"


@pytest.mark.parametrize(
    ("text", "columns"),
    [("loss", 4), ("模型", 4), ("🎯", 2), ("e\u0301", 1), ("\uff46", 2), ("é", 1)],
)
def test_a_text_is_as_wide_as_a_terminal_shows_it(text: str, columns: int) -> None:
    assert cells(text) == columns
