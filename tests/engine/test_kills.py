"""A run killed with SIGKILL anywhere, and resumed, ends as the run that never was."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch._dynamo  # optimizers import it at their first use, which every life would pay for
from torch import nn, optim
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset

import zerograd

if TYPE_CHECKING:
    from pathlib import Path

EPOCHS = 3
BATCHES = 7
WINDOW = 3
KILLS = 24

PLACES = ("before the backward", "after the backward", "mid-save", "before the rename", "saved")


def trained(path: Path, die_at: tuple[int, str] | None = None) -> None:
    """Train to the end, saving after every micro-batch; die at the n-th of this life."""
    torch.set_num_threads(1)  # a fork has none of the threads that its parent computes with
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(4, 6), nn.Dropout(0.3), nn.Linear(6, 1))
    optimizer = optim.AdamW(model.parameters(), lr=0.05, fused=True)
    gradients = zerograd.Gradients(
        optimizer,
        accumulate=WINDOW,
        clip_norm=0.5,
        scheduler=StepLR(optimizer, 2, gamma=0.8),
        nonfinite="skip",
    )
    data = torch.arange(4.0 * 2 * BATCHES).reshape(-1, 4) / 10
    loader = DataLoader(TensorDataset(data), batch_size=2, shuffle=True)
    zerograd.resume(path, gradients, model=model, missing_ok=True)
    lived = 0
    for _ in range(gradients.epoch, EPOCHS):
        for (inputs,) in gradients.batches(loader):
            place = die_at[1] if die_at is not None and die_at[0] == lived else None
            lived += 1
            die_if(place == "before the backward")
            gradients.backward(model(inputs).square().mean(), items=len(inputs))
            die_if(place == "after the backward")
            arm(place)
            zerograd.checkpoint(path, gradients, model=model)
            die_if(place == "saved")
    torch.save([parameter.detach() for parameter in model.parameters()], path.with_suffix(".end"))


def die_if(now: bool) -> None:
    if now:
        os.kill(os.getpid(), signal.SIGKILL)


def arm(place: str | None) -> None:
    """Let this life's next save die with half a file written, or with a whole one not yet named."""
    if place == "mid-save":
        save = torch.save

        def half(state: Any, file: Any) -> None:
            save(state, file)
            file.truncate(file.tell() // 2)
            file.flush()
            die_if(now=True)

        torch.save = half  # type: ignore[assignment]
    elif place == "before the rename":
        os.fsync = lambda _: die_if(now=True)  # type: ignore[assignment]


def live(path: Path, die_at: tuple[int, str] | None) -> int | None:
    """Run one life in a process of its own; return its exit code."""
    life = multiprocessing.get_context("fork").Process(target=trained, args=(path, die_at))
    life.start()
    life.join()
    return life.exitcode


def end_of(path: Path) -> list[torch.Tensor]:
    ended: list[torch.Tensor] = torch.load(path.with_suffix(".end"))
    return ended


@pytest.mark.parametrize("seed", [0, 1])
def test_a_run_killed_at_random_places_ends_bit_identical(seed: int, tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole.pt", tmp_path / "killed.pt"
    points = random.Random(seed)

    assert live(whole, None) == 0
    deaths = [
        live(killed, (points.randrange(3), place))
        for place in PLACES * (KILLS // 2 // len(PLACES) + 1)
    ]
    assert live(killed, None) == 0

    assert len(deaths) >= KILLS // 2
    assert deaths.count(-signal.SIGKILL) >= KILLS // 2 - 2
    assert all(map(torch.equal, end_of(whole), end_of(killed)))


def test_a_run_that_forgets_its_window_ends_elsewhere(tmp_path: Path) -> None:
    whole, forgetful = tmp_path / "whole.pt", tmp_path / "forgetful.pt"

    assert live(whole, None) == 0
    assert live(forgetful, (4, "saved")) == -signal.SIGKILL
    state = torch.load(forgetful, weights_only=True)
    state["engines"][0]["engine"]["accounts"] = [None] * 4
    torch.save(state, forgetful)
    assert live(forgetful, None) == 0

    assert not all(map(torch.equal, end_of(whole), end_of(forgetful)))
