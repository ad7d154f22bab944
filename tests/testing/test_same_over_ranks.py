"""A parallel step is compared with the single process, and what differs first is named."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.distributed as dist
from sharding import fully_shard
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.nn.functional import mse_loss
from torch.nn.parallel import DistributedDataParallel

import zerograd
from zerograd.errors import ArgumentError
from zerograd.testing import assert_same_gradients, ranks


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


def halves() -> tuple[Tensor, Tensor]:
    inputs, targets = batch()
    return inputs[:8], targets[:8]


def reduced(parameters: list[nn.Parameter], divisor: int) -> None:
    for parameter in parameters:
        assert parameter.grad is not None
        dist.all_reduce(parameter.grad.div_(divisor))


def undivided(model: nn.Module, part: Any) -> None:
    torch.autograd.backward(mse(model, part))
    reduced(list(model.parameters()), 1)


def without_the_last(model: nn.Module, part: Any) -> None:
    torch.autograd.backward(mse(model, part))
    reduced(list(model.parameters())[:-1], 2)


def same_rows(model: nn.Module, part: Any) -> None:
    """A sampler that was not told its rank."""
    for tensor in part:
        dist.broadcast(tensor, 0)
    unweighted(model, part)


def by_columns(model: nn.Module, part: Any, *, reduces: bool = True) -> None:
    """Each rank holds half of the hidden units, and sees the whole batch."""
    inputs, targets = (everywhere(tensor) for tensor in part)
    first, last = model[0], model[2]  # type: ignore[index]
    own = slice(4 * dist.get_rank(), 4 * dist.get_rank() + 4)
    hidden = torch.tanh(inputs @ first.weight[own].t() + first.bias[own])
    outputs = hidden @ last.weight[:, own].t()
    total = outputs.detach().clone()
    if reduces:
        dist.all_reduce(total)
    outputs = outputs + (total - outputs.detach()) + last.bias
    torch.autograd.backward(mse_loss(outputs, targets))
    reduced([first.weight, first.bias, last.weight], 1)


def by_unreduced_columns(model: nn.Module, part: Any) -> None:
    by_columns(model, part, reduces=False)


def everywhere(tensor: Tensor) -> Tensor:
    parts = [torch.empty_like(tensor) for _ in range(2)]
    dist.all_gather(parts, tensor.contiguous())
    return torch.cat(parts)


def wait_on_rank_zero(model: nn.Module, part: Any) -> None:
    del model, part
    if dist.get_rank() == 0:
        dist.barrier()


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
    assert "All ranks hold the same, and it is no multiple of the true gradient" in str(
        caught.value
    )


def test_a_sum_of_the_ranks_means_is_told() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_same_gradients(mlp(), mse, halves(), ranks=2, step=undivided)

    assert "0.weight differs first, on rank 0, by 0.5 " in str(caught.value)
    assert str(caught.value).endswith(
        "All ranks hold 2 times the true gradient: the ranks' means were summed and not averaged; "
        "divide by the 2 ranks, as DDP does."
    )


def test_rows_that_every_rank_sees_are_told() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_same_gradients(mlp(), mse, halves(), ranks=2, step=same_rows)

    assert "0.weight differs first, on rank 0" in str(caught.value)
    assert str(caught.value).endswith(
        "All ranks hold the same, and it is no multiple of the true gradient: weight each rank's "
        "loss by its share of the items; let every row go to one rank; and reduce the activations "
        "that ranks hold in parts."
    )


def test_a_tensor_parallel_step_gives_the_gradient_of_the_whole_batch() -> None:
    assert_same_gradients(mlp(), mse, halves(), ranks=2, step=by_columns)


def test_a_tensor_parallel_step_without_its_all_reduce_is_told() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_same_gradients(mlp(), mse, halves(), ranks=2, step=by_unreduced_columns)

    assert "0.weight differs first, on rank 0" in str(caught.value)
    assert "reduce the activations that ranks hold in parts" in str(caught.value)


def test_a_parameter_that_is_left_out_of_the_reduction_is_the_one_named() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_same_gradients(mlp(), mse, halves(), ranks=2, step=without_the_last)

    assert "2.bias differs first, on rank 0" in str(caught.value)


def test_a_rank_that_waits_for_one_that_is_done_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranks, "PATIENCE", 1.0)

    with pytest.raises(AssertionError) as caught:
        assert_same_gradients(mlp(), mse, halves(), ranks=2, step=wait_on_rank_zero)

    assert str(caught.value).startswith("rank 0 is stuck after 1 s while ")
    assert str(caught.value).endswith(
        ": let all ranks make the same collective calls in the same order"
    )


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
