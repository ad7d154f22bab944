"""No verdict exists outside `lifecycle/verdicts`, but for those that one side alone can see."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import zerograd
from zerograd.lifecycle import verdicts
from zerograd.lifecycle.transitions import ILLEGAL, SCALER_ILLEGAL
from zerograd.lifecycle.verdicts import refusals
from zerograd.lifecycle.verdicts.one_sided import ONE_SIDED, one_sided
from zerograd.lifecycle.verdicts.precedence import (
    ABOUT_ACCOUNTS,
    ABOUT_WINDOWS,
    ABSORBED_AT_A_TAIL,
    ABSORBED_BY,
    LAST,
)
from zerograd.lifecycle.verdicts.refusals import REFUSED, broken_rule
from zerograd.rules import CATALOGUE, SeenBy
from zerograd.rules.refusals import REFUSALS

SOURCE = Path(zerograd.__file__).parent
ROOM = Path(verdicts.__file__).parent
RULES = {rule.name for rule in CATALOGUE}
CODES = {rule.code for rule in CATALOGUE}
ABOUT_FILES = {rule.name for rule in CATALOGUE if rule.section == 0}
STATES = {"Verdict", "Fault", "Draft", "deem", "_fault"}
"""Calls that state that a rule is broken."""


def stated(tree: ast.AST) -> set[str]:
    """Return the rules whose names are written into such a call."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    stating = [
        node for node in calls if getattr(node.func, "attr", getattr(node.func, "id", "")) in STATES
    ]
    given = [
        value
        for node in stating
        for value in (*node.args, *(item.value for item in node.keywords))
        if isinstance(value, ast.Constant)
    ]
    return {str(value.value) for value in given} & RULES


def stated_in(files: list[Path]) -> set[str]:
    return {rule for file in files for rule in stated(ast.parse(file.read_text(encoding="utf-8")))}


OUTSIDE = stated_in([file for file in sorted(SOURCE.rglob("*.py")) if ROOM not in file.parents])
INSIDE = stated_in(sorted(ROOM.glob("*.py")))


def test_outside_the_verdicts_only_one_sided_rules_are_stated() -> None:
    assert ONE_SIDED.keys() >= OUTSIDE


def test_every_one_sided_rule_is_stated_somewhere() -> None:
    by_variable = {
        "leaf-replaced",
        "none-grad",
    }  # watch/process/script_end.py chooses between the two

    assert OUTSIDE | by_variable == set(ONE_SIDED)


def test_a_verdict_that_is_written_elsewhere_is_found() -> None:
    elsewhere = ast.parse('draft = Draft(Verdict("missing-zero", Severity.ERROR), spot)')

    assert stated(elsewhere) == {"missing-zero"}


def test_every_rule_is_a_verdict_or_is_listed_as_one_sided() -> None:
    by_choice = {
        *("clip-after-step", "clip-before-backward"),  # scaling.idle_clip
        *("never-synced", "wrapper-bypassed"),  # ranks.closing_alone
        *SCALER_ILLEGAL.values(),
    }

    assert INSIDE | by_choice | set(ONE_SIDED) | ABOUT_FILES == RULES


def test_no_rule_is_both() -> None:
    assert INSIDE & set(ONE_SIDED) == set()


def test_one_side_alone_states_no_rule_that_is_judged_from_shared_facts() -> None:
    with pytest.raises(LookupError, match=r"^missing-zero is judged from shared facts$"):
        one_sided("missing-zero")


def test_a_situation_that_no_rule_forbids_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "REFUSED", {"clip-in-window": None})

    with pytest.raises(LookupError, match=r"^no rule forbids clip-in-window$"):
        broken_rule("clip-in-window")


def test_every_reason_is_a_sentence() -> None:
    assert [reason for reason in ONE_SIDED.values() if len(reason.split()) < 6] == []


@pytest.mark.parametrize("module", [module.name for module in iter_modules(verdicts.__path__)])
def test_verdicts_import_nothing_of_the_books_of_a_run(module: str) -> None:
    loaded = import_module(f"zerograd.lifecycle.verdicts.{module}")
    homes = {getattr(value, "__module__", "") for value in vars(loaded).values()}
    ours = {home for home in homes if home.startswith("zerograd.lifecycle.")}

    allowed = ("zerograd.lifecycle.verdicts.", "zerograd.lifecycle.transitions")
    assert [home for home in ours if not home.startswith(allowed)] == []
    assert inspect.getdoc(loaded)


def test_precedence_and_absorption_name_rules_of_the_catalogue() -> None:
    tables = (ABSORBED_BY, ABSORBED_AT_A_TAIL)
    absorbed = {rule for table in tables for rule in table}
    absorbing = {rule for table in tables for by in table.values() for rule in by}

    assert {*ABOUT_ACCOUNTS, *ABOUT_WINDOWS, *LAST} | absorbed | absorbing <= RULES


def test_every_illegal_spend_has_its_place_in_the_precedence() -> None:
    spends = {rule for (_, move), rule in ILLEGAL.items() if move.value == "spend"}

    assert spends <= set(ABOUT_ACCOUNTS)


ENGINE = sorted((SOURCE / "engine").rglob("*.py"))


def docstrings(tree: ast.AST) -> set[int]:
    """Return the statements that are only a string."""
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Expr))
    return {id(node.value) for node in nodes if isinstance(node.value, ast.Constant)}


def rules_in_strings(text: str) -> set[str]:
    """Return the rules and codes that the strings of a module name, docstrings aside."""
    tree = ast.parse(text)
    aside = docstrings(tree)
    strings = [
        str(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in aside
    ]
    names = {word.rstrip(":") for string in strings for word in string.split()}
    return {name for name in names if name in RULES or name in CODES}


def situations(text: str) -> set[str]:
    """Return the strings of a module that are situations in which an engine refuses."""
    nodes = ast.walk(ast.parse(text))
    return {str(node.value) for node in nodes if isinstance(node, ast.Constant)} & set(REFUSED)


def test_the_engine_names_no_rule_and_no_code() -> None:
    named = {file.stem: rules_in_strings(file.read_text(encoding="utf-8")) for file in ENGINE}

    assert {stem: rules for stem, rules in named.items() if rules} == {}
    assert len(named) > 40


def test_a_rule_that_the_engine_names_is_found() -> None:
    text = 'raise LifecycleError(f"spent-twice: {kind}.step()", code="ZG302")'

    assert rules_in_strings(text) == {"spent-twice", "ZG302"}


def test_every_situation_has_a_verdict_and_two_sentences() -> None:
    assert REFUSED.keys() == REFUSALS.keys()
    assert [name for name, verdict in REFUSED.items() if verdict is None] == []
    assert [name for name, words in REFUSALS.items() if not all(words)] == []


def test_every_situation_is_refused_by_the_engine() -> None:
    used = {name for file in ENGINE for name in situations(file.read_text(encoding="utf-8"))}

    assert used == set(REFUSED)


def test_what_the_engine_refuses_is_a_rule_that_the_catalogue_says_it_sees() -> None:
    rules = {broken_rule(situation) for situation in REFUSED}
    seen = {rule.name for rule in CATALOGUE if SeenBy.ENGINE in rule.seen}

    assert rules - seen == set()


CHECKS = sorted((SOURCE / "lint" / "checks").rglob("*.py"))


def imports(file: Path) -> set[str]:
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}


def test_every_check_that_states_a_shared_rule_asks_the_verdicts() -> None:
    states = [file for file in CHECKS if "Draft(" in file.read_text(encoding="utf-8")]
    alone = {
        file.stem
        for file in states
        if not any(name.startswith("zerograd.lifecycle.verdicts") for name in imports(file))
    }

    # `case` makes drafts without words of verdicts that others reached.
    assert alone - {"case"} == set()
    assert len(states) > 20


def test_asking_lint_for_a_verdict_loads_no_books_of_a_run() -> None:
    program = (
        "import sys, zerograd.lint.analysis\n"
        "print(*sorted(name for name in sys.modules if name.startswith('zerograd.lifecycle')))"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()

    assert "zerograd.lifecycle.verdicts.clearing" in loaded
    assert "zerograd.lifecycle.bookkeeper" not in loaded
    assert "zerograd.lifecycle.events" not in loaded
