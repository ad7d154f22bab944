"""The GPT in one file: the engine trains the same, a stopped run goes on, a lost line is seen."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from zerograd.lifecycle import Severity
from zerograd.lint import Analyser, Project, Source

if TYPE_CHECKING:
    import torch

FOLDER = Path(__file__).parents[2] / "examples" / "nanogpt"
PLAIN = (FOLDER / "gpt_plain.py").read_text("utf-8")


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Both programs' `train`, and the configuration that they share."""
    monkeypatch.syspath_prepend(FOLDER)
    plain = runpy.run_path(str(FOLDER / "gpt_plain.py"))
    engine = runpy.run_path(str(FOLDER / "gpt_with_engine.py"))
    return {"plain": plain["train"], "engine": engine["train"], "Config": plain["Config"]}


def apart(one: torch.nn.Module, other: torch.nn.Module) -> float:
    """Return by how much the elements of a parameter differ, in the mean, at most."""
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    return max(float((a - b).detach().abs().mean()) for a, b in pairs)


@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
def test_the_engine_trains_what_the_plain_loop_trains(
    precision: str, programs: dict[str, Any]
) -> None:
    config = programs["Config"](steps=4, precision=precision)

    # The keys' biases have no gradient but rounding, and Adam makes whole steps of it.
    assert apart(programs["plain"](config), programs["engine"](config)) < 1e-4


def test_other_steps_train_something_else(programs: dict[str, Any]) -> None:
    plain, config = programs["plain"], programs["Config"]

    assert apart(plain(config(steps=4)), plain(config(steps=4), stop=3)) > 1e-3


def test_a_run_that_was_stopped_goes_on_bit_for_bit(
    tmp_path: Path, programs: dict[str, Any]
) -> None:
    plain, config = programs["plain"], programs["Config"](steps=4, precision="fp16")
    whole = plain(config)

    plain(config, tmp_path / "run.pt", stop=2)
    resumed = plain(config, tmp_path / "run.pt")

    assert apart(whole, resumed) == 0


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("        optimizer.zero_grad(set_to_none=True)\n", "ZG101"),
        ("        scaler.unscale_(optimizer)\n", "ZG402"),
        ("        scaler.update()\n", "ZG405"),
    ],
)
def test_lint_sees_a_line_that_was_forgotten(line: str, code: str) -> None:
    assert line in PLAIN

    source = Source(str(FOLDER / "gpt_plain.py"), PLAIN.replace(line, ""))
    findings = Analyser(Project(FOLDER)).analyse(source).findings

    assert [found.rule.code for found in findings if found.severity is not Severity.HINT] == [code]
