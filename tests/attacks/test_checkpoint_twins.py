"""What torch's own classes save, they take up again: no check cries wolf."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import torch
from checkpoint_cases import plain
from torch import nn, optim
from torch.optim import lr_scheduler as schedules
from torch.optim.swa_utils import SWALR

import zerograd

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OPTIMIZERS: dict[str, Callable[[Any], optim.Optimizer]] = {
    "SGD": partial(optim.SGD, lr=0.1),
    "momentum": partial(optim.SGD, lr=0.1, momentum=0.9, nesterov=True),
    "Adam": partial(optim.Adam, lr=0.01),
    "amsgrad": partial(optim.Adam, lr=0.01, amsgrad=True),
    "a rate on a device": partial(optim.Adam, lr=torch.tensor(0.01)),
    "fused": partial(optim.AdamW, lr=0.01, fused=True),
    "foreach": partial(optim.AdamW, lr=0.01, foreach=True),
    "NAdam": partial(optim.NAdam, lr=0.01),
    "RAdam": partial(optim.RAdam, lr=0.01),
    "Adamax": partial(optim.Adamax, lr=0.01),
    "Adagrad": partial(optim.Adagrad, lr=0.01),
    "Adadelta": partial(optim.Adadelta, lr=0.01),
    "RMSprop": partial(optim.RMSprop, lr=0.01),
    "centered": partial(optim.RMSprop, lr=0.01, centered=True, momentum=0.9),
    "Rprop": partial(optim.Rprop, lr=0.01),
    "ASGD": partial(optim.ASGD, lr=0.01),
    "Adafactor": partial(optim.Adafactor, lr=0.01),
}

SCHEDULES: dict[str, Callable[[Any], Any]] = {
    "StepLR": lambda one: schedules.StepLR(one, 2),
    "MultiStepLR": lambda one: schedules.MultiStepLR(one, [1, 4]),
    "ExponentialLR": lambda one: schedules.ExponentialLR(one, 0.9),
    "LambdaLR": lambda one: schedules.LambdaLR(one, lambda epoch: 0.9**epoch),
    "MultiplicativeLR": lambda one: schedules.MultiplicativeLR(one, lambda _: 0.9),
    "ConstantLR": lambda one: schedules.ConstantLR(one),
    "LinearLR": lambda one: schedules.LinearLR(one),
    "PolynomialLR": lambda one: schedules.PolynomialLR(one),
    "CosineAnnealingLR": lambda one: schedules.CosineAnnealingLR(one, 9),
    "CosineAnnealingWarmRestarts": lambda one: schedules.CosineAnnealingWarmRestarts(one, 2),
    "OneCycleLR": lambda one: schedules.OneCycleLR(one, 0.1, total_steps=20),
    "CyclicLR": lambda one: schedules.CyclicLR(one, 0.01, 0.1, cycle_momentum=False),
    "SWALR": lambda one: SWALR(one, swa_lr=0.05),
    "SequentialLR": lambda one: schedules.SequentialLR(
        one, [schedules.LinearLR(one), schedules.StepLR(one, 2)], milestones=[2]
    ),
    "ChainedScheduler": lambda one: schedules.ChainedScheduler(
        [schedules.LinearLR(one), schedules.ExponentialLR(one, 0.9)]
    ),
}


def trained(
    model: nn.Module, optimizer: optim.Optimizer, schedule: Any, steps: int
) -> zerograd.Gradients:
    gradients = zerograd.Gradients(optimizer, scheduler=schedule)
    for number in range(steps):
        gradients.backward(model(torch.full((2, 3), float(number))).square().mean())
    return gradients


def taken_up(path: Path, build: Any, schedule: Any) -> tuple[Any, Any]:
    """Save after three steps, resume into what was just built, and return both states."""
    states = []
    for steps in (3, 0):
        model = nn.Linear(3, 2)
        optimizer = build(model.named_parameters())
        scheduler = None if schedule is None else schedule(optimizer)
        gradients = trained(model, optimizer, scheduler, steps)
        if steps:
            zerograd.checkpoint(path, gradients, model=model)
        else:
            zerograd.resume(path, gradients, model=model)
        # After a resume it must also step on.
        states.append(plain([model.state_dict(), optimizer.state_dict()]))
        gradients.backward(model(torch.ones(2, 3)).square().mean())
        states[-1] += plain([model.state_dict(), optimizer.state_dict()])
        del gradients
    return states[0], states[1]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_takes_up_what_it_saved(name: str, tmp_path: Path) -> None:
    saved, resumed = taken_up(tmp_path / "run.pt", OPTIMIZERS[name], None)

    assert saved == resumed


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", SCHEDULES)
def test_a_schedule_takes_up_what_it_saved(name: str, tmp_path: Path) -> None:
    saved, resumed = taken_up(tmp_path / "run.pt", OPTIMIZERS["momentum"], SCHEDULES[name])

    assert saved == resumed


MODULES: dict[str, Callable[[], nn.Module]] = {
    "tied": lambda: tied(nn.Embedding(4, 4), nn.Linear(4, 4, bias=False)),
    "normed": lambda: nn.utils.parametrizations.weight_norm(nn.Linear(3, 2)),
    "batch norm": lambda: nn.Sequential(nn.BatchNorm1d(3), nn.InstanceNorm1d(3)),
    "lstm": lambda: nn.LSTM(3, 4, 2),
    "half": lambda: nn.Linear(3, 2).half(),
    "scripted": lambda: torch.jit.script(nn.Linear(3, 2)),
    "empty": nn.Identity,
    "extra": lambda: Extra(),
    "lazy": lambda: nn.LazyLinear(3),
}


def tied(first: nn.Module, second: nn.Module) -> nn.Module:
    second.weight = first.weight
    return nn.Sequential(first, second)


class Extra(nn.Module):
    """Keeps something beside its tensors."""

    words = 0

    def get_extra_state(self) -> Any:
        return {"words": self.words}

    def set_extra_state(self, state: Any) -> None:
        self.words = state["words"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", MODULES)
def test_a_module_takes_up_what_it_saved(name: str, tmp_path: Path) -> None:
    saved, fresh = MODULES[name](), MODULES[name]()
    if name == "lazy":
        saved(torch.ones(1, 2))
    zerograd.checkpoint(tmp_path / "run.pt", model=saved)

    zerograd.resume(tmp_path / "run.pt", model=fresh)

    assert plain(saved.state_dict()) == plain(fresh.state_dict())
