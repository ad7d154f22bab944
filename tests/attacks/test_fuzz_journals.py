"""A journal of any content is read as far as it can be: leftovers never stop a run.

`make test` tries a few with a fixed seed, `make robustness` twenty times as many with others.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from zerograd.errors import ZerogradError
from zerograd.findings import Finding, Location, Results
from zerograd.findings.record import to_record
from zerograd.rules import find_rule
from zerograd.severity import Severity
from zerograd.watch.process.gather_journals import gather

THOROUGH = 20 if os.environ.get("ZEROGRAD_ROBUSTNESS") else 1

pytestmark = pytest.mark.timeout(300 * THOROUGH)


def examples(count: int) -> settings:
    """Few enough for every run; pyproject.toml seeds them."""
    return settings(
        max_examples=count * THOROUGH,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**70) | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)

FINDING = to_record(
    Finding(
        rule=find_rule("missing-zero"),
        severity=Severity.ERROR,
        location=Location("train.py", 7),
        message="m",
        count=2,
        first_step=2,
        last_step=3,
    )
)
REAL: list[dict[str, Any]] = [
    {"process": {"name": "MainProcess", "parent": 1, "torch": "2.13.0+cpu"}},
    {"rank": {"number": 0, "world": 2}},
    {"found": FINDING},
    {"findings": [FINDING], "seen": {"optimizers": 1, "steps": 4}, "internal_error": None},
    {"failed_backward": 3},
    {"end": "whole"},
]


@st.composite
def changed_records(draw: st.DrawFn) -> Any:
    """Draw a record as a run writes it, in which one value anywhere is another one."""
    record = json.loads(json.dumps(draw(st.sampled_from(REAL))))
    place: Any = record
    while True:
        key = draw(st.sampled_from(list(place) if isinstance(place, dict) else range(len(place))))
        if not isinstance(place[key], dict | list) or not place[key] or draw(st.booleans()):
            break
        place = place[key]
    place[key] = draw(values)
    return record


records = changed_records() | st.sampled_from(REAL) | values


def gathered(lines: list[str]) -> Results | ZerogradError:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "10.jsonl").write_text("\n".join(lines))
        Path(folder, "11.history").write_text("\n".join(lines))
        try:
            return gather(Path(folder), 1)
        except ZerogradError as error:
            return error


@examples(150)
@given(written=st.lists(records, max_size=5))
def test_a_journal_of_any_records_is_read_as_far_as_it_can_be(written: list[Any]) -> None:
    outcome = gathered([json.dumps(record) for record in written])

    assert isinstance(outcome, Results | ZerogradError)


@examples(40)
@example(lines=["[" * 200_000])
@given(lines=st.lists(texts, max_size=4))
def test_a_journal_of_any_text_is_read_as_far_as_it_can_be(lines: list[str]) -> None:
    assert isinstance(gathered(lines), Results | ZerogradError)
