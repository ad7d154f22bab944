"""A check leaves no trace: buffers, random generators and training modes are put back."""

from __future__ import annotations

import random
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor
    from torch.nn import Module

Buffers = list[tuple["Module", str, "Tensor | None", "Tensor | None"]]
"""The module, the buffer's name, the tensor that lay there, and a copy of its values."""


@contextmanager
def untouched(model: Module) -> Iterator[None]:
    """Put back everything that forwards and backwards of the check move.

    Gradients need no care: the check asks `torch.autograd.grad`, which never writes `.grad`.
    """
    buffers, modes = held(model), [(module, module.training) for module in model.modules()]
    numpy = sys.modules.get("numpy.random")
    python, array = random.getstate(), None if numpy is None else numpy.get_state()
    with torch.random.fork_rng():
        try:
            yield
        finally:
            put_back(buffers)
            for module, training in modes:
                module.training = training
            random.setstate(python)
            if numpy is not None:
                numpy.set_state(array)


def held(model: Module) -> Buffers:
    """Remember every buffer and its values."""
    return [
        (module, name, buffer, None if buffer is None else buffer.detach().clone())
        for module in model.modules()
        for name, buffer in module._buffers.items()  # noqa: SLF001  named_buffers() skips None
    ]


def put_back(buffers: Buffers) -> None:
    """Make every buffer the tensor that it was, with the values that it had."""
    for module, name, buffer, values in buffers:
        if buffer is not None and values is not None and not torch.equal(buffer, values):
            with torch.no_grad():
                buffer.copy_(values)
        module._buffers[name] = buffer  # noqa: SLF001  setattr would refuse another shape


def changed(buffers: Buffers, model: Module) -> list[str]:
    """Return the names of the buffers that are no longer what they were."""
    names = {id(module): name for name, module in model.named_modules()}
    return [
        f"{names[id(module)]}.{name}".lstrip(".")
        for module, name, _, values in buffers
        if (now := module._buffers[name]) is not None  # noqa: SLF001  as above
        and (values is None or not torch.equal(now, values))
    ]
