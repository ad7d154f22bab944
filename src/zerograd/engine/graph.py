"""What a loss's graph shows before its backward runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zerograd.errors import ArgumentError

if TYPE_CHECKING:
    from torch import Tensor

REENTRANT = "CheckpointFunctionBackward"
"""The node of `torch.utils.checkpoint.checkpoint(..., use_reentrant=True)`."""


def refuse_reentrant(loss: Tensor, argument: str) -> None:
    """Raise if the graph runs a backward inside its backward.

    The inner one deposits into leaves by itself: with `inputs=` it loses gradients or raises,
    and a shared layer's hook fires twice.
    """
    seen: set[Any] = set()
    ahead: list[Any] = [loss.grad_fn]
    while ahead:
        node = ahead.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if node.name() == REENTRANT:
            raise ArgumentError(
                f"{argument} does not work with reentrant checkpointing; write "
                "torch.utils.checkpoint.checkpoint(..., use_reentrant=False)"
            )
        ahead += [following for following, _ in node.next_functions]
