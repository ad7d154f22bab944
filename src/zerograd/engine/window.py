"""The window: micro-batches, items and the reference that makes their mean exact."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import torch

from zerograd.engine import nonfinite
from zerograd.engine.refusals import refused
from zerograd.errors import ArgumentError
from zerograd.record import record

if TYPE_CHECKING:
    from zerograd.engine.call import Call

Items = int | float | torch.Tensor
"""A count: a number, or with sums a tensor that is never read on the host."""

NOTHING: Final = 0
"""The count of a micro-batch that is not deposited; `admit` returns this very object."""


@record()
class Window:
    """What lies between two steps.

    A deposit of n items is scaled by n / reference and their sum divided by items / reference,
    the reference being the first count: `(g * 7) / 7` is not `g`, but `g * 1 / 1` is.

    For counts of 4, 2 and 6 the weights are 1, 0.5 and 1.5, and the divisor is 12 / 4 = 3.
    """

    micro_batches: int = 0
    deposits: int = 0
    settled: int = 0
    """Deposits whose micro-batch was counted; the others are of one that is under way."""

    earlier: int = 0
    """Deposits of all windows before this one."""

    items: Items = 0
    reference: float = 0
    counted: bool | None = None
    """Whether this window's micro-batches say their items; all of them do or none."""

    states: bool = False
    """Whether the micro-batch that was admitted last says its items."""

    last: Call | None = None
    """Where the last deposit was made."""

    restored: bool = False
    """Loaded by `load_state_dict`: the next `batches()` continues it."""

    @property
    def is_open(self) -> bool:
        """Whether anything lies in it."""
        return self.micro_batches > 0 or self.deposits > 0

    def admit(self, items: Items | None, reduction: str) -> Items:
        """Return the count of a new micro-batch, or say why it cannot be one."""
        if self.counted is not None and self.counted is (items is None):
            raise _mixed(items)
        self.states = items is not None
        if items is None:
            if reduction == "sum":
                raise ArgumentError(
                    "a loss that is a sum needs its count; "
                    "write gradients.backward(loss, items=len(targets))"
                )
            return 1
        if type(items) is not int or items < 0:
            items = _checked(items, reduction)
        return items if isinstance(items, torch.Tensor) or items else NOTHING

    def refer_to(self, items: Items, *, power_of_two: bool) -> None:
        """Choose the reference by the first count.

        A sum is divided by the reference before its backward: 1/8 is exact in 16 bits, 1/7 is not.
        """
        self.reference = 1 if isinstance(items, torch.Tensor) else items
        if power_of_two:
            self.reference = 2.0 ** max(0, math.floor(math.log2(self.reference)))

    def factor(self, items: Items, reduction: str) -> float:
        """Return what a deposit of this micro-batch is multiplied by."""
        if reduction == "sum":
            return 1 / self.reference
        return float(items / self.reference)

    def add(self, items: Items, stated: bool) -> None:
        """Count a micro-batch whose deposits are made."""
        self.counted = stated
        self.micro_batches += 1
        self.items = self.items + items
        self.settled = self.deposits  # the last: whatever is interrupted before is dropped

    @property
    def divisor(self) -> float | torch.Tensor:
        """What the sum of the deposits is divided by to be the mean over all items."""
        return self.items / self.reference

    @property
    def stated_items(self) -> Items | None:
        """How many items the window holds, where its micro-batches said so."""
        return self.items if self.counted else None

    @property
    def is_empty(self) -> bool:
        """Whether it is known on the host that no item was counted."""
        return not isinstance(self.items, torch.Tensor) and self.items == NOTHING

    def close(self) -> None:
        """Begin the next window."""
        self.earlier += self.deposits
        self.micro_batches = self.deposits = self.settled = 0
        self.items = self.reference = 0
        self.counted = None
        self.restored = False


def _mixed(items: Items | None) -> ArgumentError:
    earlier, this = ("have", "has not") if items is None else ("have no", "has")
    return ArgumentError(
        f"some micro-batches of this window {earlier} items= and this one {this}; give it to "
        "all of them or to none"
    )


def _checked(items: Items, reduction: str) -> Items:
    if isinstance(items, torch.Tensor):
        return _checked_tensor(items, reduction)
    count = as_number(items)
    if count is None:
        raise ArgumentError(
            f"items must be a number, got {type(items).__name__}; write items=len(targets)"
        )
    if not count >= 0 or math.isinf(count):
        raise ArgumentError(f"items must be a finite count, 0 or more, got {items}")
    return count


def as_number(items: Any) -> float | None:
    """Return a number's value; `float()` alone takes words and truth values too."""
    if isinstance(items, bool) or not hasattr(items, "__float__"):
        return None
    try:
        return float(items)
    except (TypeError, ValueError):
        return None


def _checked_tensor(items: torch.Tensor, reduction: str) -> Items:
    if items.numel() != 1:
        raise ArgumentError(
            f"items is one count, got a tensor of shape {tuple(items.shape)}; "
            "write items=mask.sum()"
        )
    if reduction != "sum":
        raise ArgumentError(
            "items may be a tensor only with reduction='sum': a mean is weighted on the host, and "
            "reading the tensor would stall the device; make the loss a sum, or write "
            "items=int(count)"
        )
    if items.dtype is torch.bool or items.is_complex():
        raise ArgumentError(
            f"items is a count, got a tensor of {items.dtype}; write items=mask.sum()"
        )
    items = items.detach().reshape(())
    if not nonfinite.stalls(items):
        # `tolist` reads memory of the host where `item` would ask a device that may be busy.
        count: Any = items.tolist()
        return _checked(count, reduction)
    # 200 + 200 is 144 in uint8, and 2049 is 2048 in fp16.
    return items.to(_exact(items))


def _exact(items: torch.Tensor) -> torch.dtype:
    """Return the dtype that counts are summed in."""
    if not items.is_floating_point():
        return torch.int64
    return torch.float32 if items.device.type == "mps" else torch.float64


def refuse_contradiction(loss: torch.Tensor, reduction: str) -> None:
    """Raise where the graph knows that the loss is not what `reduction` says."""
    actual = {1: "mean", 2: "sum"}.get(getattr(loss.grad_fn, "_saved_reduction", 0))
    if actual is not None and actual != reduction:
        raise refused("loss-of-another-reduction", actual=actual, reduction=reduction)
