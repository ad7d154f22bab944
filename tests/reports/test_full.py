"""The full report tells a finding whole, with its source or without."""

from __future__ import annotations

from report_samples import CLIP, MISSING_ZERO, SCALED, SOURCES, UNUSED

from zerograd.findings import Finding, Reach, Results, Sources
from zerograd.record import replace
from zerograd.reports import View, find_report
from zerograd.severity import Severity

ALLOW = "`# zerograd: ignore[clip-before-unscale]` on this line"


def block(finding: Finding, sources: Sources = SOURCES) -> list[str]:
    """Return the lines of a finding, without the summary and the blank line before it."""
    reach = Reach(thing="loop", seen=1, checked=1)
    results = Results(verb="lint", findings=(finding,), reach=reach)
    text = "".join(find_report("full").render(results, View(sources=sources)))
    return text.splitlines()[:-2]


def test_a_finding_is_told_from_its_place_to_how_to_allow_it() -> None:
    assert block(CLIP) == [
        f"amp/train.py:6:5: ZG402 clip-before-unscale: {CLIP.message}",
        "    4 | scaler.scale(loss).backward()",
        "      | ----------------------------- scaled here",
        "    6 | torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)",
        "      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ call `scaler.unscale_(optimizer)` first",
        "    = fix: unscale before the clip (`zerograd lint --fix --unsafe-fixes` writes it)",
        "        6 + scaler.unscale_(optimizer)",
        f"    = allow: {ALLOW}; `zerograd explain ZG402` tells more",
    ]


def test_a_missing_file_leaves_the_words() -> None:
    assert block(CLIP, Sources())[1:4] == [
        "    = help: call `scaler.unscale_(optimizer)` first",
        "    --> amp/train.py:4:5: scaled here",
        "    = fix: unscale before the clip (`zerograd lint --fix --unsafe-fixes` writes it)",
    ]


def test_a_file_that_lost_its_lines_shows_those_that_are_left() -> None:
    shorter = Sources(texts={"amp/train.py": "\n".join(SCALED.splitlines()[:4])})

    assert block(CLIP, shorter)[1:4] == [
        "    4 | scaler.scale(loss).backward()",
        "      | ----------------------------- scaled here",
        "    = help: call `scaler.unscale_(optimizer)` first",
    ]


def test_evidence_in_another_file_has_a_frame_of_its_own() -> None:
    lines = block(MISSING_ZERO)
    start = lines.index("    --> helper.py:2:5")

    assert lines[start + 1 : start + 3] == [
        "    2 | optimizer.step()",
        "      | ---------------- 3. spent here",
    ]


def test_a_fault_of_a_pragma_is_not_allowed_by_a_pragma() -> None:
    assert not [line for line in block(UNUSED) if "= allow:" in line]


def test_a_run_that_shows_less_than_the_worst_of_a_rule_says_so() -> None:
    milder = replace(MISSING_ZERO, severity=Severity.WARNING, count=3)

    assert "    = severity: warning; the highest of this rule is error" in block(milder)
    assert not any("severity" in line for line in block(replace(MISSING_ZERO, count=3)))
