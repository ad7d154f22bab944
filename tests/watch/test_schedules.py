"""A schedule that is counted in micro-batches is right to advance at each of them."""

from __future__ import annotations

from functools import partial
from typing import Any

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

from zerograd.watch.feeds import Feeds
from zerograd.watch.schedules import Schedules

BATCHES = 16
EPOCHS = 3
MICRO_BATCHES, STEPS = BATCHES * EPOCHS, BATCHES * EPOCHS // 4


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


def feeds_of(loader: DataLoader[Any]) -> Feeds:
    feeds, iterator = Feeds(), iter(loader)
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
    assert Schedules().is_planned(schedule(MICRO_BATCHES), feeds_of(loader))


@pytest.mark.parametrize("schedule", [one_cycle, cosine, transformers_like, warmed_up])
def test_a_schedule_of_so_many_steps_is_not(schedule: Any, loader: DataLoader[Any]) -> None:
    assert not Schedules().is_planned(schedule(STEPS), feeds_of(loader))


def test_a_schedule_without_an_end_is_not(loader: DataLoader[Any]) -> None:
    assert not Schedules().is_planned(ExponentialLR(optimizer(), gamma=0.9), feeds_of(loader))


def test_before_anything_is_fed_nothing_is_decided(loader: DataLoader[Any]) -> None:
    schedules, scheduler = Schedules(), one_cycle(MICRO_BATCHES)

    assert not schedules.is_planned(scheduler, Feeds())
    assert schedules.is_planned(scheduler, feeds_of(loader))


class Stream(IterableDataset[int]):
    def __iter__(self) -> Any:
        return iter(range(BATCHES))

    def __len__(self) -> int:
        raise AssertionError


def test_a_stream_is_not_asked_for_its_length() -> None:
    assert feeds_of(DataLoader(Stream())).length() is None


class Endless(torch.utils.data.Sampler[int]):
    def __iter__(self) -> Any:
        return iter(range(BATCHES))


def test_a_sampler_without_a_length_gives_none() -> None:
    loader = DataLoader(TensorDataset(torch.zeros(BATCHES, 2)), sampler=Endless())

    assert feeds_of(loader).length() is None
