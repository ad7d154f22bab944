"""The states of every random generator that data and training draw from."""

from __future__ import annotations

import random
import sys
from typing import Any

import torch

from zerograd.engine.resume.fit import MisfitError
from zerograd.hooks.torch_parts import find

WORDS = 624
"""The length of NumPy's state, whose position NumPy itself does not check before it reads there."""


def capture(loader: object = None) -> dict[str, Any]:
    """Return the states of Python's, NumPy's, torch's and the loader's own generators."""
    state: dict[str, Any] = {"python": random.getstate(), "torch": torch.get_rng_state()}
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        kind, keys, *rest = numpy.get_state()
        # As plain values: a checkpoint is read without unpickling foreign classes.
        state["numpy"] = (kind, keys.tolist(), *rest)
    accelerator = find("torch.accelerator") or torch.cuda
    if accelerator.is_available():
        state["devices"] = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    state["loader"] = [generator.get_state() for generator in _of(loader)]
    return state


def restore(state: dict[str, Any], loader: object = None) -> None:
    """Put every generator back."""
    version, words, spare = state["python"]
    random.setstate((version, tuple(words), spare))
    torch.set_rng_state(state["torch"])
    if "numpy" in state:
        import numpy as np

        kind, keys, *rest = state["numpy"]
        np.random.set_state((kind, np.array(keys, dtype=np.uint32), *rest))
    if state.get("devices"):
        torch.cuda.set_rng_state_all(state["devices"])
    for generator, saved in zip(_of(loader), state["loader"], strict=False):
        generator.set_state(saved)


def check(place: str, state: Any) -> None:
    """Raise unless `restore` can put every generator into this state; none is touched."""
    try:
        version, words, spare = state["python"]
        random.Random().setstate((version, tuple(words), spare))
        torch.Generator("cpu").set_state(state["torch"])
        if "numpy" in state:
            _check_numpy(*state["numpy"])
        devices, loaders = list(state.get("devices", ())), list(state["loader"])
    # Each of them has errors of its own, and a strange state may raise any.
    except Exception as error:
        raise MisfitError(
            f"the generators in {place} are in no state that they can have"
        ) from error
    if devices and len(devices) != torch.cuda.device_count():
        raise MisfitError(
            f"{place} holds the generators of {len(devices)} devices, and there are "
            f"{torch.cuda.device_count()} here"
        )
    for one in (*devices, *loaders):
        if not isinstance(one, torch.Tensor) or one.dtype is not torch.uint8 or one.is_meta:
            raise MisfitError(f"the generators in {place} are in no state that they can have")


def _check_numpy(kind: str, keys: Any, position: int, has_spare: int, spare: float) -> None:
    import numpy as np

    if type(position) is not int or not 0 <= position <= WORDS:
        raise ValueError("out of range")
    state = kind, np.array(keys, dtype=np.uint32), position, has_spare, spare
    np.random.RandomState().set_state(state)


def _of(loader: object) -> list[torch.Generator]:
    """Return the generators that a loader and its samplers hold, each once."""
    sampler = getattr(loader, "sampler", None)
    batches = getattr(loader, "batch_sampler", None)
    holders = (loader, sampler, batches, getattr(batches, "sampler", None))
    found = [getattr(holder, "generator", None) for holder in holders]
    unique = {id(one): one for one in found if isinstance(one, torch.Generator)}
    return list(unique.values())
