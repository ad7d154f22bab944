"""A rank that is killed under torchrun restarts the job, which ends as if nothing had happened."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from warm_python import warm_python

EXAMPLE = Path(__file__).parents[2] / "examples" / "elastic.py"


def test_a_killed_rank_restarts_the_job_in_mid_window_and_it_ends_bit_identical() -> None:
    ran = subprocess.run(
        [warm_python(), str(EXAMPLE)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "GLOO_SOCKET_IFNAME": "lo"},
    )

    resumed = re.findall(
        r"^rank (\d) goes on after micro-batch 18: .* 3 micro-batches open", ran.stdout, re.M
    )
    assert sorted(resumed) == ["0", "1"], ran.stderr[-4000:]
    assert ran.stdout.splitlines()[-1] == "identical", ran.stderr[-4000:]
