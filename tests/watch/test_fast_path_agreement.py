"""A script's events and findings are the same with the fast path and without, at one of 24."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

import pytest
from script_expectations import FRAMEWORKS, SCRIPTS
from script_runs import run_script
from test_agreement import RACING, programs

if TYPE_CHECKING:
    from pathlib import Path

    from script_runs import Run

# Scripts are short: what is calm after hundreds of steps in life is calm here after a few.
EAGER = """
from zerograd.watch.observe import step_effects as effects
from zerograd.watch.observe import module_calls as modules
from zerograd.watch.gradients import sampling
from zerograd.watch.observe import loss_roots as roots
sampling.NEW = effects.PROVEN = roots.RUN = modules.LISTENED = 1
roots.LONGEST_RUN = 2
"""

TELLING = """
from sys import stderr
from zerograd.lifecycle import Ledger
from zerograd.watch.fast_path.call_cache import CallCache

def told(self, event, post=Ledger.post):
    # A scaler has no other name than its address.
    print("event", event if not hasattr(event, "scaler") else type(event), file=stderr)
    return post(self, event)

def told_all(self, events):
    for event in events:
        yield self.post(event)

def rode(self, post=CallCache._post_trail):
    print("rode", file=stderr)
    post(self)

Ledger.post, Ledger.post_all, CallCache._post_trail = told, told_all, rode
"""

FORGETTING = """
from zerograd.watch.fast_path.call_cache import CallCache
CallCache.learn = lambda *_: None
"""

MOVED_BY_HAND = {"sam_loop_of_two", "correct_sam", "correct_sam_loop", "broken_new_parameter"}
"""Where calls are answered from the cache, values of weights are read at every 13th deposit only:
that somebody moved them by hand is posted less often there, or seen some windows later."""

REMAINDER = 0
"""Of the names' sums: a script that is added changes nobody else's turn."""

SAMPLE = [
    program
    for program in programs()
    if program.suffix == ".py"
    and program.parent != FRAMEWORKS
    and program.stem not in RACING
    and program.stem not in MOVED_BY_HAND
    and program.parent.name != "average_in_window"  # judged by the motion of weights too
    and b"zerograd.watch(" not in program.read_bytes()  # two watchers tell in turns
    and crc32(f"{program.parent.name}/{program.stem}".encode()) % 24 == REMAINDER
]


def run(program: Path, folder: Path, meddle: str = "") -> Run:
    return run_script(program, folder, watched=True, meddle=EAGER + TELLING + meddle)


def events(run: Run) -> list[str]:
    lines = str(run.state["stderr"]).splitlines()
    # A new wrapper around a calm model is heard of one call later.
    return [line for line in lines if line.startswith("event ") and "Called(" not in line]


@pytest.mark.parametrize("program", SAMPLE, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_what_is_remembered_is_what_is_computed(program: Path, tmp_path: Path) -> None:
    remembered = run(program, tmp_path)
    computed = run(program, tmp_path, FORGETTING)

    assert remembered.internal_error is None
    assert events(remembered) == events(computed)
    assert remembered.findings == computed.findings


def test_the_lane_is_ridden(tmp_path: Path) -> None:
    program = SCRIPTS / "missing_zero" / "correct_callbacks.py"

    assert "rode" in str(run(program, tmp_path).state["stderr"])
    assert "rode" not in str(run(program, tmp_path, FORGETTING).state["stderr"])
