"""Where a run is ended early: in the user's own line."""

from __future__ import annotations

import traceback

import pytest
import torch
from faulty_training import clear

from zerograd.errors import FaultError
from zerograd.settings import Settings
from zerograd.watch.process.session import Session
from zerograd.watch.process.stopping import EnoughSteps, Limits


def test_the_run_ends_with_the_step_that_was_asked_for() -> None:
    session = Session(limits=Limits(max_steps=5))
    session.start()

    with pytest.raises(EnoughSteps) as end:
        clear(100)
    session.stop(end.value)

    assert session.observer.steps.count == 5
    assert end.value.code == 0


def test_a_run_that_was_ended_is_not_judged_as_a_whole() -> None:
    model = torch.nn.Linear(3, 1)
    torch.optim.SGD(model.parameters(), lr=0.1)
    session = Session(Settings(preview=True, hints=True), limits=Limits(max_steps=1))
    session.start()

    model(torch.ones(4, 3)).mean().backward()
    with pytest.raises(EnoughSteps):
        clear(1)
    session.stop()

    assert [found.rule.name for found in session.findings if found.rule.section == 3] == []


def test_a_fault_that_a_scaler_spends_is_raised_by_the_scalers_step() -> None:
    session = Session(Settings(preview=True), limits=Limits(fail_fast=True))
    session.start()
    scaler = torch.amp.GradScaler("cpu")
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    scaler.scale(model(torch.ones(4, 3)).mean()).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    with pytest.raises(FaultError) as refusal:
        scaler.step(optimizer)
    session.stop(refusal.value)

    lines = [frame.line for frame in traceback.extract_tb(refusal.tb)]
    assert "scaler.step(optimizer)" in lines
    assert str(refusal.value).endswith("; call `scaler.unscale_(optimizer)` first")
