"""The file that all benchmarks write: each replaces its own section and no other."""

from __future__ import annotations

import results
from results import sections, with_section


def test_a_section_is_replaced_and_its_neighbours_stay() -> None:
    text = with_section(with_section("", "lint", ["## Lint", "2 s"]), "watch", ["## Watch"])

    replaced = with_section(text, "lint", ["## Lint", "1 s"])

    assert sections(replaced) == {"watch": "## Watch\n", "lint": "## Lint\n1 s\n"}


def test_sections_stand_in_one_order_whichever_is_measured_first() -> None:
    first = with_section(with_section("", "lint", ["a"]), "head", ["b"])
    second = with_section(with_section("", "head", ["b"]), "lint", ["a"])

    assert first == second
    assert list(sections(first)) == ["head", "lint"]


def test_a_section_that_nobody_has_placed_comes_last() -> None:
    text = with_section(with_section("", "fancy", ["a"]), "startup", ["b"])

    assert list(sections(text)) == ["startup", "fancy"]


def test_writing_the_same_again_changes_nothing() -> None:
    once = with_section("", "engine", ["## The engine", "", "| a |"])

    assert with_section(once, "engine", ["## The engine", "", "| a |"]) == once


def test_the_committed_results_are_sections_and_nothing_else() -> None:
    text = results.RESULTS.read_text("utf-8")

    rest = results.SECTION.sub("", text)

    assert "head" in sections(text)
    assert rest.strip() == ""


def test_text_outside_the_sections_would_be_noticed() -> None:
    text = with_section("", "lint", ["a"]) + "written by hand\n"

    assert results.SECTION.sub("", text).strip() == "written by hand"
