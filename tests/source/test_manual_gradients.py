"""Whoever takes a gradient may spend it unseen; whoever looks at it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zerograd.source.lines import CallSite, Line
from zerograd.source.manual_gradients import keeps_gradients, reads_gradients

if TYPE_CHECKING:
    from pathlib import Path

KEEPING = [
    "total += p.grad",
    "sums[p] = sums.get(p, 0) + p.grad",
    "kept.append(p.grad.clone())",
    "kept = [p.grad.detach() for p in parameters]",
    "buffer.add_(p.grad.data, alpha=0.25)",
    "first = p.grad[0]",
]

LOOKING = [
    "norm = p.grad.data.norm(2)",
    "norm = torch.linalg.norm(p.grad.detach())",
    "if p.grad is not None:\n    p.grad.zero_()",
    "assert not p.grad.isnan().any()",
    "p.grad[0] = 0",
    "p.grad.data.copy_(total)",
    "print(p.grad)",
]

NOT_READING = ["p.grad = None", "g = torch.autograd.grad(loss, p)", "p.grad *= 2"]


def source(folder: Path, text: str, line: int = 1) -> CallSite:
    path = folder / "train.py"
    path.write_text(text, "utf-8")
    return CallSite(Line(str(path), line))


@pytest.mark.parametrize("text", KEEPING)
def test_what_takes_a_gradient_away_keeps_it(text: str, tmp_path: Path) -> None:
    assert keeps_gradients(source(tmp_path, text))


@pytest.mark.parametrize("text", LOOKING)
def test_what_measures_a_gradient_or_writes_there_keeps_nothing(text: str, tmp_path: Path) -> None:
    place = source(tmp_path, text)

    assert reads_gradients(place)
    assert not keeps_gradients(place)


@pytest.mark.parametrize("text", NOT_READING)
def test_what_writes_a_gradient_or_asks_autograd_reads_none(text: str, tmp_path: Path) -> None:
    assert not reads_gradients(source(tmp_path, text))


ELSEWHERE = """
def log(parameters):
    return [p.grad for p in parameters]

def train(loader):
    for batch in loader:
        optimizer.zero_grad()
"""


def test_a_function_that_is_not_run_here_keeps_nothing(tmp_path: Path) -> None:
    place = source(tmp_path, ELSEWHERE, 7)

    assert reads_gradients(place)
    assert not keeps_gradients(place)


def test_a_function_that_is_called_here_does(tmp_path: Path) -> None:
    text = ELSEWHERE + "        kept = log(parameters)\n"

    assert keeps_gradients(source(tmp_path, text, 7))


def test_so_does_the_caller_of_a_helper_that_clears(tmp_path: Path) -> None:
    text = "def clear():\n    optimizer.zero_grad()\n\n\ntotal = total + p.grad\nclear()\n"
    place = source(tmp_path, text, 2)

    assert not keeps_gradients(place)
    assert keeps_gradients(CallSite(place.line, Line(place.line.path, 6)))


def test_what_a_function_is_decorated_with_counts_as_its_own(tmp_path: Path) -> None:
    assert keeps_gradients(
        source(tmp_path, "@p.grad\ndef clear():\n    optimizer.zero_grad()\n", 3)
    )


def test_a_file_that_cannot_be_read_shows_nothing(tmp_path: Path) -> None:
    place = CallSite(Line(str(tmp_path / "gone.py"), 1))

    assert not reads_gradients(place)
    assert not keeps_gradients(place)
