"""The articles' fourteen loops run, and each ends beside its engine's twin as it should."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ARTICLES = Path(__file__).parents[2] / "examples" / "articles"

ENDINGS = {
    "loop_01_three_backwards": 0.0,
    "loop_02_adam_over_two_tensors": 0.0,
    "loop_03_sgd_over_linear": 0.0,
    "loop_04_managed_by_hand": 1e-6,
    "loop_05_cleared_through_the_model": 0.0,
    "loop_10_two_optimizers": 0.0,
    "loop_11_recurrent": 0.0,
    "loop_12_several_losses": 0.0,
    "loop_13_mixed_precision": 1e-5,
    "loop_14_clipped_and_hooked": 1e-5,
}
"""How far apart a right loop and its twin may end; 0 is the same bits."""

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


@pytest.mark.parametrize("name", ENDINGS)
def test_a_right_loop_ends_where_its_twin_does(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert apart(name, capsys) <= ENDINGS[name]


@pytest.mark.parametrize("name", sorted(WRONG))
def test_a_wrong_loop_ends_elsewhere(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert apart(name, capsys) > 0.01


def test_the_loop_that_zeroes_none_raises(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'zero_'"):
        apart("loop_08_zeroed_while_none", capsys)


def test_all_fourteen_are_run() -> None:
    loops = {path.stem for path in ARTICLES.glob("loop_*.py")}

    assert len(loops) == 14
    assert loops == {*ENDINGS, *WRONG, "loop_08_zeroed_while_none"}
