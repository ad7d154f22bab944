"""Where torch is not installed the engine says in one sentence what to install."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
sys.modules["torch"] = None  # what Python finds where torch is not installed
import zerograd
zerograd.Gradients
"""


def test_the_engine_says_what_to_install() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )

    assert run.stderr.splitlines()[-1] == (
        "ImportError: zerograd.Gradients needs PyTorch, which is not installed: pip install torch"
    )
