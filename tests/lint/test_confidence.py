"""The table of assumptions: each is used, each says what is left of a finding that needs it."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import zerograd.lint
from zerograd.lifecycle.verdicts.verdict import Verdict
from zerograd.lint.checks.evidence.shared_assumptions import GROUNDS, NEEDED
from zerograd.lint.confidence import ASSUMPTIONS, is_silent, weigh
from zerograd.rules import CATALOGUE
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.lint import Analysis

CHECKS = sorted((Path(zerograd.lint.__file__).parent / "checks").rglob("*.py"))
NAMED = {
    node.value
    for file in CHECKS
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    if isinstance(node, ast.Constant) and isinstance(node.value, str)
}
BY_MOST = {
    most: next(name for name, item in ASSUMPTIONS.items() if item.most is most)
    for most in (None, Severity.HINT, Severity.WARNING)
}


@pytest.mark.parametrize("name", ASSUMPTIONS)
def test_every_assumption_is_one_of_a_check(name: str) -> None:
    assert name in NAMED


@pytest.mark.parametrize("name", ASSUMPTIONS)
def test_every_assumption_reads_after_lint_could_not_show_that(name: str) -> None:
    sentence = ASSUMPTIONS[name].sentence

    assert sentence[0].islower() or sentence.startswith("`")
    assert not sentence.endswith(".")
    assert len(sentence.split()) >= 4


def test_every_shared_assumption_has_a_test_and_a_rule_that_needs_it() -> None:
    needed = {name for names in NEEDED.values() for name in names}

    assert needed == GROUNDS.keys()
    assert needed <= ASSUMPTIONS.keys()


def test_only_rules_of_the_catalogue_need_assumptions() -> None:
    assert NEEDED.keys() <= {rule.name for rule in CATALOGUE}


@pytest.mark.parametrize(
    ("most", "left"),
    [
        ((), Severity.ERROR),
        ((Severity.WARNING,), Severity.WARNING),
        ((Severity.HINT,), Severity.HINT),
        ((Severity.WARNING, Severity.HINT), Severity.HINT),
        ((Severity.HINT, Severity.WARNING), Severity.HINT),
        ((Severity.WARNING, None), None),
        ((None, Severity.WARNING), None),
    ],
)
def test_the_lowest_of_its_assumptions_is_what_is_left_of_a_finding(
    most: tuple[Severity | None, ...], left: Severity | None
) -> None:
    verdict = Verdict("missing-zero", Severity.ERROR, tuple(BY_MOST[item] for item in most))

    weighed = weigh(verdict)

    assert (weighed and weighed.severity) == left
    assert is_silent(verdict) is (left is None)


def test_an_assumption_makes_no_finding_graver() -> None:
    hint = Verdict("tail-dropped", Severity.HINT, (BY_MOST[Severity.WARNING],))

    assert weigh(hint) == hint


# -- the same, through whole programs

QUIET: list[tuple[str, str, str]] = [
    (
        "missing-zero",
        "no-step-hook",
        """\
        optimizer.register_step_post_hook(clear)
        for x in loader:
            model(x).mean().backward()
            optimizer.step()
        """,
    ),
    (
        "missing-zero",
        "clear-not-switched-off",
        """\
        for x in loader:
            if not args.accumulate_grad:
                optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
        """,
    ),
    (
        "unnormalised-window",
        "mean-reduced",
        """\
        for i, x in enumerate(loader):
            loss = model.loss(x)
            loss.backward()
            if (i + 1) % 4 == 0:
                optimizer.step()
                optimizer.zero_grad()
        """,
    ),
    (
        "unnormalised-window",
        "factor-is-no-divisor",
        """\
        for i, x in enumerate(loader):
            loss = model(x).mean() * weight
            loss.backward()
            if (i + 1) % 4 == 0:
                optimizer.step()
                optimizer.zero_grad()
        """,
    ),
    (
        "wrong-divisor",
        "divisor-differs",
        """\
        for i, x in enumerate(loader):
            loss = model(x).mean() / rate
            loss.backward()
            if (i + 1) % every == 0:
                optimizer.step()
                optimizer.zero_grad()
        """,
    ),
    (
        "spent-twice",
        "no-deposit-skipped",
        """\
        for x in loader:
            optimizer.zero_grad()
            loss = model(x).mean()
            loss.backward()
            optimizer.step()
            if x.wide():
                loss.backward()
            optimizer.step()
        """,
    ),
]


@pytest.mark.parametrize(("rule", "lacks", "program"), QUIET, ids=[item[1] for item in QUIET])
def test_a_finding_is_withheld_and_the_reach_says_what_it_lacks(
    rule: str, lacks: str, program: str, analyse: Callable[[str], Analysis]
) -> None:
    found = analyse(program)

    (loop,) = found.loops
    withheld = [item for items in (loop.families or {}).values() for item in items]
    sentences = [item.lacks for item in withheld if item.rule == rule and item.severity is None]
    assert rule not in [item.rule.name for item in found.findings]
    assert ASSUMPTIONS[lacks].sentence in [sentence for each in sentences for sentence in each]


def test_a_finding_that_only_a_name_supports_is_a_hint_and_says_so(
    analyse: Callable[[str], Analysis],
) -> None:
    found = analyse("""\
        for x in loader:
            model(x).mean().backward()
            trainer.optimizer.step()
    """)

    (loop,) = found.loops
    (missing,) = [item for item in found.findings if item.rule.name == "missing-zero"]
    (quiet,) = [item for item in (loop.families or {})["clearing"] if item.rule == "missing-zero"]
    assert missing.severity is quiet.severity is Severity.HINT
    assert ASSUMPTIONS["optimizer-known"].sentence in quiet.lacks


@pytest.mark.parametrize(
    ("call", "is_loud"),
    [
        ("update_ema", True),
        ("adjust_lr", True),
        ("SWALR", True),
        ("isinstance", True),
        ("remap", False),
        ("allreduce", False),
        ("train_on", False),
    ],
)
def test_a_call_that_gets_the_optimizer_is_judged_by_the_words_of_its_name(
    call: str, is_loud: bool, analyse: Callable[[str], Analysis]
) -> None:
    found = analyse(f"""\
        {call}(optimizer)
        for x in loader:
            model(x).mean().backward()
            optimizer.step()
    """)

    (missing,) = [item for item in found.findings if item.rule.name == "missing-zero"]
    assert (missing.severity is Severity.ERROR) is is_loud
