"""A parallel step is compared with the single process, and what differs first is named."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.functional import mse_loss
from torch.nn.parallel import DistributedDataParallel

import zerograd
from zerograd.errors import ArgumentError
from zerograd.testing import assert_same_gradients


def mlp() -> nn.Module:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))


def batch() -> tuple[Tensor, Tensor]:
    torch.manual_seed(0)
    return torch.randn(9, 4), torch.randn(9, 1)


def mse(model: nn.Module, part: Any) -> Tensor:
    return mse_loss(model(part[0]), part[1])


def unreduced(model: nn.Module, part: Any) -> None:
    DistributedDataParallel(model)
    torch.autograd.backward(mse(model, part))


def unweighted(model: nn.Module, part: Any) -> None:
    wrapped = DistributedDataParallel(model)
    torch.autograd.backward(mse(wrapped, part))


def by_engine(model: nn.Module, part: Any) -> None:
    wrapped = DistributedDataParallel(model)
    spent: list[Any] = []
    gradients = zerograd.Gradients(
        torch.optim.SGD(wrapped.parameters(), lr=0.0),
        model=wrapped,
        transform=lambda parameters: spent.extend(p.grad for p in parameters),
    )
    gradients.backward(mse(wrapped, part), items=len(part[1]))
    for parameter, grad in zip(model.parameters(), spent, strict=True):
        parameter.grad = grad


def by_shards(model: nn.Module, part: Any) -> None:
    fully_shard(model, mesh=init_device_mesh("cpu", (2,)))
    torch.autograd.backward(mse(model, part))


def fail(model: nn.Module, part: Any) -> None:
    del model
    if len(part[1]) == 4:
        raise LookupError("no such column")


@pytest.mark.parametrize("split", [None, [2, 7]], ids=["halves", "unequal"])
def test_ddp_gives_the_gradient_of_the_whole_batch(split: Any) -> None:
    assert_same_gradients(mlp(), mse, batch(), split, ranks=2)


def test_the_engine_gives_the_gradient_of_the_whole_batch() -> None:
    assert_same_gradients(mlp(), mse, batch(), [2, 7], ranks=2, step=by_engine)


def test_shards_of_equal_batches_give_the_gradient_of_the_whole_batch() -> None:
    inputs, targets = batch()

    assert_same_gradients(mlp(), mse, (inputs[:8], targets[:8]), ranks=2, step=by_shards)


def test_a_step_that_nothing_reduces_is_told_with_its_first_parameter() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_same_gradients(mlp(), mse, batch(), ranks=2, step=unreduced)

    assert str(caught.value).startswith(
        "2 ranks with 5 + 4 rows do not give the gradient of the whole batch in one process: "
        "0.weight differs first, on rank 0, by "
    )
    assert "The ranks hold different gradients of it, so that nothing reduced them" in str(
        caught.value
    )


def test_a_mean_of_means_over_unequal_ranks_is_told() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_same_gradients(mlp(), mse, batch(), [2, 7], ranks=2, step=unweighted)

    assert "0.weight differs first, on rank 0" in str(caught.value)
    assert "All ranks hold the same, nearest to " in str(caught.value)


def test_a_rank_that_raises_is_heard() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_same_gradients(mlp(), mse, batch(), ranks=2, step=fail)

    assert str(caught.value).startswith("rank 1 raised\n")
    assert "LookupError: no such column" in str(caught.value)


def test_parts_for_other_ranks_are_refused() -> None:
    with pytest.raises(ArgumentError) as caught:
        assert_same_gradients(mlp(), mse, batch(), [2, 3, 4], ranks=2)

    assert str(caught.value) == "splits=[2, 3, 4] is 3 parts for 2 ranks; give one each"


def test_a_step_without_ranks_is_refused() -> None:
    with pytest.raises(ArgumentError) as caught:
        assert_same_gradients(mlp(), mse, batch(), step=unweighted)

    assert str(caught.value) == "step= is what each rank runs; pass ranks=2 with it"
