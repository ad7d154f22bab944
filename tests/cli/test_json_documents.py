"""What lint and watch really print as JSON is what the published schema says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from warm_python import warm_python

import zerograd.reports
from zerograd.cli import main

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA = Path(zerograd.reports.__file__).parent / "schema" / "findings-1.json"
VALIDATOR = Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))

FORGOTTEN = """\
import torch

model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    loss = model(torch.ones(8, 3)).square().mean()
    loss.backward()
    optimizer.step()
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "train.py").write_text(FORGOTTEN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", warm_python())
    return "train.py"


def document(capfd: pytest.CaptureFixture[str], arguments: Sequence[str]) -> Any:
    main([*arguments, "--isolated", "-q", "--format", "json", "train.py"])
    return json.loads(capfd.readouterr().out)


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("verb", ["lint", "watch"])
def test_a_real_report_keeps_to_the_schema(verb: str, capfd: pytest.CaptureFixture[str]) -> None:
    found = document(capfd, [verb])

    assert list(VALIDATOR.iter_errors(found)) == []
    assert [finding["name"] for finding in found["findings"]] == ["missing-zero"]


@pytest.mark.usefixtures("program")
def test_a_report_that_lost_a_key_does_not(capfd: pytest.CaptureFixture[str]) -> None:
    found = document(capfd, ["lint"])
    del found["findings"][0]["evidence"]

    assert [error.validator for error in VALIDATOR.iter_errors(found)] == ["required"]
