"""`record=True` and `gradients.report(...)`: what is drawn, and that recording changes nothing."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

import zerograd
from zerograd.errors import ArgumentError, UnreadableError

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor


class Scalars:
    """Takes scalars as a SummaryWriter does."""

    def __init__(self) -> None:
        self.written: list[tuple[str, float, int]] = []

    def add_scalar(self, tag: str, value: float, step: int) -> None:
        self.written.append((tag, value, step))


def train(**options: Any) -> tuple[list[Tensor], zerograd.Gradients]:
    """Train over two epochs of five micro-batches, in windows of two."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, fused=True)
    gradients = zerograd.Gradients(optimizer, accumulate=2, clip_norm=0.5, model=model, **options)
    for _ in range(2):
        for inputs in gradients.batches([torch.randn(4, 3) for _ in range(5)]):
            gradients.backward(model(inputs).square().mean(), items=4)
    return [p.detach() for p in model.parameters()], gradients


def drawn(file: Path) -> Any:
    """Return the one lane that a page draws."""
    (found,) = re.findall(r'type="application/json" id="data">(.*?)</script>', file.read_text())
    (lane,) = json.loads(found)["lanes"]
    return lane


def test_recording_changes_no_parameter() -> None:
    bare, _ = train()

    recorded, _ = train(record=True)

    assert all(torch.equal(one, two) for one, two in zip(bare, recorded, strict=True))


def test_the_report_draws_every_window(tmp_path: Path) -> None:
    _, gradients = train(record=True)

    gradients.report(tmp_path / "run.html")

    lane = drawn(tmp_path / "run.html")
    assert (lane["name"], lane["steps"]) == ("AdamW", 6)
    assert lane["place"].rpartition("/")[2].startswith("test_engine_recording.py:")
    assert [run[3] for run in lane["runs"]] == [2, 1, 2, 1]
    assert [moment[0] for moment in lane["shapes"][0][0]] == ["deposit", "clip", "spend", "clear"]
    assert max(lane["series"]["spent"]["mean"]) <= 0.5001
    assert lane["series"]["unclipped"]["step"] == [1, 2, 3, 4, 5, 6]


def test_the_report_is_calm_and_names_the_parameters(tmp_path: Path) -> None:
    _, gradients = train(record=True)

    gradients.report(str(tmp_path / "run.html"))

    text = (tmp_path / "run.html").read_text()
    assert "No gradient fault seen in 6 steps." in text
    assert "All 4 parameters got gradients and belong to an optimizer." in text


def test_a_skipped_window_is_drawn_as_skipped(tmp_path: Path) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    gradients = zerograd.Gradients(optimizer, nonfinite="skip", record=True)
    for factor in (1.0, float("inf"), 1.0):
        gradients.backward((model(torch.ones(4, 3)) * factor).mean())

    gradients.report(tmp_path / "run.html")

    lane = drawn(tmp_path / "run.html")
    assert [[moment[0] for moment in shape[0]] for shape in lane["shapes"]] == [
        ["deposit", "spend", "clear"],
        ["deposit", "skip", "clear"],
    ]


def test_a_writer_gets_the_scalars_of_every_step() -> None:
    writer = Scalars()

    train(record=writer)

    tags = {tag for tag, _, _ in writer.written}
    steps = [step for tag, _, step in writer.written if tag == "gradients/norm"]
    assert tags == {
        f"gradients/{name}" for name in ("micro_batches", "norm", "skipped", "unclipped")
    }
    assert steps == [1, 2, 3, 4, 5, 6]


def test_the_users_own_on_step_is_still_called() -> None:
    seen: list[int] = []

    train(record=True, on_step=lambda step: seen.append(step.index))

    assert seen == [1, 2, 3, 4, 5, 6]


def test_a_report_of_what_was_not_recorded_is_refused(tmp_path: Path) -> None:
    _, gradients = train()

    with pytest.raises(ArgumentError) as refused:
        gradients.report(tmp_path / "run.html")

    assert str(refused.value) == (
        "nothing was recorded; write zerograd.Gradients(..., record=True) to have a report"
    )


def test_a_report_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    _, gradients = train(record=True)
    file = tmp_path / "missing" / "run.html"

    with pytest.raises(UnreadableError) as refused:
        gradients.report(file)

    assert str(refused.value) == (
        f"cannot write {file}: No such file or directory; name a file in a folder that can be "
        "written"
    )


def test_a_report_before_the_first_step_has_no_ledger(tmp_path: Path) -> None:
    model = torch.nn.Linear(2, 1)
    gradients = zerograd.Gradients(torch.optim.SGD(model.parameters(), lr=0.1), record=True)

    gradients.report(tmp_path / "run.html")

    text = (tmp_path / "run.html").read_text()
    assert "Nothing was judged: there was no step." in text
    assert 'id="data"' not in text


def test_a_report_that_cannot_be_finished_leaves_the_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    _, gradients = train(record=True)
    file = tmp_path / "run.html"
    file.write_text("the older one")
    monkeypatch.setattr("os.fsync", full)

    with pytest.raises(UnreadableError):
        gradients.report(file)

    assert [one.name for one in tmp_path.iterdir()] == ["run.html"]
    assert file.read_text() == "the older one"


def test_record_is_a_flag_or_a_writer() -> None:
    with pytest.raises(ArgumentError) as refused:
        train(record="run.html")

    assert str(refused.value) == (
        "record is True, False or a torch.utils.tensorboard.SummaryWriter, got 'run.html'"
    )
