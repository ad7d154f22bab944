"""The sentences that every report shares, literally."""

from __future__ import annotations

from math import inf, nan

import pytest

from zerograd.findings import (
    Damage,
    Edit,
    FamilyReach,
    Finding,
    Fix,
    Location,
    Reach,
    Results,
    Unchecked,
)
from zerograd.reports import summary
from zerograd.reports.words import damage_words, happened, place, reach_words, repair_words, times
from zerograd.rules import Repair, find_rule
from zerograd.severity import Severity

ALL = Reach(thing="loop", seen=2, checked=2)
PARTLY = (
    FamilyReach("clearing", 2, 0),
    FamilyReach("windows", 2, 1),
    FamilyReach("graph", 2, 2),
)


def finding(
    severity: Severity = Severity.ERROR,
    *,
    path: str = "a.py",
    fix: Fix | None = None,
    count: int | None = None,
    steps: tuple[int | None, int | None] = (None, None),
    rank: int | None = None,
) -> Finding:
    return Finding(
        rule=find_rule("missing-zero"),
        severity=severity,
        location=Location(path, 1),
        message="x",
        fix=fix,
        count=count,
        first_step=steps[0],
        last_step=steps[1],
        rank=rank,
    )


def fix(safety: Repair) -> Fix:
    return Fix(safety, "clear first", (Edit(1, 1, 1, 1, "x"),))


@pytest.mark.parametrize(
    ("location", "words"),
    [
        (Location("a.py", 3, 5), "a.py:3:5"),
        (Location("n.ipynb", 3, 5, cell=2), "n.ipynb:cell 2:3:5"),
        (Location("::stop-commands::x", 1), "./::stop-commands::x:1:1"),
        (Location("  ::x", 1), "./  ::x:1:1"),
        (Location(":", 1), "./::1:1"),
        (Location("a\nb.py", 1), "a\\nb.py:1:1"),
    ],
)
def test_a_place_is_a_link_and_never_a_workflow_command(location: Location, words: str) -> None:
    assert place(location) == words


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (finding(), ""),
        (finding(count=1, steps=(3, 3)), "once, step 3"),
        (finding(count=312, steps=(4, 1872)), "312 times, steps 4 to 1,872"),
        (finding(count=2, steps=(4, None), rank=0), "2 times, step 4, rank 0"),
    ],
)
def test_what_happened_is_told_in_words(seen: Finding, words: str) -> None:
    assert happened(seen) == words


@pytest.mark.parametrize(
    ("ratio", "peak", "cosine", "words"),
    [
        (7.4, 22, 0.31, "7.4x too large (peak 22x), 72 degrees off"),
        (1.3, inf, -0.5, "1.3x too large, 120 degrees off"),
        (0.25, 0.5, 1, "4.0x too small, in the right direction"),
        (1.01, 1.2, 0.2, "of the right size, 78 degrees off"),
        (0, 0, nan, "nothing was spent"),
        (inf, inf, nan, "spent where nothing should have been"),
        (nan, nan, nan, "spent where nothing should have been"),
    ],
)
def test_damage_is_told_in_words(ratio: float, peak: float, cosine: float, words: str) -> None:
    damage = Damage(ratio=ratio, peak_ratio=peak, cosine=cosine, worst_cosine=0, measured=1)

    assert damage_words(damage) == words


@pytest.mark.parametrize(
    ("factor", "words"),
    [(1.5, "1.5x"), (9.96, "10x"), (1872.4, "1,872x"), (3.14e8, "3.1e+08x")],
)
def test_a_factor_has_the_digits_that_matter(factor: float, words: str) -> None:
    assert times(factor) == words


def test_reach_names_the_commonest_reasons() -> None:
    reasons = ["b"] * 2 + ["c"] * 3 + ["a"] * 2 + ["d"]
    unchecked = tuple(Unchecked(reason, Location("a.py", 1)) for reason in reasons)

    words = reach_words(Reach(thing="loop", seen=41, checked=33, unchecked=unchecked))

    assert words == "41 loops: 33 checked, 8 not (c in 3, a in 2, b in 2, ...)"


@pytest.mark.parametrize(
    ("reach", "words"),
    [
        (Reach(thing="loop", seen=1, checked=1), "1 loop: all checked"),
        (Reach(thing="step", seen=0, checked=0), "no step to check"),
        (Reach(thing="loop", seen=3, checked=1), "3 loops: 1 checked, 2 not"),
        (
            Reach(thing="loop", seen=1, checked=1, families=(FamilyReach("windows", 1, 1),)),
            "1 loop: all checked",
        ),
        (
            Reach(thing="loop", seen=2, checked=2, families=PARTLY),
            "2 loops: all followed, not judged: clearing in 2, windows in 1",
        ),
        (
            Reach(thing="loop", seen=3, checked=2, families=PARTLY),
            "3 loops: 2 checked, 1 not; not judged: clearing in 2, windows in 1",
        ),
    ],
)
def test_reach_is_told_in_words(reach: Reach, words: str) -> None:
    assert reach_words(reach) == words


def test_finding_nothing_is_not_sold_as_clean() -> None:
    results = Results(verb="lint", findings=(), reach=Reach(thing="loop", seen=3, checked=1))

    assert summary(results) == "Found nothing; 3 loops: 1 checked, 2 not."


def test_the_summary_counts_by_severity_and_file() -> None:
    findings = (
        finding(),
        finding(path="b.py"),
        finding(Severity.WARNING),
        finding(Severity.HINT),
    )

    words = summary(Results(verb="lint", findings=findings, reach=ALL))

    assert words == "Found 2 errors, 1 warning and 1 hint in 2 files; 2 loops: all checked."


@pytest.mark.parametrize(
    ("safeties", "words"),
    [
        ([Repair.SAFE], " `zerograd lint --fix` repairs 1."),
        ([Repair.SAFE, Repair.UNSAFE], " `zerograd lint --fix --unsafe-fixes` repairs 2."),
        ([Repair.DISPLAY], ""),
    ],
)
def test_the_summary_names_the_command_that_repairs(safeties: list[Repair], words: str) -> None:
    findings = tuple(finding(fix=fix(safety)) for safety in safeties)

    told = summary(Results(verb="lint", findings=findings, reach=ALL))

    assert told.partition("checked.")[2] == words


@pytest.mark.parametrize(
    ("repair", "words"),
    [
        (fix(Repair.SAFE), "clear first (`zerograd lint --fix` writes it)"),
        (fix(Repair.UNSAFE), "clear first (`zerograd lint --fix --unsafe-fixes` writes it)"),
        (fix(Repair.DISPLAY), "clear first (shown, never written)"),
        (Fix(Repair.SAFE, "clear first", ()), "clear first (shown, never written)"),
    ],
)
def test_a_repair_says_who_writes_it(repair: Fix, words: str) -> None:
    assert repair_words(repair) == words
