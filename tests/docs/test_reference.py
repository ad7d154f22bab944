"""The reference is complete: what can be typed, set, imported or broken has its place in it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click
import pytest
from extension.commands import command, pytest_options
from extension.docstrings import defined, literal
from extension.pages import question_pages, rule_pages, write_folder
from extension.settings_table import settings

import zerograd
from zerograd import errors
from zerograd.cli.verbs import SUMMARIES
from zerograd.record import values_of
from zerograd.rules import CATALOGUE
from zerograd.rules.questions import topics
from zerograd.settings.keys import KEYS
from zerograd.settings.settings import Knowledge

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def text_of(page: str) -> str:
    return (REFERENCE / page).read_text("utf-8")


@pytest.mark.parametrize("verb", SUMMARIES)
def test_every_verb_is_in_the_reference_with_all_its_options(verb: str) -> None:
    options = [
        name
        for parameter in import_module(f"zerograd.cli.{verb}").command.params
        if isinstance(parameter, click.Option)
        for name in parameter.opts
    ]

    written = command(verb)

    assert f"```{{generated}} command {verb}\n" in text_of("command-line.md")
    assert options or verb == "doctor"  # which has none but --help
    assert [name for name in options if name not in written] == []


def test_a_help_texts_examples_are_a_block_of_their_own() -> None:
    assert "Examples:\n\n```text\nzerograd rules\nzerograd rules clearing" in command("rules")


def test_the_options_of_the_pytest_plugin_are_in_the_reference() -> None:
    assert "| `--zerograd-select RULES` | Only these rules. |" in pytest_options()


def test_every_setting_is_listed_and_described() -> None:
    described = text_of("settings.md")

    assert all(f"| `{key}` |" in settings() for key in KEYS)
    assert [key for key in KEYS if f"`{key}`" not in described] == []
    assert [name for name in values_of(Knowledge()) if f"| `{name}` |" not in described] == []


def test_every_public_name_is_in_the_reference() -> None:
    page = text_of("api.md")
    names = {name for name in zerograd.__all__ if not name.startswith("_")}

    assert [name for name in names if f":: zerograd.{name}" not in page] == []


def test_every_exception_is_in_the_tree_that_the_module_draws() -> None:
    raised = [name for name in vars(errors) if name.endswith(("Error", "Warning"))]

    assert raised
    assert [name for name in raised if name not in str(errors.__doc__)] == []


def test_every_rule_has_a_page_where_its_findings_point_to() -> None:
    addresses = {f"{rule.name}.md" for rule in CATALOGUE}

    pages = rule_pages()

    assert set(pages) == addresses | {"index.md"}
    assert all(f"({rule.name}.md)" in pages["index.md"] for rule in CATALOGUE)


def test_every_topic_of_explain_has_a_page() -> None:
    assert set(question_pages()) == {f"{topic}.md" for topic in topics()} | {"index.md"}


def test_a_page_of_a_rule_that_is_gone_goes_too(tmp_path: Path) -> None:
    write_folder(tmp_path, {"old.md": "# old", "kept.md": "# kept"})

    write_folder(tmp_path, {"kept.md": "# kept", "new.md": "# new"})

    assert sorted(page.name for page in tmp_path.iterdir()) == ["kept.md", "new.md"]


def test_a_table_that_is_aligned_by_spaces_becomes_definitions() -> None:
    lines = ["Owns gradients.", "", "clear  none", "       or zero", "", "That is all."]

    assert list(defined(lines)) == [
        *("Owns gradients.", "", "``clear``", "    none", "    or zero", "", "That is all."),
    ]


def test_an_absolute_value_is_no_substitution() -> None:
    assert literal("Median of |g| / |f|.") == "Median of ``|g|`` / ``|f|``."
