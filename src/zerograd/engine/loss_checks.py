"""What a loss's graph shows before its backward runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from zerograd.engine.norms import NARROW
from zerograd.engine.refusals import is_let_through, refused
from zerograd.errors import ArgumentError
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import Tensor

REENTRANT = "CheckpointFunctionBackward"
"""The node of `torch.utils.checkpoint.checkpoint(..., use_reentrant=True)`."""

SCALED = "zerograd scaled"
"""The mark on the node of a loss that a loss scaler scaled."""


@record()
class ForeignScaling:
    """Whether any loss was scaled by others than engines: until then none need be looked at."""

    seen: bool = False


scaled = ForeignScaling()


def refuse_no_loss(loss: object) -> None:
    """Raise unless this is one number with a graph."""
    if not isinstance(loss, torch.Tensor):
        raise ArgumentError(
            f"a loss is a tensor, got {type(loss).__name__}; pass what the criterion returned"
        )
    if loss.dim() and loss.numel() != 1:
        raise ArgumentError(
            f"a loss is one number, got a tensor of shape {tuple(loss.shape)}; "
            "write loss.mean(), or loss.sum() with reduction='sum'"
        )
    if loss.is_complex():
        raise ArgumentError(
            f"a loss is a real number, got {loss.dtype}; write loss.real, or loss.abs()"
        )
    if not loss.requires_grad:
        raise refused("loss-without-graph")


def refuse_reentrant(loss: Tensor, argument: str) -> None:
    """Raise if the graph runs a backward inside its backward.

    The inner one deposits into leaves by itself: with `inputs=` it loses gradients or raises,
    and a shared layer's hook fires twice.
    """
    if any(node.name() == REENTRANT for node in nodes_of(loss)):
        raise ArgumentError(
            f"{argument} does not work with reentrant checkpointing; write "
            "torch.utils.checkpoint.checkpoint(..., use_reentrant=False)"
        )


def is_rounded(loss: Tensor) -> bool:
    """Whether a number that the loss is multiplied by would be rounded to 16 bits as a number.

    Looked for along the scalars behind the loss: `loss.float()` of a bf16 loss is no fp32 loss.
    Once a number has become many gradients, each of them is rounded by itself, as without it.
    """
    if loss.dtype in NARROW:
        return True
    seen: set[Any] = set()
    ahead: list[Any] = [loss.grad_fn]
    while ahead:
        node = ahead.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        kinds = _received(node)
        if any(kind.dtype in NARROW for kind in kinds):
            return True
        if kinds and all(math.prod(kind.shape) == 1 for kind in kinds):
            ahead += [following for following, _ in node.next_functions]
    return False


def holds_fp16(loss: Tensor) -> bool:
    """Whether any gradient of this graph is in fp16, which overflows at 65504."""
    return any(kind.dtype is torch.float16 for node in nodes_of(loss) for kind in _received(node))


def _received(node: Any) -> Sequence[Any]:
    """Return the shape and dtype of each gradient that a node is given."""
    kinds: Sequence[Any] = getattr(node, "_input_metadata", ())  # torch has no public way to ask
    return kinds


def refuse_divided(loss: Tensor, accumulate: int) -> None:
    """Raise if a mean was divided by the number of micro-batches, which the engine does itself.

    `total / 4` may be the mean over four samples, and `(a + b + c + d) / 4` that of four losses:
    only a mean that is divided once more is refused.
    """
    last: Any = loss.grad_fn
    if last is None or not _divides(last, accumulate):
        return
    terms = _terms(last.next_functions[0][0])
    is_divided = len(terms) != accumulate and any(map(_is_mean, terms))
    if is_divided and not is_let_through("loss-divided"):
        raise refused("loss-divided", accumulate=accumulate)


def _divides(node: Any, number: int) -> bool:
    """Whether this node divides by exactly this number, or multiplies by its reciprocal."""
    other = getattr(node, "_saved_other", None)
    if not isinstance(other, torch.Tensor) or other.numel() != 1 or not other.is_cpu:
        return False
    factor: Any = other.tolist()
    if node.name() == "DivBackward0":
        return bool(factor == number)
    return bool(node.name() == "MulBackward0" and factor == 1 / number)


def _terms(node: Any) -> list[Any]:
    """Return the nodes whose sum this is, constants left out."""
    if node is None:
        return []
    if node.name() != "AddBackward0":
        return [node]
    return [term for following, _ in node.next_functions for term in _terms(following)]


def _is_mean(node: Any) -> bool:
    named = node.name().startswith("MeanBackward")
    return named or getattr(node, "_saved_reduction", 0) == 1


def mark_scaled(loss: Tensor) -> None:
    """Remember with the graph itself that this loss carries a scale."""
    if loss.grad_fn is not None:
        scaled.seen = True
        # torch declares this property as if it were a method.
        loss.grad_fn.metadata[SCALED] = True  # type: ignore[index]


def refuse_scaled(loss: Tensor, *, by_engine: bool) -> None:
    """Raise if a scaler scaled this loss, or a term of it, before the engine got it."""
    # Only sums are looked through: a gradient penalty may hold a scale that was divided out.
    if any(SCALED in node.metadata for node in nodes_of(loss, through="AddBackward0")):
        raise refused("loss-scaled-twice" if by_engine else "loss-scaled-by-another")


def nodes_of(loss: Tensor, *, through: str | None = None) -> Iterator[Any]:
    """Yield each node of a graph once; `through` names the only nodes that are looked behind."""
    seen: set[Any] = set()
    ahead: list[Any] = [loss.grad_fn]
    while ahead:
        node = ahead.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        yield node
        if through is None or node.name() == through:
            ahead += [following for following, _ in node.next_functions]
