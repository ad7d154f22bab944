"""Five places to clear train the same bits, and two do not."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "where_to_clear.py"


def test_five_places_are_the_same_and_two_are_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLE), run_name="__main__")

    rows = [line.split()[-3:] for line in capsys.readouterr().out.splitlines()[1:]]
    assert [row[-1] for row in rows] == ["right"] * 5 + ["ZG102", "ZG101"]
    assert [row[-2] for row in rows] == ["bits"] * 5 + ["different"] * 2
