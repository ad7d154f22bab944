"""The example on accounts runs, and its sums are torch's."""

from __future__ import annotations

import doctest
import runpy
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "accounts.py"

OUTPUT = """\
Three backwards on one batch, never cleared: the bias gradient grows.
  .grad  -1.400  =  -1.400
  .grad  -2.800  =  -1.400 + -1.400
  .grad  -4.200  =  -1.400 + -1.400 + -1.400
The same with a step in each round: each step spends old deposits again.
  .grad  -1.400  =  -1.400
  .grad  -2.478  =  -1.400 + -1.078
      error: missing-zero at loss.backward()
  .grad  -2.984  =  -1.400 + -1.078 + -0.506
      error: missing-zero at loss.backward()
Cleared in each round: one deposit, one spend.
  .grad  -1.400  =  -1.400
  .grad  -1.078  =  -1.078
  .grad  -0.829  =  -0.829
"""


def test_the_example_prints_both_sides_of_each_deposit(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLE), run_name="__main__")

    assert capsys.readouterr().out == OUTPUT


def test_the_worked_numbers_hold_on_accounts_and_on_torch() -> None:
    names = runpy.run_path(str(EXAMPLE))
    parser = doctest.DocTestParser()
    test = parser.get_doctest(names["__doc__"], names, "accounts", str(EXAMPLE), 0)

    result = doctest.DocTestRunner().run(test)

    assert result.failed == 0
    assert result.attempted > 5
