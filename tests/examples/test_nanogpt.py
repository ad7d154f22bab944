"""The GPT in one file: the engine trains the same, a stopped run goes on, a lost line is seen."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from exactness import clip_without_epsilon

from zerograd.lifecycle import Severity
from zerograd.lint import Analyser, Project, Source

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = Path(__file__).parents[2] / "examples" / "nanogpt"
PLAIN = (FOLDER / "gpt_plain.py").read_text("utf-8")


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Both programs' `train`, and the configuration that they share."""
    monkeypatch.syspath_prepend(FOLDER)
    plain = runpy.run_path(str(FOLDER / "gpt_plain.py"))
    engine = runpy.run_path(str(FOLDER / "gpt_with_engine.py"))
    return {"plain": plain["train"], "engine": engine["train"], "Config": plain["Config"]}


@pytest.fixture
def exact_clip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the plain loop clip as the engine does, in the order in which the optimizer has them.

    A sum of squares has an order; the model lists matrices and vectors mixed, the optimizer apart.
    """

    def clip(parameters: Iterable[torch.Tensor], max_norm: float) -> torch.Tensor:
        return clip_without_epsilon(sorted(parameters, key=lambda one: one.dim() < 2), max_norm)

    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", clip)


def apart(one: torch.nn.Module, other: torch.nn.Module) -> float:
    """Return by how much the elements of a parameter differ, in the mean, at most."""
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    return max(float((a - b).detach().abs().mean()) for a, b in pairs)


@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
@pytest.mark.usefixtures("exact_clip")
def test_the_engine_trains_what_the_plain_loop_trains_bit_for_bit(
    precision: str, programs: dict[str, Any]
) -> None:
    config = programs["Config"](steps=4, precision=precision)

    plain = programs["plain"](config)
    engine = programs["engine"](config)

    # Windows of four: dividing before the backward or after it is the same in binary.
    assert apart(plain, engine) == 0


@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
def test_a_clip_that_never_bites_needs_no_exact_one(
    precision: str, programs: dict[str, Any]
) -> None:
    config = programs["Config"](steps=4, precision=precision, clip=1e6)

    plain = programs["plain"](config)
    engine = programs["engine"](config)

    assert apart(plain, engine) == 0


def test_a_step_less_trains_something_else(programs: dict[str, Any]) -> None:
    plain, config = programs["plain"], programs["Config"]

    whole = plain(config(steps=4))
    shorter = plain(config(steps=4), stop=3)

    assert apart(whole, shorter) > 0


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
