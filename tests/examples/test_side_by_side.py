"""Every example runs, and its last line says how far plain loop and engine are apart."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

ENDINGS = {
    "accumulation.py": 1e-6,
    "actor_critic.py": 0.0,
    "adam_over_tensors.py": 0.0,
    "bf16.py": 0.0,
    "clipping_and_hooks.py": 1e-6,
    "fp16.py": 1e-5,
    "gan.py": 0.0,
    "lbfgs.py": 0.0,
    "manual_management.py": 0.0,
    "resume.py": 0.0,
    "several_losses.py": 0.0,
    "sgd_over_linear.py": 0.0,
    "truncated_bptt.py": 0.0,
    "two_optimizers.py": 1e-6,
}
"""The largest difference that each may end with; 0 is the same bits."""

ASSERTING = {"small_memory.py", "two_ranks.py", "ways_of_clearing.py"}
"""Examples that end with an assertion of their own; tests/watch runs them."""


def difference(ending: str) -> float:
    """Read an example's last line."""
    if ending.startswith("identical"):
        return 0.0
    (number,) = re.findall(r"^largest difference (\S+)$", ending)
    return float(number)


@pytest.mark.parametrize("name", ENDINGS)
def test_plain_loop_and_engine_end_alike(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)

    runpy.run_path(str(EXAMPLES / name), run_name="__main__")

    assert difference(capsys.readouterr().out.splitlines()[-1]) <= ENDINGS[name]


def test_a_difference_would_be_noticed() -> None:
    assert difference("identical") == 0.0
    assert difference("largest difference 4.2e-02") == 0.042


def test_every_example_that_compares_is_run() -> None:
    compared = [
        path.name
        for path in EXAMPLES.glob("*.py")
        if "zerograd.Gradients" in path.read_text("utf-8") and path.name not in ASSERTING
    ]

    assert sorted(compared) == sorted(ENDINGS)
