"""A number for the bits of each tensor, so that ranks can be compared without a collective."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

_AS_INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}

FIRST = 8
"""So many steps are compared one by one, then four of every doubling."""


def is_sampled(step: int) -> bool:
    """Whether a step is compared: the same ones on every rank, ever rarer as a run goes on."""
    return step <= FIRST or step % (1 << (step.bit_length() - 3)) == 0


def until_sampled(step: int) -> int:
    """Return how many steps after this one are not compared."""
    apart = 1 << max(0, step.bit_length() - 3)
    return 0 if step < FIRST else apart - 1 - step % apart


@torch.no_grad()
def checksums(tensors: Sequence[Tensor | None]) -> list[int | None]:
    """Return the sum of each tensor's bits read as integers; None for what cannot be read.

    All sums of a device are fetched at once: a device is waited for once a sample.
    """
    sums = [_sum(tensor) if tensor is not None else None for tensor in tensors]
    fetched = iter(_fetch([one for one in sums if one is not None]))
    return [None if one is None else next(fetched) for one in sums]


def _sum(tensor: Tensor) -> Tensor | None:
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or tensor.is_meta:
        return None
    if tensor.layout is not torch.strided:
        return None
    values = tensor.detach()
    if values.is_complex():
        values = torch.view_as_real(values.resolve_conj())
    return values.resolve_neg().view(_AS_INTEGERS[values.itemsize]).sum(dtype=torch.int64)


def _fetch(sums: list[Tensor]) -> list[int]:
    numbers: dict[int, int] = {}
    for device in {one.device for one in sums}:
        here = [at for at, one in enumerate(sums) if one.device == device]
        numbers |= zip(here, torch.stack([sums[at] for at in here]).tolist(), strict=True)
    return [numbers[at] for at in range(len(sums))]
