"""A benchmark's watched loop is answered by the fast path once it repeats, as a run's is.

One frame more or less between the program and the fast path hides the program's line: then every
call goes to the channels, and the benchmark measures the slow path.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

COUNTING = """
import sys
from collections import Counter
import torch
from watched_loops import CASES, Loop
from zerograd.watch.fast_path.several_groups import Replay

CASE = CASES["tiny MLP"]
# Called by the channels, whatever stands between.
TOLD = {
    getattr(Replay, name).__code__: name
    for name in ("clear_begins", "backward_begins", "step_begins")
}
told, steps = Counter(), 0

def count(frame, event, argument):
    global steps
    if event == "call":
        steps += frame.f_code is Loop.step.__code__
        # All gradients are looked at at 512 backwards and at 1,024.
        if steps > 600 and frame.f_code in TOLD:
            told[TOLD[frame.f_code]] += 1

torch.set_num_threads(1)
sys.setprofile(count)
"""

COUNTED = """
sys.setprofile(None)
assert 700 < steps < 1000, steps
print(*(told[name] for name in TOLD.values()))
"""

COMPARED = 5
"""At so few steps of the last hundreds gradients are compared with other ranks'."""

RUNS = {
    "watch": """
import watch
watch.watched(CASE)(700)
""",
    "watch, inside our hooks": """
import watch
watch._inside_ours(CASE, 800 // watch.SAMPLES)
""",
    "report": """
import report
report.listened(CASE.loop, record=False)(700)
""",
    "ranks_watch": """
import ranks_watch
from torch import distributed
distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
ranks_watch.watched(CASE.loop)(700)
""",
}


@pytest.mark.parametrize("benchmark", RUNS)
def test_the_channels_are_told_of_no_call_of_a_loop_that_repeats(benchmark: str) -> None:
    paths = os.pathsep.join([str(ROOT / "benchmarks"), str(ROOT / "tests" / "reports")])

    ran = subprocess.run(
        [sys.executable, "-c", COUNTING + RUNS[benchmark] + COUNTED],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )

    most = COMPARED if benchmark == "ranks_watch" else 0
    assert all(int(times) <= most for times in ran.stdout.split())
