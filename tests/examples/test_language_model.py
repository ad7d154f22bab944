"""The realistic training: plain and engine agree, stopped and resumed too; mistakes are seen."""

from __future__ import annotations

import importlib
import runpy
import subprocess
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from exactness import FP32_ROUND_OFF
from warm_python import warm_python

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parents[2] / "examples" / "language_model"


@pytest.fixture(autouse=True)
def _as_a_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(FOLDER)


@pytest.fixture
def windows_of_256(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let both programs take 64 for the characters of any batch, and train on two whole windows."""
    characters: Any = importlib.import_module("characters")
    monkeypatch.setattr(characters, "counted", lambda _: 64)
    monkeypatch.setattr(characters, "batches", partial(characters.batches, 8))


def trainer(name: str) -> Callable[..., torch.nn.Module]:
    """Return a program's `train`, as importing it would."""
    program: dict[str, Any] = runpy.run_path(str(FOLDER / name))
    return program["train"]  # type: ignore[no-any-return]  # what runpy returns is anything


def apart(one: torch.nn.Module, other: torch.nn.Module) -> float:
    """Return by how much the elements of a parameter differ, in the mean, at most."""
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    return max(float((a - b).detach().abs().mean()) for a, b in pairs)


@pytest.mark.usefixtures("exact_clip", "in_fp64")
def test_the_engine_trains_what_the_plain_loop_trains() -> None:
    plain = trainer("plain.py")(None, 1, "fp32", None)
    engine = trainer("with_engine.py")(1, "fp32", None, None)

    assert apart(plain, engine) < FP32_ROUND_OFF


@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
@pytest.mark.usefixtures("exact_clip", "windows_of_256")
def test_over_a_power_of_two_it_trains_the_same_bits(
    precision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_by_hand = trainer("plain.py")
    # The plain loop divides by 256 before its backward, the engine by 64, and by 4 at the step:
    # with a scale of four times the engine's fp16 holds the same numbers.
    monkeypatch.setitem(train_by_hand.__globals__, "SCALE", 1024.0 * 4)

    plain = train_by_hand(None, 1, precision, None)
    engine = trainer("with_engine.py")(1, precision, None, None)

    assert apart(plain, engine) == 0


@pytest.mark.usefixtures("in_fp64")
def test_a_mistake_trains_something_else() -> None:
    right = trainer("plain.py")(None, 1, "fp32", None)
    wrong = trainer("plain.py")("missing-zero", 1, "fp32", None)

    assert apart(right, wrong) > FP32_ROUND_OFF


def test_an_engine_stopped_in_mid_window_goes_on_bit_for_bit(tmp_path: Path) -> None:
    train = trainer("with_engine.py")
    whole = train(2, "fp32", None, None)

    train(2, "fp32", tmp_path / "run.pt", 6)
    resumed = train(2, "fp32", tmp_path / "run.pt", None)

    assert apart(whole, resumed) == 0


def test_a_plain_run_stopped_after_an_epoch_goes_on_bit_for_bit(tmp_path: Path) -> None:
    train = trainer("plain.py")
    whole = train(None, 2, "fp32", tmp_path / "whole.pt")
    states = torch.load(tmp_path / "whole.pt")

    assert states["epoch"] == 2
    assert apart(whole, train(None, 2, "fp32", tmp_path / "whole.pt")) == 0


@pytest.mark.parametrize(
    ("mistake", "precision", "code"),
    [
        ("missing-zero", "bf16", "ZG101"),
        ("zero-before-step", "bf16", "ZG102"),
        ("clip-before-unscale", "fp16", "ZG402"),
        ("tail-leaks", "bf16", "ZG202"),
        ("unequal-micro-batches", "bf16", "ZG208"),
        ("average-in-window", "bf16", "ZG210"),
    ],
)
def test_watch_sees_each_mistake(mistake: str, precision: str, code: str) -> None:
    command = [warm_python(), "-m", "zerograd", "watch", "--preview", "--format", "concise"]
    options = ["--mistake", mistake, "--epochs", "3", "--precision", precision]

    run = subprocess.run(
        [*command, "plain.py", *options], cwd=FOLDER, capture_output=True, text=True
    )

    assert {line.split()[1] for line in run.stdout.splitlines() if ": ZG" in line} == {code}


def test_every_mistake_is_tried() -> None:
    program: dict[str, Any] = runpy.run_path(str(FOLDER / "plain.py"))

    assert program["MISTAKES"] == (
        "missing-zero",
        "zero-before-step",
        "clip-before-unscale",
        "tail-leaks",
        "unequal-micro-batches",
        "average-in-window",
    )
