"""Lint survives every program: random ones, and training scripts with their statements shuffled."""

from __future__ import annotations

import ast
import importlib
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zerograd.lint.shell.check_file import Checker, Job
from zerograd.settings import Knowledge

if TYPE_CHECKING:
    from collections.abc import Callable

SCRIPTS = Path(__file__).parents[1] / "scripts"
THOROUGH = 40 if os.environ.get("ZEROGRAD_ROBUSTNESS") else 1
"""`make robustness` tries so many times as many programs as `make test`."""


pytestmark = pytest.mark.timeout(max(300, 150 * THOROUGH))


def examples(count: int) -> settings:
    """The same examples at every run, few enough for each of them."""
    return settings(
        max_examples=count * THOROUGH,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def failure(source: str) -> str | None:
    """Lint a program without the prefilter, and return what went wrong inside lint."""
    overlay = {"train.py": source.encode("utf-8", "surrogatepass")}
    job = Job(root=SCRIPTS, knowledge=Knowledge(), prefilter=False, overlay=overlay)
    checked = Checker(job).check("train.py")
    return checked.findings[0].message if checked.is_failure else None


@cache
def training_scripts() -> list[str]:
    """Programs to shuffle, the same in every order of the file system."""
    found = [path for path in SCRIPTS.glob("*/*.py") if path.parent.name != "unparsable_file"]
    readable = [path for path in sorted(found) if path.parent.name != "unreadable_file"]
    return [path.read_text("utf-8") for path in readable]


Position = tuple[list[ast.stmt], int]


def positions(tree: ast.Module) -> list[Position]:
    """Return every place of a statement, as its block and its index there."""
    found = []
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                found += [(block, index) for index in range(len(block))]
    return found


def delete(block: list[ast.stmt], index: int, _: Position) -> None:
    block[index : index + 1] = [] if len(block) > 1 else [ast.Pass()]


def duplicate(block: list[ast.stmt], index: int, _: Position) -> None:
    block.insert(index, block[index])


def swap(block: list[ast.stmt], index: int, other: Position) -> None:
    there, at = other
    if not nested(block[index], there[at]):
        block[index], there[at] = there[at], block[index]


def nested(one: ast.stmt, other: ast.stmt) -> bool:
    """Tell whether one of two statements stands inside the other."""
    return other in ast.walk(one) or one in ast.walk(other)


EDITS: list[Callable[[list[ast.stmt], int, Position], None]] = [delete, duplicate, swap]


@st.composite
def shuffled_scripts(draw: st.DrawFn) -> str:
    """Draw a training script in which a few statements are gone, doubled or elsewhere."""
    tree = ast.parse(draw(st.sampled_from(training_scripts())))
    for edit in draw(st.lists(st.sampled_from(EDITS), min_size=1, max_size=6)):
        places = positions(tree)
        (block, index), other = (draw(st.sampled_from(places)) for _ in range(2))
        edit(block, index, other)
    return ast.unparse(ast.fix_missing_locations(tree))


def of_hypothesmith(name: str) -> st.SearchStrategy[str]:
    """Draw from one of its strategies, built at the first example: that takes two seconds."""
    return st.deferred(lambda: getattr(importlib.import_module("hypothesmith"), name)())


@examples(12)
@given(of_hypothesmith("from_node"))
def test_lint_survives_random_programs_of_the_concrete_syntax(source: str) -> None:
    assert failure(source) is None


@examples(30)
@given(of_hypothesmith("from_grammar"))
def test_lint_survives_random_programs_of_the_grammar(source: str) -> None:
    assert failure(source) is None


@examples(60)
@given(shuffled_scripts())
def test_lint_survives_training_scripts_with_statements_shuffled(source: str) -> None:
    assert failure(source) is None


def test_a_failure_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zerograd.lint.analysis.Analyser.analyse", None)

    assert failure("x = 1\n") == (
        "this file could not be linted: TypeError: 'NoneType' object is not callable; "
        "please report it"
    )
