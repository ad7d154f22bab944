"""Read from a loss's graph how many items it is the mean of, and what each of them weighs.

`cross_entropy(logits, labels) / 4` over 24 labels that are not ignored is a sum over 24 items, each
of weight 1/96. Whatever the program multiplies and divides by on the way down to the reduction
goes into the weight, so a loss that is weighted by its count shows that too:

    cross_entropy(...) / 4              items 24   weight 1/96       share 1/4
    cross_entropy(...) * 24 / 240       items 24   weight 1/240      share 24/240
    (losses * mask).sum() / mask.sum()  items 24   weight 1/24       share 1
"""

from __future__ import annotations

from math import isclose, isfinite, prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import torch

from zerograd.hooks.saved_values import number_of, saved_number, saved_tensor, shape_into
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Callable

DEEPEST = 64
"""How many operations between a loss and its reductions are followed."""

MOST_TERMS = 16
"""A sum of more terms than this is not a loss of several parts, but a loop over items."""

EXACT = 1e-3
"""How far a divisor may be from the sum of a mask: the sum may have been rounded to 16 bits."""

MEAN, SUM = 1, 2
"""How torch codes the reduction of its own losses."""

_PASSING = (
    "Alias",
    "Clone",
    "Neg",
    "ReshapeAlias",
    "Squeeze",
    "ToCopy",
    "UnsafeView",
    "Unsqueeze",
    "View",
)
_BY_ROW = ("MultiMarginLoss", "MultilabelMarginLoss")
"""Losses that torch reduces over the classes of each row before it takes the mean."""


@record(frozen=True)
class Term:
    """One term of a loss: a sum over so many items, each of the same weight."""

    items: float
    """0 where the graph does not show how many: a penalty on the weights, a loss of one's own."""

    weight: float

    @property
    def share(self) -> float:
        """The weight of the whole term."""
        return self.items * self.weight


Terms: TypeAlias = tuple[Term, ...]


class Divisor(NamedTuple):
    """Something that a loss was divided by above a node."""

    number: float
    is_factor: bool = False
    """It was multiplied by the inverse: `0.5 * loss` is no mean over 2 items."""


Divisors: TypeAlias = tuple[Divisor, ...]
"""The outermost first."""


class _UnreadError(Exception):
    """The graph does not show what a loss is the mean of."""


def read_terms(loss: Any, is_mark: Callable[[Any], bool], *, weight: float = 1.0) -> Terms:
    """Return the terms of a scalar loss, () where none of them shows a count.

    `is_mark` tells the multiplication by a loss scale, which is no part of the loss.
    """
    node = getattr(loss, "grad_fn", None)
    if node is None or loss.numel() != 1:
        return ()
    reader = _TermReader(is_mark)
    try:
        reader.read(node, weight, (), DEEPEST)
    except _UnreadError:
        return ()
    terms = tuple(reader.terms)
    return terms if any(term.items for term in terms) else ()


class _TermReader:
    """Follows a loss down to its reductions, along every term of a sum."""

    def __init__(self, is_mark: Callable[[Any], bool]) -> None:
        self._is_mark = is_mark
        self.terms: list[Term] = []

    def read(self, node: Any, weight: float, divisors: Divisors, left: int) -> None:
        """Add the terms below a node, which was multiplied by `weight` on the way."""
        if not left or len(self.terms) >= MOST_TERMS:
            raise _UnreadError
        kind = _kind(node)
        if self._is_mark(node) or kind in _PASSING:
            self._below(node, 0, weight, divisors, left)
        elif kind in ("Div", "Mul"):
            self._factor(node, kind, weight, divisors, left)
        elif kind in ("Add", "Sub"):
            self._add(node, weight, divisors, left)
        elif kind in ("Mean", "Sum"):
            self._reduction(node, kind, weight, divisors, left)
        else:
            self._loss(node, kind, weight, divisors)

    def _below(self, node: Any, slot: int, weight: float, divisors: Divisors, left: int) -> None:
        producer = node.next_functions[slot][0]
        if producer is not None:
            self.read(producer, weight, divisors, left - 1)

    def _factor(self, node: Any, kind: str, weight: float, divisors: Divisors, left: int) -> None:
        """Go on below `loss / number` and `loss * number`, where the number has no gradient."""
        with_gradient = [slot for slot, (function, _) in _inputs(node) if function is not None]
        if len(with_gradient) != 1 or (kind == "Div" and with_gradient != [0]):
            self.terms.append(Term(0.0, weight))
            return
        slot = with_gradient[0]
        number = saved_number(node, "self" if slot else "other")
        if not number or not isfinite(number):
            raise _UnreadError
        if kind == "Div":
            self._below(node, slot, weight / number, (*divisors, Divisor(number)), left)
        else:
            inverse = Divisor(1 / number, is_factor=True)
            self._below(node, slot, weight * number, (*divisors, inverse), left)

    def _add(self, node: Any, weight: float, divisors: Divisors, left: int) -> None:
        alpha = saved_number(node, "alpha")
        for slot, _ in _inputs(node):
            by = 1.0 if slot == 0 or alpha is None else alpha
            self._below(node, slot, weight * by, divisors, left)

    def _reduction(
        self, node: Any, kind: str, weight: float, divisors: Divisors, left: int
    ) -> None:
        shape = shape_into(node) or (0,)
        size = prod(shape)
        reduced = node.next_functions[0][0]
        weight = weight / size if kind == "Mean" and size else weight
        if reduced is not None and _kind(reduced) == "Stack":
            # `torch.stack(losses).mean()`: each is a term with items of its own.
            for slot, _ in _inputs(reduced):
                self._below(reduced, slot, weight, divisors, left)
        elif kind == "Mean":
            self.terms.append(Term(float(size), weight))
        else:
            self.terms.append(Term(_divided_by(reduced, divisors, shape), weight))

    def _loss(self, node: Any, kind: str, weight: float, divisors: Divisors) -> None:
        reduction = getattr(node, "_saved_reduction", None)
        if kind == "Dot":
            shape = shape_into(node) or shape_into(node, 1) or (0,)
            self.terms.append(Term(_divided_by(node, divisors, shape), weight))
        elif reduction in (MEAN, SUM):
            items = _items(node, kind)
            self.terms.append(
                Term(items, weight / items if reduction == MEAN and items else weight)
            )
        else:
            self.terms.append(Term(0.0, weight))


def _kind(node: Any) -> str:
    """Return an operation's name: `Mean` of `MeanBackward0`."""
    return str(node.name()).partition("Backward")[0]


def _inputs(node: Any) -> list[tuple[int, tuple[Any, int]]]:
    return list(enumerate(node.next_functions))


def _items(node: Any, kind: str) -> float:
    """Return over how many items one of torch's own losses takes the mean, 0 if it hides it."""
    if kind.startswith("NllLoss"):
        # What torch itself divides by: the labels that are not ignored, by their classes' weights.
        return saved_number(node, "total_weight") or 0.0
    shape = shape_into(node) or (0,)
    by_row = kind in _BY_ROW
    return float(prod(shape[:-1]) if by_row else prod(shape))


def _divided_by(summed: Any, divisors: Divisors, shape: tuple[int, ...]) -> float:
    """Return the count that a sum was divided by, or else how many items a mask leaves of it.

    Of several divisors, a count and the length of the window, the innermost is the count: a mean is
    made before it is divided by a window's length. A sum that was divided by nothing is one of all
    its elements. One divided by something else, such as the items of a whole window, shows its
    items where a mask or an index chose them, and no count elsewhere.

        (losses * mask).sum() / mask.sum() / 4      mask.sum()
        (losses * mask).sum() / 1000                mask.sum()
        losses[mask].sum() / 1000                   the elements of losses[mask]
        0.5 * losses.sum() / 24                     24
        losses.sum() / 1000 / 4, of 24 items        none: 4 is the window's length
    """
    size = prod(shape)
    if not divisors:
        return float(size)
    masks = _masks(summed)
    masked = [total for mask in masks if (total := number_of(mask.sum())) > 0]
    for divisor in reversed(divisors):
        if any(isclose(count, divisor.number, rel_tol=EXACT) for count in masked):
            return divisor.number
    divisions = [divisor for divisor in divisors if not divisor.is_factor]
    innermost = (divisions or divisors)[-1].number
    chosen = masked[0] if len(masks) == 1 and masked and _chooses(masks[0]) else 0.0
    if chosen and round(innermost) != shape[0]:
        return chosen
    is_whole = isclose(innermost, round(innermost), rel_tol=1e-6)
    if is_whole and 1 <= round(innermost) <= size:
        return float(round(innermost))
    return float(size) if summed is not None and _kind(summed) == "Index" else 0.0


def _masks(summed: Any) -> list[Any]:
    """Return the tensors without a gradient that a sum's summands were weighed with."""
    if summed is None or _kind(summed) not in ("Mul", "Dot"):
        return []
    names = ("other", "self") if _kind(summed) == "Mul" else ("tensor", "self")
    masks = [mask for name in names if (mask := saved_tensor(summed, name)) is not None]
    return [mask for mask in masks if not mask.requires_grad]


def _chooses(mask: Any) -> bool:
    """Tell whether a mask takes each element whole or not at all: weights do something else."""
    return mask.dtype == torch.bool or not number_of((mask * (1 - mask)).abs().sum())
