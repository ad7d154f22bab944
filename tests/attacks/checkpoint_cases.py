"""A training with a part of every kind, and all of its bits as plain values to compare."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn, optim
from torch.optim.lr_scheduler import OneCycleLR, StepLR
from torch.optim.swa_utils import AveragedModel

import zerograd

if TYPE_CHECKING:
    from pathlib import Path

BATCHES = 8


class Place:
    """A part of the user's own: it has torch's pair of methods and nothing else."""

    def __init__(self) -> None:
        self.best = 1.0
        self.seen = [0]

    def state_dict(self) -> dict[str, Any]:
        return {"best": self.best, "seen": self.seen}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.best = state["best"]
        self.seen[:] = state["seen"]


class Training:
    """Two optimizers with a schedule each, a scaler, an average, and a part of the user's own."""

    def __init__(self, seed: int = 0, width: int = 4, place: Any = None, **options: Any) -> None:
        seeded(seed)
        self.model = nn.Sequential(nn.Linear(3, width), nn.BatchNorm1d(width), nn.Linear(width, 1))
        self.first = optim.AdamW([*self.model[0].parameters()], lr=0.01)
        rest = [*self.model[1].parameters(), *self.model[2].parameters()]
        self.second = optim.SGD(rest, lr=0.1, momentum=0.9)
        self.schedules = [
            StepLR(self.first, 2, gamma=0.5),
            OneCycleLR(self.second, max_lr=0.2, total_steps=50),
        ]
        self.scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
        self.gradients = zerograd.Gradients(
            [self.first, self.second],
            accumulate=3,
            scaler=self.scaler,
            scheduler=self.schedules,
            model=self.model,
            **options,
        )
        self.average = AveragedModel(self.model)
        self.place = place or Place()

    @property
    def parts(self) -> dict[str, Any]:
        return {"model": self.model, "average": self.average, "place": self.place}

    def train(self, stop: int = BATCHES) -> Training:
        """Train on so many of an epoch's batches; the rest of the epoch is left."""
        data = [torch.full((4, 3), 0.1 * number) for number in range(BATCHES)]
        for number, inputs in enumerate(self.gradients.batches(data), 1):
            noisy = inputs + torch.randn(4, 3) * random.random()
            self.gradients.backward(self.model(noisy).square().mean(), items=4)
            self.place.seen.append(number)
            if number == stop:
                break
        self.average.update_parameters(self.model)
        return self

    def save(self, path: Path) -> None:
        zerograd.checkpoint(path, self.gradients, **self.parts)

    def resume(self, path: Path) -> bool:
        return zerograd.resume(path, self.gradients, **self.parts)

    def bits(self) -> dict[str, Any]:
        """Return everything that a refused resume may not have changed."""
        state = self.gradients.state_dict()
        grads = [parameter.grad for parameter in self.model.parameters()]
        return {
            "parts": plain([part.state_dict() for part in self.parts.values()]),
            "optimizers": plain([self.first.state_dict(), self.second.state_dict()]),
            "schedules": plain([one.state_dict() for one in self.schedules]),
            "scaler": plain(self.scaler.state_dict()),
            "engine": plain(state),
            "gradients": plain(grads),
            "said": repr(self.gradients),
            "generators": plain(generators()),
        }

    def identities(self) -> list[int]:
        """Return the objects that others may hold references to."""
        held = [*self.model.parameters(), *self.model.buffers(), *self.place.__dict__.values()]
        for optimizer in (self.first, self.second):
            held += [optimizer.state, optimizer.param_groups, *optimizer.param_groups]
            held += [tensor for kept in optimizer.state.values() for tensor in kept.values()]
        return list(map(id, held))

    def end(self) -> None:
        """Leave no open window behind."""
        self.gradients.discard()


def seeded(seed: int) -> None:
    torch.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed)


def generators() -> list[Any]:
    return [random.getstate(), torch.get_rng_state(), list(np.random.get_state())]


def plain(value: Any) -> Any:
    """Return a state as values that compare by their bits, so that NaN equals NaN."""
    if isinstance(value, torch.Tensor):
        raw = value.detach().cpu().reshape(-1).numpy()
        return ("tensor", str(value.dtype), tuple(value.shape), raw.tobytes())
    if isinstance(value, np.ndarray):
        return ("array", value.tobytes())
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return (type(value).__name__, repr(value))
