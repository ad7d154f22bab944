"""Random training programs of the engine, each window compared with its gradient in fp64.

Every loss is linear in the parameters, so that the gradient of micro-batch i is known exactly: it
is the data d_i itself. What a window of n_1 ... n_k items must spend is sum(n_i d_i) / sum(n_i),
and what rounding may move is bounded by the magnitudes of the terms, which may cancel each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

import torch
from torch import nn, optim

import zerograd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor

    from zerograd.engine import Step

WIDTH = 5
ROUND_OFF = {
    torch.float64: 2.0**-53,
    torch.float32: 2.0**-24,
    torch.bfloat16: 2.0**-8,
    torch.float16: 2.0**-11,
}
"""Half a unit in the last place, of numbers around 1."""

SMALLEST = {torch.float16: 2.0**-24}
"""What the loss of the smallest digits may cost a sum, where that is more than nothing."""

KINDS: dict[str, Callable[[Any], optim.Optimizer]] = {
    "sgd": partial(optim.SGD, lr=2.0**-10),
    "momentum": partial(optim.SGD, lr=2.0**-10, momentum=0.5),
    "sgd-fused": partial(optim.SGD, lr=2.0**-10, fused=True),
    "adamw-fused": partial(optim.AdamW, lr=2.0**-10, weight_decay=0.5, fused=True),
    "adamw": partial(optim.AdamW, lr=2.0**-10, weight_decay=0.5),
}
COUNTS = [0, 1, 2, 3, 7, 64, 100, 4096]
EXACT_COUNTS = [0, 1, 2, 4, 64, 4096]
"""Powers of two: a sum that is multiplied by its count in 16 bits is not rounded by the user."""


@dataclass(slots=True)
class MicroBatch:
    """What one micro-batch deposits, and how often it counts."""

    items: int
    data: dict[int, Tensor]
    """The gradient of each parameter that it reaches, by the parameter's id."""


@dataclass
class Program:
    """One random training program."""

    seed: int
    pending: list[MicroBatch] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    windows: int = 0

    def __post_init__(self) -> None:
        self.random = random = Random(self.seed)
        self.dtype = random.choice(list(ROUND_OFF))
        self.face = random.choice([self.dtype, torch.float32, torch.bfloat16])
        self.reduction = random.choice(["mean", "mean", "sum"])
        self.stated = self.reduction == "sum" or random.random() < 0.7
        self.wide = self.dtype.itemsize == 2 and random.random() < 0.3
        self.limit = random.choice([None, None, None, float("inf"), 0.25, 0.0])
        self.accumulate = random.choice([1, 2, 3, 4, None])
        self.tail = random.choice(["step", "carry", "drop"])
        self.clear = random.choice(["none", "zero"])
        self.parameters = [self._parameter() for _ in range(random.randint(1, 4))]
        kind = random.choice(list(KINDS))
        self.optimizer = KINDS[kind](self.parameters)
        self.gradients = zerograd.Gradients(
            self.optimizer,
            accumulate=self.accumulate,
            reduction=self.reduction,
            tail=self.tail,
            clip_norm=self.limit,
            clear=self.clear,
            accumulate_dtype=torch.float32 if self.wide else None,
            check=random.choice(["auto", "step", "off"]),
            on_step=self.compare,
        )
        self.stranger = nn.Parameter(torch.zeros(WIDTH, dtype=self.dtype))
        self.beside = (
            zerograd.Gradients(optim.SGD([self.stranger], lr=0.1), accumulate=None)
            if random.random() < 0.4
            else None
        )

    def _parameter(self) -> nn.Parameter:
        return nn.Parameter(torch.full((WIDTH,), 0.5, dtype=self.dtype))

    def _data(self) -> Tensor:
        """Draw numbers that every dtype holds exactly."""
        drawn = [self.random.randint(-16, 16) / 8 for _ in range(WIDTH)]
        return torch.tensor(drawn, dtype=torch.float64)

    def run(self) -> None:
        """Train for some epochs, with whatever comes between."""
        for _ in range(self.random.randint(1, 3)):
            self._between_windows()
            stop = self.random.choice([None, None, self.random.randint(0, 6)])
            for index, _ in enumerate(self.gradients.batches(self._loader())):
                if self.gradients.discarded > self.dropped:
                    self.pending.clear()
                self.dropped = self.gradients.discarded
                self._micro_batch()
                self._beside()
                if self.accumulate is None and self.random.random() < 0.4:
                    self.gradients.step()
                if index == stop:
                    break
        if self.gradients.discarded > self.dropped:
            self.pending.clear()
        self.gradients.flush("step")
        self.gradients.close()
        if self.beside is not None:
            self.beside.discard()
        if self.pending:
            self.faults.append(f"{len(self.pending)} micro-batches were never spent")

    dropped = 0

    def _loader(self) -> Any:
        length = self.random.randint(1, 8)
        return range(length) if self.random.random() < 0.5 else _without_length(length)

    def _between_windows(self) -> None:
        """Let a parameter join or be replaced, where no window is open."""
        if self.gradients.accumulate == 1 or not self.pending:
            chance = self.random.random()
            if chance < 0.2:
                joining = self._parameter()
                joining.grad = torch.ones_like(joining)
                self.parameters.append(joining)
                self.optimizer.add_param_group({"params": [joining]})
            elif chance < 0.4:
                new = self._parameter()
                self.optimizer.state.pop(self.parameters[0], None)
                self.optimizer.param_groups[0]["params"][0] = new
                self.parameters[0] = new

    def _micro_batch(self) -> None:
        narrow = torch.finfo(self.face).bits == 16 or self.dtype.itemsize == 2
        counts = EXACT_COUNTS if self.reduction == "sum" and narrow else COUNTS
        items = self.random.choice(counts) if self.stated else 1
        pieces = self.random.choice([1, 1, 2, 3])
        made = [self._piece(items) for _ in range(pieces)]
        data: dict[int, Tensor] = {}
        for _, part in made:
            for key, value in part.items():
                data[key] = data.get(key, torch.zeros(WIDTH, dtype=torch.float64)) + value
        self.pending.append(MicroBatch(items, data))
        self._deposit([loss for loss, _ in made], self._told(items) if self.stated else None)

    def _piece(self, items: int) -> tuple[Tensor, dict[int, Tensor]]:
        """Return a loss and the gradient of its mean."""
        reached = self.random.sample(self.parameters, self.random.randint(1, len(self.parameters)))
        data = {id(parameter): self._data() for parameter in reached}
        terms = [(p * data[id(p)].to(self.dtype)).sum() for p in reached]
        if self.beside is not None:
            terms.append(self.stranger.sum())
        loss = torch.stack(terms).sum().to(self.face)
        if items == 0:
            loss = loss * float("nan")
        elif self.reduction == "sum":
            loss = loss * items
        return loss, data

    def _told(self, items: int) -> Any:
        if self.reduction == "mean":
            return self.random.choice([items, float(items)])
        kinds = [torch.int32, torch.int64, torch.float32, torch.float16]
        small = [torch.uint8, torch.bfloat16] if items <= 100 else []
        return self.random.choice([items, *(torch.tensor(items, dtype=d) for d in kinds + small)])

    def _deposit(self, losses: list[Tensor], items: Any) -> None:
        how = self.random.choice(["block", "more"]) if len(losses) > 1 else "bare"
        if how == "block":
            with self.gradients.micro_batch(items=items):
                for loss in losses:
                    self.gradients.backward(loss)
        else:
            *most, last = losses
            for loss in most:
                self.gradients.backward(loss, items=items, more=True)
                items = None
            self.gradients.backward(last, items=items)

    def _beside(self) -> None:
        """Let another engine deposit now and then, through these parameters too."""
        if self.beside is not None and self.random.random() < 0.5:
            through = sum((p.sum() for p in self.parameters), self.stranger.sum())
            self.beside.backward(through)

    def compare(self, step: Step) -> None:
        """Compare what a window spends with what it must."""
        window, self.pending = self.pending, []
        self.windows += 1
        if step.micro_batches != len(window):
            self.faults.append(f"{step.micro_batches} micro-batches, not {len(window)}")
        items = sum(one.items for one in window)
        if step.applied is (items == 0):
            self.faults.append(f"{items} items, and applied is {step.applied}")
        if items:
            self._compare(window, items)

    def _compare(self, window: list[MicroBatch], items: int) -> None:
        exact, terms = {}, {}
        for parameter in self.parameters:
            reached = [one for one in window if one.items and id(parameter) in one.data]
            shares = [one.data[id(parameter)] * (one.items / items) for one in reached]
            if shares:
                exact[id(parameter)] = torch.stack(shares).sum(0)
                terms[id(parameter)] = torch.stack([share.abs() for share in shares]).sum(0)
            elif parameter.grad is not None:
                self.faults.append("a parameter that no item reached is spent")
        factor = self._clip(list(exact.values()))
        for parameter in self.parameters:
            if id(parameter) in exact:
                self._compare_one(
                    parameter, exact[id(parameter)] * factor, terms[id(parameter)], len(window)
                )

    def _clip(self, grads: list[Tensor]) -> float:
        norm = float(torch.cat(grads).norm())
        return min(1.0, self.limit / norm) if self.limit and norm else 1.0

    def _compare_one(
        self, parameter: nn.Parameter, exact: Tensor, terms: Tensor, deposits: int
    ) -> None:
        """Each deposit is weighted, added and perhaps rescaled: three roundings, each of a term."""
        if parameter.grad is None:
            self.faults.append("a parameter that was reached is not spent")
            return
        unit = ROUND_OFF[torch.float32 if self.wide else self.dtype]
        if self.face is torch.float32:  # the weight is a number of the loss's own dtype
            unit = max(unit, ROUND_OFF[torch.float32])
        bound = (3 * 3 * deposits + 6) * unit * terms.clamp(min=float(exact.abs().max()))
        bound = (
            bound
            + ROUND_OFF[self.dtype] * exact.abs() * 2
            + 3 * deposits * SMALLEST.get(self.dtype, 0.0)
        )
        if self.limit:
            # The norm is off by as much as its largest part, and the factor with it.
            bound = bound + float(bound.max()) * exact.abs() / max(float(exact.abs().max()), 1e-30)
        error = (parameter.grad.double() - exact).abs()
        if not torch.all(error <= bound):
            self.faults.append(
                f"window {self.windows} of {self.dtype}, {self.reduction}: off by "
                f"{float((error - bound).max()):.3g} beyond the bound of {float(bound.max()):.3g}"
            )


def _without_length(length: int) -> Iterator[int]:
    yield from range(length)
