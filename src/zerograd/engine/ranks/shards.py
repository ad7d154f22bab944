"""Spend shards: compute norms over all meshes, and decide alike on all ranks whether to step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor

from zerograd.engine import nonfinite, norms
from zerograd.engine.deposit import EngineDeposits
from zerograd.engine.spend import Spending
from zerograd.errors import NonFiniteError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from zerograd.engine.books import EngineBooks
    from zerograd.engine.options import EngineOptions
    from zerograd.engine.ranks.fsdp import Sharded


class ShardedDeposits(EngineDeposits):
    """Runs backwards that leave something in `.grad` only where they are reduced."""

    shows = False

    def __init__(self, books: EngineBooks, options: EngineOptions, wrapper: Sharded) -> None:
        super().__init__(books, only_own=False, lenient=options.check == "off")
        self._wrapper = wrapper

    def _leaves(self) -> Sequence[Tensor]:
        """Return the whole parameters: hooks on a shard hear of no backward."""
        return self._wrapper.leaves()

    def _deposited(self, *, first: bool) -> None:
        """See that the loss reached the optimizers, as soon as it shows."""
        del first
        super()._deposited(first=self._wrapper.reduces())


class ShardedSpending(Spending):
    """Spends accounts of which each rank holds a part."""

    def __init__(self, books: EngineBooks, options: EngineOptions, wrapper: Sharded) -> None:
        super().__init__(books, options)
        self._wrapper = wrapper

    def _values(self, parameters: Sequence[Tensor]) -> list[Tensor]:
        """Return this rank's parts, which arithmetic in place reaches."""
        grads = [parameter.grad for parameter in parameters]
        return [local(grad) for grad in grads if grad is not None]

    def _norm(self, parameters: Sequence[Tensor], grads: list[Tensor]) -> Tensor:
        """Return the joint norm: squares are summed over the ranks that hold other parts."""
        del grads
        apart: dict[tuple[Any, tuple[int, ...]], list[Tensor]] = {}
        for parameter in parameters:
            if parameter.grad is not None:
                apart.setdefault(_spread(parameter.grad), []).append(local(parameter.grad))
        squares = []
        for (mesh, dimensions), members in apart.items():
            square = norms.total_norm(members).double().square().to(self._wrapper.device)
            for dimension in dimensions:
                dist.all_reduce(square, group=mesh.get_group(dimension))
            squares.append(square)
        total: Tensor = (
            torch.stack(squares).sum().sqrt() if squares else torch.zeros((), dtype=torch.float32)
        )
        return total.float()

    def _look(self, grads: list[Tensor], step: Any) -> Tensor | None:
        """Return one verdict: a rank whose part is finite must do what the others do."""
        found = nonfinite.look(grads, self._one).to(self._wrapper.device)
        for group in self._wrapper.holders:
            dist.all_reduce(found, op=dist.ReduceOp.MAX, group=group)
        if self.raising is None:
            return found
        if found.item():
            raise self._blame(step.index)
        return None

    def _blame(self, window: int) -> NonFiniteError:
        accounts = self._books.accounts
        holders = [p for p in accounts.parameters if p.grad is not None]
        bad = [p for p in holders if not local(p.grad).isfinite().all()]
        names = [accounts.name(parameter) for parameter in bad[: nonfinite.SHOWN]]
        return NonFiniteError(
            f"window {window} has gradients that are not finite, and was not applied: "
            f"{', '.join(names) or 'in the parts of another rank'}; lower the learning rate, clip, "
            "or pass nonfinite='skip'"
        )


def local(grad: Any) -> Tensor:
    """Return the part of a gradient that this rank holds."""
    found: Tensor = grad.to_local() if isinstance(grad, DTensor) else grad
    return found


def like(parameter: Any, held: Tensor | None) -> Tensor | None:
    """Return a part as a gradient of this parameter."""
    if held is None or not isinstance(parameter, DTensor):
        return held
    mesh, placed = parameter.device_mesh, parameter.placements
    shape, stride = parameter.shape, parameter.stride()
    return DTensor.from_local(held, mesh, placed, run_check=False, shape=shape, stride=stride)


def _spread(grad: Tensor) -> tuple[Any, tuple[int, ...]]:
    """Return the mesh and those of its dimensions over which the parts differ."""
    if not isinstance(grad, DTensor):
        return None, ()
    # Under tensor parallelism a shard of a shard has a class of its own, which is no `Shard`.
    apart = [d for d, how in enumerate(grad.placements) if not how.is_replicate()]
    return grad.device_mesh, tuple(apart)
