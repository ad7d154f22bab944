"""Lint's shortcuts, each switched off: the findings in all scripts stay the same."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from zerograd.lint import Analyser, Project, Source
from zerograd.lint.interpret import planning
from zerograd.lint.program.relevance import Relevance, RelevantParts
from zerograd.record import replace

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.lint.program.module import Module

SCRIPTS = Path(__file__).parents[1] / "scripts"
PROGRAMS = sorted(
    path
    for path in SCRIPTS.glob("*/*.py")
    if path.parent.name not in ("unparsable_file", "unreadable_file")
)[:: 1 if os.environ.get("ZEROGRAD_ROBUSTNESS") else 3]
"""All of them in `make robustness`, a third in `make test`: each is read three times."""

Found = dict[str, list[tuple[str, int, str]]]


def findings() -> Found:
    """Return what lint says of each script, told by code, line and severity."""
    found = {}
    for path in PROGRAMS:
        analysis = Analyser(Project(), repairs=False).analyse(
            Source(str(path), path.read_text("utf-8"))
        )
        found[path.relative_to(SCRIPTS).as_posix()] = [
            (item.rule.code, item.location.line, item.severity.name) for item in analysis.findings
        ]
    return found


@pytest.fixture(scope="module")
def as_shipped() -> Found:
    return findings()


def reading_every_line(parts: Callable[[Relevance, Module], RelevantParts]) -> object:
    def every(self: Relevance, module: Module) -> RelevantParts:
        known = parts(self, module)
        lines = range(1, module.source.text.count("\n") + 2)
        return replace(known, lines=list(lines))

    return every


def test_lines_without_a_relevant_word_hold_nothing(
    as_shipped: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Relevance, "parts", reading_every_line(Relevance.parts))

    assert findings() == as_shipped


def test_calls_that_were_found_to_do_nothing_do_nothing_the_next_time(
    as_shipped: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "may_be_quiet", lambda *_: False)

    assert findings() == as_shipped


def test_a_shortcut_that_loses_something_would_be_noticed(
    as_shipped: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "may_be_quiet", lambda *_: True)
    monkeypatch.setattr(Relevance, "eventful", lambda *_: False)

    assert findings() != as_shipped
