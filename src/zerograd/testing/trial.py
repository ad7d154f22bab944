"""One trial: the gradient of a whole batch beside the weighted sum of its parts' gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from zerograd.errors import ArgumentError
from zerograd.record import record
from zerograd.testing.batch import parts, rows
from zerograd.testing.untouched import held, put_back

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module

    from zerograd.testing.batch import Split

LossFunction = Callable[[Any, Any], torch.Tensor]
Gradient = list[torch.Tensor]
"""One tensor for each parameter, in fp64: a comparison adds no error of its own."""

ROUND_OFF = {torch.float64: 1e-9, torch.float32: 1e-4}
"""How far two orders of summation may part, relative to what was summed; 16 bits: 5e-2."""

NEGLIGIBLE = 1e-2
"""A parameter whose true gradient is 0 holds round-off of the others: measured beside them too."""


@record(frozen=True)
class Subject:
    """What is examined: a model, its loss, and how its items are counted."""

    model: Module
    loss_fn: LossFunction
    batch: Any
    reduction: str
    items: Callable[[Any], float]
    rtol: float | None

    @property
    def parameters(self) -> dict[str, Tensor]:
        """The parameters that take part."""
        return {name: p for name, p in self.model.named_parameters() if p.requires_grad}

    def gradient(self, batch: Any) -> tuple[Gradient, float]:
        """Run one forward and backward; return the gradient and the loss."""
        loss: object = self.loss_fn(self.model, batch)
        if not isinstance(loss, torch.Tensor) or loss.numel() != 1 or not loss.requires_grad:
            raise ArgumentError(
                "loss_fn(model, part) returns a loss of one number that depends on the model; "
                "write lambda model, part: criterion(model(part[0]), part[1])"
            )
        parameters = list(self.parameters.values())
        found = torch.autograd.grad(loss.reshape(()), parameters, allow_unused=True)
        if all(grad is None for grad in found):
            raise ArgumentError(
                "the loss does not reach the model; compute it from loss_fn's first argument"
            )
        pairs = zip(found, parameters, strict=True)
        return [_exact(grad, like) for grad, like in pairs], loss.item()

    def tolerance(self) -> float:
        """Return the relative difference that round-off explains."""
        if self.rtol is not None:
            return self.rtol
        return max(ROUND_OFF.get(p.dtype, 5e-2) for p in self.parameters.values())


def _exact(grad: Tensor | None, like: Tensor) -> Tensor:
    if grad is None:
        return torch.zeros_like(like, dtype=torch.float64)
    return (grad.to_dense() if grad.is_sparse else grad).double()


@record(frozen=True)
class Trial:
    """What a whole batch and its parts gave."""

    split: Split
    names: list[str]
    whole: Gradient
    parts: list[Gradient]
    weights: list[float]
    losses: tuple[float, float]
    """Of the whole, and the weighted sum of the parts'."""

    tolerance: float

    def differences(self) -> dict[str, tuple[float, float]]:
        """Return each parameter's largest absolute and its relative difference."""
        scales = [self._scale(index) for index in range(len(self.names))]
        floor = NEGLIGIBLE * sum(scale * scale for scale in scales) ** 0.5
        found = {}
        for index, name in enumerate(self.names):
            gap = self.whole[index] - self._sum(index)
            relative = float(gap.norm()) / ((scales[index] + floor) or 1.0)
            found[name] = (float(gap.abs().max()) if gap.numel() else 0.0, relative)
        return found

    def agrees(self) -> bool:
        """Whether nothing but round-off parts them; NaN never agrees."""
        return all(relative <= self.tolerance for _, relative in self.differences().values())

    def _sum(self, index: int) -> Tensor:
        pairs = zip(self.weights, self.parts, strict=True)
        return torch.stack([weight * part[index] for weight, part in pairs]).sum(0)

    def _scale(self, index: int) -> float:
        """Return the size of what was summed, which may cancel to something much smaller."""
        pairs = zip(self.weights, self.parts, strict=True)
        apart = sum(abs(weight) * float(part[index].norm()) for weight, part in pairs)
        return max(apart, float(self.whole[index].norm()))


def attempt(subject: Subject, split: Split, *, stateless: bool = False) -> Trial:
    """Run the whole batch, then its parts; buffers begin each side as they were.

    `stateless` puts them back before every part, which training does not do.
    """
    buffers = held(subject.model)
    whole, loss = subject.gradient(subject.batch)
    put_back(buffers)
    pieces = parts(subject.batch, split)
    weights = _weights(subject, pieces)
    nothing = [torch.zeros_like(gradient) for gradient in whole]
    found = []
    for piece, weight in zip(pieces, weights, strict=True):
        # The mean over no items is NaN, and NaN * 0 is NaN: such a part is not run, as in training.
        found.append(_of_part(subject, piece) if weight else (nothing, 0.0))
        if stateless:
            put_back(buffers)
    put_back(buffers)
    summed = sum(weight * value for weight, (_, value) in zip(weights, found, strict=True))
    return Trial(
        split=split,
        names=list(subject.parameters),
        whole=whole,
        parts=[gradient for gradient, _ in found],
        weights=weights,
        losses=(loss, summed),
        tolerance=subject.tolerance(),
    )


def _of_part(subject: Subject, piece: Any) -> tuple[Gradient, float]:
    try:
        return subject.gradient(piece)
    except Exception as error:  # BatchNorm refuses a single row
        error.add_note(f"raised by a part of {rows(piece)} rows, while the whole batch went well")
        raise


def _weights(subject: Subject, pieces: Sequence[Any]) -> list[float]:
    """Return what each part's gradient counts: its share of the items, or 1 with sums."""
    if subject.reduction == "sum":
        return [1.0] * len(pieces)
    counts = [float(subject.items(piece)) for piece in pieces]
    total = float(subject.items(subject.batch))
    if not total > 0 or abs(sum(counts) - total) > 1e-6 * total:
        raise ArgumentError(
            f"items counts {total:g} in the whole batch and {sum(counts):g} in its parts; "
            "count what the loss is a mean over, row by row"
        )
    return [count / total for count in counts]


def by_rows(part: Any) -> float:
    """Count rows, where nothing else is said."""
    return float(rows(part))
