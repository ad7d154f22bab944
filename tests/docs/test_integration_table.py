"""Every integration that docs/integrations.md lists names a test that is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs/integrations.md").read_text("utf-8").partition("| Where | How | Test |\n")[2]
ROWS = [re.split(r"(?<!\\)\|", line)[1:-1] for line in TABLE.partition("\n\n")[0].splitlines()[1:]]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip())
def test_the_test_of_an_integration_exists(row: list[str]) -> None:
    named = re.findall(r"`((?:tests|editors)/[^`]+)`", row[-1])

    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_there_are_integrations() -> None:
    assert len(ROWS) > 5
