"""The articles' fourteen loops run, and each ends beside its engine's twin as it should."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from exactness import FP32_ROUND_OFF

ARTICLES = Path(__file__).parents[2] / "examples" / "articles"

EXACT = (
    "loop_01_three_backwards",
    "loop_02_adam_over_two_tensors",
    "loop_03_sgd_over_linear",
    "loop_05_cleared_through_the_model",
    "loop_10_two_optimizers",
    "loop_11_recurrent",
    "loop_12_several_losses",
    "loop_13_mixed_precision",
    "loop_14_clipped_and_hooked",
)
"""Right loops that end with the bits of their twin, on every CPU."""

ROUNDED = ("loop_04_managed_by_hand",)
"""A product and a difference by hand: two roundings where an optimizer may have one."""

WRONG = {
    "loop_06_never_cleared",
    "loop_07_cleared_between_backward_and_step",
    "loop_09_accumulated",
}
"""Loops that train something else than their twin."""


def apart(name: str, capsys: pytest.CaptureFixture[str]) -> float:
    """Run one loop and read from its last line how far its parameters are from the twin's."""
    runpy.run_path(str(ARTICLES / f"{name}.py"), run_name="__main__")
    ending = capsys.readouterr().out.splitlines()[-1]
    return 0.0 if ending == "parameters: identical" else float(ending.split()[1])


@pytest.fixture(autouse=True)
def _as_a_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ARTICLES)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.usefixtures("exact_clip")
def test_a_right_loop_ends_with_the_bits_of_its_twin(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert apart(name, capsys) == 0


@pytest.mark.parametrize("name", ROUNDED)
@pytest.mark.usefixtures("in_fp64")
def test_a_right_loop_that_rounds_otherwise_ends_where_its_twin_does_in_fp64(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert apart(name, capsys) < FP32_ROUND_OFF


@pytest.mark.parametrize("name", sorted(WRONG))
def test_a_wrong_loop_ends_elsewhere(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert apart(name, capsys) > 0.01


def test_the_loop_that_zeroes_none_raises(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'zero_'"):
        apart("loop_08_zeroed_while_none", capsys)


def test_all_fourteen_are_run() -> None:
    loops = {path.stem for path in ARTICLES.glob("loop_*.py")}

    assert len(loops) == 14
    assert loops == {*EXACT, *ROUNDED, *WRONG, "loop_08_zeroed_while_none"}
