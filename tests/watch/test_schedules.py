"""A schedule that is counted in micro-batches is right to advance at each of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.optim.lr_scheduler import (
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    OneCycleLR,
    SequentialLR,
)
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

from zerograd.source.lines import CallSite, Line
from zerograd.watch.observe.data_feeds import DataFeeds
from zerograd.watch.observe.schedules import Schedules

if TYPE_CHECKING:
    from pathlib import Path

BATCHES = 16
EPOCHS = 3
MICRO_BATCHES, STEPS = BATCHES * EPOCHS, BATCHES * EPOCHS // 4
HERE = CallSite(Line(__file__, 1))


def optimizer() -> torch.optim.Optimizer:
    return torch.optim.SGD(nn.Linear(2, 1).parameters(), lr=0.1)


def decay(step: int, *, num_training_steps: int) -> float:
    return 1 - step / num_training_steps


def one_cycle(steps: int) -> Any:
    return OneCycleLR(optimizer(), max_lr=0.1, total_steps=steps)


def cosine(steps: int) -> Any:
    return CosineAnnealingLR(optimizer(), T_max=steps)


def transformers_like(steps: int) -> Any:
    return LambdaLR(optimizer(), partial(decay, num_training_steps=steps))


def warmed_up(steps: int) -> Any:
    ours = optimizer()
    parts = [LinearLR(ours, total_iters=5), CosineAnnealingLR(ours, T_max=steps - 5)]
    return SequentialLR(ours, parts, milestones=[5])


def feeds_of(loader: DataLoader[Any]) -> DataFeeds:
    feeds, iterator = DataFeeds(), iter(loader)
    feeds.started(loader, iterator)
    feeds.drawn(iterator)
    return feeds


@pytest.fixture
def loader() -> DataLoader[Any]:
    return DataLoader(TensorDataset(torch.zeros(BATCHES, 2)))


@pytest.mark.parametrize("schedule", [one_cycle, cosine, transformers_like, warmed_up])
def test_a_schedule_of_whole_epochs_of_batches_is_planned_in_them(
    schedule: Any, loader: DataLoader[Any]
) -> None:
    assert Schedules().is_planned(schedule(MICRO_BATCHES), feeds_of(loader), HERE)


@pytest.mark.parametrize("schedule", [one_cycle, cosine, transformers_like, warmed_up])
def test_a_schedule_of_so_many_steps_is_not(schedule: Any, loader: DataLoader[Any]) -> None:
    assert not Schedules().is_planned(schedule(STEPS), feeds_of(loader), HERE)


def test_a_schedule_without_an_end_is_not(loader: DataLoader[Any]) -> None:
    assert not Schedules().is_planned(ExponentialLR(optimizer(), gamma=0.9), feeds_of(loader), HERE)


def test_before_anything_is_fed_nothing_is_decided(loader: DataLoader[Any]) -> None:
    schedules, scheduler = Schedules(), one_cycle(MICRO_BATCHES)

    assert not schedules.is_planned(scheduler, DataFeeds(), HERE)
    assert schedules.is_planned(scheduler, feeds_of(loader), HERE)


class Stream(IterableDataset[int]):
    def __iter__(self) -> Any:
        return iter(range(BATCHES))

    def __len__(self) -> int:
        raise AssertionError


def test_a_stream_is_not_asked_for_its_length() -> None:
    assert feeds_of(DataLoader(Stream())).length() is None


class Drawing(torch.utils.data.Sampler[int]):
    """As some that put samples of one length into one batch do: they find theirs by drawing it."""

    def __iter__(self) -> Any:
        return iter(torch.randperm(BATCHES).tolist())

    def __len__(self) -> int:
        return len(list(self))


def test_a_sampler_of_the_programs_own_is_not_asked() -> None:
    feeds = feeds_of(DataLoader(TensorDataset(torch.zeros(BATCHES, 2)), sampler=Drawing()))
    before = torch.get_rng_state()

    assert feeds.length() is None
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("batch_size", [None, 1, 4])
def test_torchs_own_samplers_are(batch_size: int | None) -> None:
    loader = DataLoader(TensorDataset(torch.zeros(BATCHES, 2)), batch_size=batch_size, shuffle=True)

    assert feeds_of(loader).length() == len(loader)


IN_BATCHES = [
    "CosineAnnealingLR(optimizer, T_max=len(batches) * epochs)",
    "total = args.epochs * len(batches)\nget_linear_schedule_with_warmup(optimizer, 10, total)",
]

IN_STEPS = [
    "CosineAnnealingLR(optimizer, T_max=len(batches) // accumulate * epochs)",
    "per_epoch = len(batches) // k\ntotal = epochs * per_epoch\nOneCycleLR(optimizer, 0.1, total)",
    "StepLR(optimizer, step_size=10)",
    "LambdaLR(optimizer, lambda epoch: 0.95 ** epoch)",
    "LambdaLR(optimizer, lambda epoch: 0.5 * epoch)",
    "adjust_lr(optimizer, len(batches) * epochs)",
    "total = len(batches) * epochs",
]


def planned_by(text: str, folder: Path) -> bool:
    path = folder / "train.py"
    path.write_text(text, "utf-8")
    place = CallSite(Line(str(path), 1))
    return Schedules().is_planned(ExponentialLR(optimizer(), gamma=0.9), DataFeeds(), place)


@pytest.mark.parametrize("text", IN_BATCHES)
def test_where_nothing_feeds_the_source_may_show_it(text: str, tmp_path: Path) -> None:
    assert planned_by(text, tmp_path)


@pytest.mark.parametrize("text", IN_STEPS)
def test_a_length_that_is_divided_or_not_the_schedules_shows_nothing(
    text: str, tmp_path: Path
) -> None:
    assert not planned_by(text, tmp_path)
