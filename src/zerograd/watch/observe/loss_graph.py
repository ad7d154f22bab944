"""Read a loss's graph before the backward runs: divisors, reduction, loss scale, leaves."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from zerograd.hooks import torch_parts as capabilities
from zerograd.hooks.saved_values import number_of
from zerograd.lifecycle import Reduction
from zerograd.record import record, replace
from zerograd.watch.gradients.values import is_one

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from torch import Tensor

SCALE = "zerograd.scale"
"""The mark of a loss scaler on a node; it lives as long as the node does."""

NEAR = 8
"""How many nodes from the loss to its reduction are read."""

LARGE = 2**53
"""Above this a float no longer tells whole numbers apart."""

FAR = 100_000
"""How many nodes are visited for leaves; a larger graph is not searched to its end."""

_PASSING = ("NegBackward", "ViewBackward", "ToCopyBackward", "SqueezeBackward", "CloneBackward")
_MEANS = ("MeanBackward",)
_SUMS = ("SumBackward",)
_ADDS = ("AddBackward0", "SubBackward0")
_BY_CODE = {1: Reduction.MEAN, 2: Reduction.SUM}

TERMS = 16
"""How many terms of a loss are read."""


@record(frozen=True)
class Loss:
    """What stands between a root and its reduction."""

    constants: tuple[int, ...] = ()
    """Divisors, the outermost first; a factor 1/d is d."""

    reduction: Reduction = Reduction.UNKNOWN
    scale: float | None = None
    weighted: bool = False
    """A factor that is no 1/d stands there: `loss * n_tokens`, `0.3 * loss`."""

    terms: int = 1
    """How many losses were added up below those: 2 in `(a + b) / 2`."""

    averaged: bool = False
    """A constant that was left out divides them by their number, as in `(a + b) / 2`."""

    is_leaf: bool = False
    """Nothing stands there: the root was not computed from anything."""


def read_loss(root: Any) -> Loss:
    """Follow the chain of single operations from a root to where its loss was reduced."""
    if getattr(root, "is_leaf", False):
        return Loss(is_leaf=True)
    return _follow(getattr(root, "grad_fn", None), TERMS)


def _follow(node: Any, most: int) -> Loss:
    scale = None
    constants: list[int] = []
    weighted = False
    for _ in range(NEAR):
        if node is None:
            break
        mark = node.metadata.get(SCALE)
        if mark is not None:
            scale = mark
        elif _is_division(node):
            divisor = _divisor(node)
            weighted |= divisor is None
            constants.extend([divisor] if divisor and _counts(node, divisor) else [])
        elif len(parts := _terms(node, most)) > 1:
            reduction = _common_reduction(parts)
            return _without_its_mean(Loss(tuple(constants), reduction, scale, weighted, len(parts)))
        elif not node.name().startswith(_PASSING):
            return Loss(tuple(constants), _reduction(node), scale, weighted)
        node = node.next_functions[0][0] if node.next_functions else None
    return Loss(tuple(constants), Reduction.UNKNOWN, scale, weighted)


def _terms(node: Any, most: int) -> list[Any]:
    """Return the losses that are added up in a node, through sums of sums."""
    parts, found = [node], list[Any]()
    while parts and len(found) < most:
        part = parts.pop()
        below = [f for f, _ in part.next_functions if f is not None]
        if part.name() in _ADDS and below and not (part is node and len(below) == 1):
            parts.extend(below)
        else:
            found.append(part)
    return found


def _common_reduction(parts: list[Any]) -> Reduction:
    """Return how all terms were reduced; one that is a sum makes the whole one."""
    found = {_follow(part, 1).reduction for part in parts}
    if Reduction.SUM in found:
        return Reduction.SUM
    return found.pop() if len(found) == 1 else Reduction.UNKNOWN


def _without_its_mean(loss: Loss) -> Loss:
    """Leave out the constant that makes a mean of the terms: it says nothing of the window."""
    constants = loss.constants
    if constants and constants[-1] == loss.terms:
        return replace(loss, constants=constants[:-1], averaged=True)
    return loss


def _is_division(node: Any) -> bool:
    # An operation on two tensors with gradients joins two losses: there the chain ends.
    joins = sum(function is not None for function, _ in node.next_functions) > 1
    return node.name() in ("DivBackward0", "MulBackward0") and not joins


def _divisor(node: Any) -> int | None:
    """Return by what whole number a loss is divided; None for any other weight."""
    other = capabilities.read(node, "_saved_other")  # how torch shows what a loss was divided by
    if other is None or other.numel() != 1 or other.device.type != "cpu":
        return None
    value = abs(number_of(other))
    if node.name() == "MulBackward0":
        value = 1 / value if value else 0.0
    whole = round(value) if value < LARGE else 0
    return whole if whole >= 1 and abs(value - whole) < 1e-6 * value else None


def _counts(node: Any, divisor: int) -> bool:
    # A factor of one says nothing; a division by one may be the first of 1, 2, 3, ...
    return divisor > 1 or node.name() == "DivBackward0"


def _reduction(node: Any, left: int = NEAR) -> Reduction:
    name = node.name()
    if name.startswith("AddBackward"):
        return _of_terms(node, left)
    if name.startswith(_MEANS):
        return Reduction.MEAN
    if name.startswith(_SUMS):
        return Reduction.SUM
    return _BY_CODE.get(getattr(node, "_saved_reduction", 0), Reduction.UNKNOWN)


def _of_terms(node: Any, left: int) -> Reduction:
    """Return SUM for a sum of sums, which is divided by the items of a window; else unknown."""
    terms = [function for function, _ in node.next_functions if function is not None]
    summed = all(_below(term, left - 1) is Reduction.SUM for term in terms) if left else False
    return Reduction.SUM if terms and summed else Reduction.UNKNOWN


def _below(node: Any, left: int) -> Reduction:
    for _ in range(left):
        if node is None or not (_is_division(node) or node.name().startswith(_PASSING)):
            break
        node = node.next_functions[0][0] if node.next_functions else None
    return Reduction.UNKNOWN if node is None else _reduction(node, left)


def is_weighted(gradients: Iterable[Any]) -> bool:
    """Whether a backward starts from something other than ones."""
    return any(not is_one(gradient) for gradient in gradients if gradient is not None)


def is_scale(node: Any) -> bool:
    """Whether a node is a scaler's multiplication by the loss scale."""
    return SCALE in node.metadata


def mark_scale(scaled: Any, scale: float) -> None:
    """Leave the scaler's mark on what it scaled: a tensor, or a collection of them."""
    if isinstance(scaled, (list, tuple)):
        for part in scaled:
            mark_scale(part, scale)
    elif getattr(scaled, "grad_fn", None) is not None:
        scaled.grad_fn.metadata[SCALE] = scale


def scale_of(scaler: Any) -> float:
    """Return a scaler's scale without waiting for a device."""
    try:
        scale = scaler._scale  # noqa: SLF001  `get_scale()` waits for the device
        if scale is None or scale.device.type != "cpu":
            return float(scaler._init_scale)  # noqa: SLF001  the scale it began with
    except AttributeError:
        return float(scaler.get_scale())
    return float(scale)


def leaves(roots: Iterable[Any]) -> list[Tensor]:
    """Return the leaf tensors that a backward from these roots would reach."""
    found = (getattr(node, "variable", None) for node in nodes(roots, FAR))
    return [leaf for leaf in found if leaf is not None]


def nodes(roots: Iterable[Any], most: int) -> Iterator[Any]:
    """Yield the nodes of a graph, the nearest first, until that many were seen."""
    waiting = deque(function for root in roots if (function := function_of(root)) is not None)
    seen = set(waiting)
    while waiting and len(seen) < most:
        node = waiting.popleft()
        yield node
        for function, _ in node.next_functions:
            if function is not None and function not in seen:
                seen.add(function)
                waiting.append(function)


def function_of(root: Any) -> Any:
    """Return the node that made a root: a tensor, or a `GradientEdge` with its node."""
    return getattr(root, "grad_fn", None) or getattr(root, "node", None)
