"""The same examination in fp64, where round-off can be told from everything else."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch

from zerograd.errors import ArgumentError
from zerograd.record import replace

if TYPE_CHECKING:
    from zerograd.testing.trial import Subject

SHARP = 1e-5
"""What passes on the copy: a model may still go through fp32 inside, as in `logits.float()`."""


def sharpened(subject: Subject) -> Subject | None:
    """Return a copy of the model and batch in fp64, which autocast leaves alone too.

    None where that cannot be done: a model that cannot be copied, a loss that insists on its
    dtype, or one that reaches for the model by name and not by its argument.
    """
    try:
        sharp = replace(
            subject,
            model=copy.deepcopy(subject.model).double(),
            batch=_double(subject.batch),
            rtol=SHARP if subject.rtol is None else subject.rtol,
        )
        sharp.gradient(sharp.batch)
    except (ArgumentError, RuntimeError, TypeError, ValueError):
        return None
    return sharp


def _double(batch: Any) -> Any:
    if isinstance(batch, torch.Tensor):
        return batch.double() if batch.is_floating_point() else batch
    if isinstance(batch, Mapping):
        return {key: _double(value) for key, value in batch.items()}
    if not isinstance(batch, list | tuple):
        return batch
    converted = [_double(value) for value in batch]
    return type(batch)(*converted) if hasattr(batch, "_fields") else type(batch)(converted)
