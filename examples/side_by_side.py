"""Runs a plain loop and the engine's from one seed, and says how far apart they end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def compare(*loops: Callable[[], Sequence[torch.Tensor]]) -> None:
    """Print `identical` if both loops end with the same bits, else the largest difference."""
    ends = []
    for loop in loops:
        torch.manual_seed(0)
        ends.append([parameter.detach().clone() for parameter in loop()])
        print(f"{loop.__name__:8} ends at {float(ends[-1][0].flatten()[0]):+.7f} ...")
    gap = max(float((one - other).abs().max()) for one, other in zip(*ends, strict=True))
    print("identical" if gap == 0 else f"largest difference {gap:.1e}")
