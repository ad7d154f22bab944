"""What engine and watch hand to experiment trackers, and what the real ones then hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

import zerograd
from zerograd.errors import ArgumentError
from zerograd.integrations.trackers import AT_ONCE, BufferedTracker, TensorBoard

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import SupportsFloat


class Kept(BufferedTracker):
    """Keeps what a tracker would write."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[tuple[int, dict[str, float]]] = []
        self.texts: list[str] = []

    def write(self, step: int, scalars: dict[str, float]) -> None:
        self.written.append((step, scalars))

    def write_text(self, text: str) -> None:
        self.texts.append(text)


def engine_run(track: Any, losses: tuple[float, ...] = (1.0, 3.0, 0.1, 0.3)) -> None:
    """Close a window of two micro-batches for each two losses; their gradients are the losses."""
    weight = nn.Parameter(torch.tensor([1.0]))
    gradients = zerograd.Gradients(
        torch.optim.SGD([weight], lr=0.1, fused=True),
        accumulate=2,
        clip_norm=1.0,
        nonfinite="skip",
        track=track,
    )
    for loss in losses:
        gradients.backward((weight * loss).sum(), items=3)
    gradients.close()


def watched_run(track: Any) -> None:
    """Train three steps that are never cleared, clipped, in windows of two micro-batches."""
    model = nn.Linear(3, 1, bias=False)
    nn.init.ones_(model.weight)
    with zerograd.watch(track=track, report=False):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(3):
            for _ in range(2):
                (model(torch.ones(1, 3)).sum() / 2).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            optimizer.step()


def test_the_engine_hands_over_norm_clip_skips_and_the_size_of_each_window() -> None:
    track = Kept()

    engine_run(track, (1.0, 3.0, 0.1, 0.3, float("nan"), 1.0))

    first, second, third = (
        (step, {name.removeprefix("gradients/"): one for name, one in scalars.items()})
        for step, scalars in track.written
    )
    shape = {"micro_batches": 2, "items": 6, "skipped": 0}
    assert first == (1, {**shape, "norm": 2.0, "clipped": 1})
    assert second == (2, {**shape, "norm": pytest.approx(0.2), "clipped": 0})
    assert third[0] == 3
    assert third[1]["skipped"] == 1


def test_a_plain_function_is_a_tracker_and_runs_before_on_step() -> None:
    calls: list[object] = []
    weight = nn.Parameter(torch.tensor([1.0]))
    gradients = zerograd.Gradients(
        torch.optim.SGD([weight], lr=0.1),
        track=lambda step, scalars: calls.append((step, sorted(scalars))),
        on_step=lambda step: calls.append(step.index),
    )

    gradients.backward(weight.sum())

    assert calls == [(1, ["gradients/micro_batches", "gradients/skipped"]), 1]


def test_a_tracked_engine_trains_as_an_untracked_one() -> None:
    def trained(track: Any) -> torch.Tensor:
        torch.manual_seed(0)
        model = nn.Linear(3, 1)
        gradients = zerograd.Gradients(
            torch.optim.AdamW(model.parameters()), clip_norm=0.1, track=track
        )
        for _ in range(4):
            gradients.backward(model(torch.randn(8, 3)).square().mean())
        return model.weight

    assert torch.equal(trained(None), trained(Kept()))


def test_watch_hands_over_norms_before_the_clip_and_what_it_found() -> None:
    track = Kept()

    watched_run(track)

    *windows, (last, found) = track.written
    assert [(step, one["gradients/micro_batches"]) for step, one in windows] == [
        (1, 2),
        (2, 2),
        (3, 2),
    ]
    norms = [one["gradients/norm"] for _, one in windows]
    assert norms == pytest.approx([3**0.5, 2 * 3**0.5, 2 + 3**0.5])
    assert [one["gradients/clipped"] for _, one in windows] == [0, 1, 1]
    assert (last, found) == (3, {"findings/missing-zero": 2})
    assert len(track.texts) == 1
    assert "ZG101 missing-zero: " in track.texts[0]


def test_a_run_without_a_fault_hands_over_no_findings() -> None:
    track = Kept()

    with zerograd.watch(track=track, report=False):
        weight = nn.Parameter(torch.ones(3))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            weight.square().sum().backward()  # type: ignore[no-untyped-call]
            optimizer.step()

    assert [step for step, _ in track.written] == [1, 2, 3]
    assert track.texts == []


def test_several_optimizers_have_scalars_of_their_own() -> None:
    track = Kept()

    with zerograd.watch(track=track, report=False):
        weights = [nn.Parameter(torch.ones(3)) for _ in range(2)]
        for weight in weights:
            optimizer = torch.optim.SGD([weight], lr=0.1)
            weight.sum().backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            optimizer.zero_grad()

    assert ["gradients/norm" in one for _, one in track.written] == [True, False]
    assert ["gradients/2/norm" in one for _, one in track.written] == [False, True]


def test_a_tracker_that_raises_under_watch_is_not_called_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    calls: list[int] = []

    def full(step: int, scalars: Mapping[str, SupportsFloat]) -> None:
        calls.append(step)
        raise OSError("no space left")

    watched_run(full)

    assert calls == [1]
    assert capsys.readouterr().err == (
        "zerograd: the tracker raised OSError: no space left; nothing more is tracked\n"
    )


@pytest.mark.parametrize("asked", ["engine", "watch"])
def test_what_cannot_be_called_is_refused_with_what_to_use(asked: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        engine_run(3) if asked == "engine" else watched_run(3)

    assert str(raised.value) == (
        "track is called with a step and a dict of scalars, and int cannot be called; "
        "zerograd.integrations.trackers has adapters for TensorBoard and others"
    )


def test_what_is_on_a_device_is_read_once_in_many_windows() -> None:
    track = Kept()
    figures = {"gradients/norm": torch.ones((), device="meta")}

    for step in range(AT_ONCE - 1):
        track(step, figures)

    assert track.written == []
    with pytest.raises(NotImplementedError, match="meta"):  # the fiftieth reads them all
        track(AT_ONCE, figures)


def test_what_cannot_be_written_when_the_program_ends_is_one_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    track = Kept()
    track(1, {"gradients/norm": torch.ones((), device="meta")})

    track.flush_at_exit()

    assert capsys.readouterr().err.startswith(
        "zerograd: 1 window not tracked: the tracker raised NotImpl"
    )


# -- the real ones


def test_tensorboard_holds_the_scalars_and_the_findings(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(tmp_path)) as writer:
        watched_run(TensorBoard(writer))

    events = EventAccumulator(str(tmp_path))
    events.Reload()
    norms = [(one.step, one.value) for one in events.Scalars("gradients/norm")]
    assert norms == [
        (1, pytest.approx(3**0.5)),
        (2, pytest.approx(12**0.5)),
        (3, pytest.approx(2 + 3**0.5)),
    ]
    assert [one.value for one in events.Scalars("findings/missing-zero")] == [2.0]
    (text,) = events.Tensors("findings/text_summary")
    assert b"ZG101 missing-zero" in text.tensor_proto.string_val[0]


@pytest.mark.filterwarnings("ignore")
def test_weights_and_biases_offline_holds_the_scalars_and_the_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wandb = pytest.importorskip("wandb")
    from zerograd.integrations.trackers import WeightsAndBiases

    monkeypatch.setenv("WANDB_SILENT", "true")
    with wandb.init(mode="offline", dir=str(tmp_path), project="zerograd") as run:
        engine_run(WeightsAndBiases(run))
        norm = run.summary["gradients/norm"]
        watched_run(WeightsAndBiases(run))
        found = dict(run.summary)

    assert norm == pytest.approx(0.2)
    assert found["findings/missing-zero"] == 2
    assert "ZG101 missing-zero" in found["findings"]
    assert list(tmp_path.glob("wandb/offline-run-*/run-*.wandb")) != []


@pytest.mark.filterwarnings("ignore")
def test_mlflow_holds_the_scalars_and_the_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow = pytest.importorskip("mlflow")
    from zerograd.integrations.trackers import MLflow

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with mlflow.start_run() as run:
        engine_run(MLflow())
        watched_run(MLflow(run.info.run_id))
        begun = MLflow()
        begun(4, {"gradients/norm": 0.5})
    begun(5, {"gradients/norm": 0.25})  # the run has ended

    client = mlflow.MlflowClient()
    norms = client.get_metric_history(run.info.run_id, "gradients/norm")
    assert sorted((one.step, round(one.value, 3)) for one in norms) == [
        (1, 1.732),
        (1, 2.0),
        (2, 0.2),
        (2, 3.464),
        (3, 3.732),
        (4, 0.5),
        (5, 0.25),
    ]
    assert mlflow.active_run() is None
    assert [one.path for one in client.list_artifacts(run.info.run_id)] == ["zerograd.txt"]


@pytest.mark.filterwarnings("ignore")
def test_accelerate_hands_the_scalars_to_its_own_trackers() -> None:
    accelerate = pytest.importorskip("accelerate")
    from accelerate.tracking import GeneralTracker

    from zerograd.integrations.trackers import Accelerate

    class Own(GeneralTracker):  # type: ignore[misc]
        name = "own"
        requires_logging_directory = False
        tracker = None

        def __init__(self) -> None:
            super().__init__()
            self.logged: list[tuple[int, list[str]]] = []

        def store_init_configuration(self, values: Any) -> None:
            pass

        def log(self, values: Any, step: int | None = None) -> None:
            self.logged.append((step or 0, sorted(values)))

    own = Own()
    accelerator = accelerate.Accelerator(cpu=True, log_with=own)
    accelerator.init_trackers("project")

    engine_run(Accelerate(accelerator))

    names = ["clipped", "items", "micro_batches", "norm", "skipped"]
    assert own.logged == [(step, [f"gradients/{name}" for name in names]) for step in (1, 2)]
