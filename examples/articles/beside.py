"""Runs a published loop and the engine's twin from one seed, and prints how each ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    Loop = Callable[[], tuple[list[torch.Tensor], float]]


def show(published: Loop, engine: Loop) -> None:
    """Print the last loss of both, and whether their parameters are the same bits."""
    ends = []
    for loop in (published, engine):
        torch.manual_seed(0)
        parameters, loss = loop()
        ends.append([parameter.detach().clone() for parameter in parameters])
        print(f"{loop.__name__:9} ends with loss {loss:.6f}")
    gap = max(float((one - other).abs().max()) for one, other in zip(*ends, strict=True))
    print("parameters: identical" if gap == 0 else f"parameters: {gap:.1e} apart")
