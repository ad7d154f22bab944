"""A changed checkpoint is loaded bit for bit, or refused with nothing changed."""

from __future__ import annotations

import copy
import math
import os
import random
from typing import TYPE_CHECKING, Any

import pytest
import torch
from checkpoint_cases import Training, generators, plain

from zerograd.errors import CheckpointError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

THOROUGH = 10 if os.environ.get("ZEROGRAD_ROBUSTNESS") else 1
"""`make robustness` tries more."""

CHANGES = 40 * THOROUGH
SEEDS = range(4)

pytestmark = pytest.mark.timeout(300 * THOROUGH)

VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 7, 2**40, 2**70, 0.5, -2.0, math.nan, math.inf, -math.inf),
    *("", "mean", "\x1b[31m", b"bytes", [], {}, (), [0], {"own": 1}, {"step": 1}, torch.float32),
    *(torch.zeros(0), torch.zeros(()), torch.tensor(math.nan), torch.ones(4, 3), torch.ones(4)),
    *(torch.zeros(4, 3, dtype=torch.float64), torch.zeros(4, dtype=torch.int64)),
    *(torch.zeros(5056, dtype=torch.uint8), torch.zeros(1).expand(10**12)),
    *(torch.zeros(4, 3, device="meta"), torch.eye(4).to_sparse(), torch.zeros(4, 3).t()),
]
"""What a field is overwritten with."""


def containers(value: Any) -> Iterator[Any]:
    """Return every dict and list of a state, itself first."""
    if isinstance(value, (dict, list)):
        yield value
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from containers(one)


def changed(state: Any, draw: random.Random) -> None:
    """Change a state at one place that is drawn: overwrite, remove, add, swap or bend."""
    # What the user's own class makes of a strange state is its own affair.
    own = state["parts"]["place"]
    places = [one for one in containers(state) if one and one is not own and one is not own["seen"]]
    place = draw.choice(places)
    key = draw.choice(list(place) if isinstance(place, dict) else range(len(place)))
    match draw.randrange(6):
        case 0:
            place.pop(key)
        case 1 if isinstance(place, dict):
            place[draw.choice(["extra", 99, "step"])] = draw.choice(VALUES)
        case 1:
            place.append(draw.choice(VALUES))
        case 2:
            place[key] = draw.choice(list(place.values() if isinstance(place, dict) else place))
        case 3 if isinstance(place[key], torch.Tensor):
            place[key] = bent(place[key], draw)
        case _:
            place[key] = draw.choice(VALUES)


def bent(tensor: torch.Tensor, draw: random.Random) -> torch.Tensor:
    """Return a tensor that is nearly the one that was there."""
    return draw.choice(
        [
            tensor + 1,
            tensor.double(),
            tensor.reshape(-1),
            tensor[None],
            tensor.flatten()[0].expand(tensor.shape) if tensor.numel() else tensor,
            torch.full(tensor.shape, math.nan),
            tensor.to("meta"),
            torch.empty(0),
        ]
    )


def loaded(training: Training) -> Any:
    """Return what a training holds, laid out as in a file."""
    engine = {
        "engine": training.gradients.state_dict(),
        "optimizers": [training.first.state_dict(), training.second.state_dict()],
        "schedulers": [one.state_dict() for one in training.schedules],
    }
    parts = {name: part.state_dict() for name, part in training.parts.items()}
    return {"engines": [engine], "parts": parts}


def held(state: Any) -> Any:
    """Return the same of a file."""
    names = ("engine", "optimizers", "schedulers")
    engines = [{name: one[name] for name in names} for one in state["engines"]]
    return {"engines": engines, "parts": state["parts"]}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A checkpoint in mid-window, in the second epoch."""
    path = tmp_path_factory.mktemp("saved") / "run.pt"
    training = Training().train().train(5)
    training.save(path)
    training.end()
    return torch.load(path, weights_only=True)


def outcome(state: Any, training: Training, path: Path) -> str:
    """Resume from a state and return what came of it; anything but the two promises fails."""
    torch.save(state, path)
    before, objects = training.bits(), training.identities()
    try:
        training.resume(path)
    except CheckpointError:
        assert training.bits() == before
        assert training.identities() == objects
        return "refused"
    assert plain(loaded(training)) == plain(held(state))
    assert plain(generators())[:2] == plain(
        [state["generators"]["python"], state["generators"]["torch"]]
    )
    return "loaded"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_changed_checkpoint_is_loaded_as_it_is_or_refused_and_nothing_changed(
    seed: int, saved: Any, tmp_path: Path
) -> None:
    draw = random.Random(seed)
    training = Training(seed=9).train(4)
    outcomes = []

    for _ in range(CHANGES):
        state = copy.deepcopy(saved)
        changed(state, draw)
        outcomes.append(outcome(state, training, tmp_path / "run.pt"))
    training.end()

    assert set(outcomes) == {"loaded", "refused"}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_checkpoint_with_changed_bytes_is_refused_and_nothing_changed(
    seed: int, saved: Any, tmp_path: Path
) -> None:
    draw = random.Random(seed)
    path = tmp_path / "run.pt"
    torch.save(saved, path)
    content = path.read_bytes()
    training = Training(seed=9).train(4)
    before = training.bits()

    for _ in range(CHANGES):
        damaged = bytearray(content)
        damaged[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        path.write_bytes(damaged[: draw.choice([len(content), draw.randrange(len(content))])])
        try:
            training.resume(path)
        except CheckpointError:
            assert training.bits() == before
        else:  # a byte that nothing reads: padding, or a date in the archive
            assert plain(loaded(training)) == plain(held(saved))
            before = training.bits()
    training.end()
