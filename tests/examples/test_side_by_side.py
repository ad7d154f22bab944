"""Every example runs, and its last line says how far plain loop and engine are apart."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from exactness import FP32_ROUND_OFF

EXAMPLES = Path(__file__).parents[2] / "examples"

EXACT = (
    "actor_critic.py",
    "adam_over_tensors.py",
    "bf16.py",
    "clipping_and_hooks.py",
    "fp16.py",
    "gan.py",
    "lbfgs.py",
    "manual_management.py",
    "resume.py",
    "several_losses.py",
    "sgd_over_linear.py",
    "truncated_bptt.py",
    "two_optimizers.py",
)
"""Both loops do the same arithmetic, or powers of two apart: the same bits on every CPU."""

ROUNDED = ("accumulation.py",)
"""Shares of eleven samples: the two loops round at different places."""

ASSERTING = {"elastic.py", "small_memory.py", "two_ranks.py", "ways_of_clearing.py"}
"""Examples that end with an assertion of their own; test_elastic.py and tests/watch run them."""


def difference(ending: str) -> float:
    """Read an example's last line."""
    if ending.startswith("identical"):
        return 0.0
    (number,) = re.findall(r"^largest difference (\S+)$", ending)
    return float(number)


def apart(name: str, capsys: pytest.CaptureFixture[str]) -> float:
    """Run an example and return how far plain loop and engine end apart."""
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return difference(capsys.readouterr().out.splitlines()[-1])


@pytest.fixture(autouse=True)
def _as_a_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.usefixtures("exact_clip")
def test_plain_loop_and_engine_end_with_the_same_bits(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert apart(name, capsys) == 0


@pytest.mark.parametrize("name", ROUNDED)
@pytest.mark.usefixtures("in_fp64")
def test_plain_loop_and_engine_that_round_differently_are_one_in_fp64(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert apart(name, capsys) < FP32_ROUND_OFF


def test_a_difference_would_be_noticed() -> None:
    assert difference("identical") == 0.0
    assert difference("largest difference 4.2e-02") == 0.042


def test_every_example_that_compares_is_run() -> None:
    compared = [
        path.name
        for path in EXAMPLES.glob("*.py")
        if "zerograd.Gradients" in path.read_text("utf-8") and path.name not in ASSERTING
    ]

    assert sorted(compared) == sorted((*EXACT, *ROUNDED))
