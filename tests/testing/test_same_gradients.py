"""What breaks the equality is named, and its correct twin passes."""

from __future__ import annotations

import unittest
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from zerograd.errors import ArgumentError
from zerograd.testing import assert_same_gradients

IGNORED = -100


class Batch(NamedTuple):
    inputs: Tensor
    targets: Tensor


def regression() -> Batch:
    torch.manual_seed(0)
    return Batch(torch.randn(9, 4), torch.randn(9, 1))


def classification() -> Batch:
    torch.manual_seed(0)
    labels = torch.tensor([0, 1, 2, IGNORED, IGNORED, IGNORED, IGNORED, 2, 1])
    return Batch(torch.randn(9, 4), labels)


def mlp(*between: nn.Module, out: int = 1) -> nn.Module:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(4, 8), *between, nn.Linear(8, out))


def mse(model: nn.Module, part: Batch) -> Tensor:
    return functional.mse_loss(model(part.inputs), part.targets)


def in_fp32(model: nn.Module, part: Batch) -> Tensor:
    return functional.mse_loss(model(part.inputs).float(), part.targets.float())


def summed(model: nn.Module, part: Batch) -> Tensor:
    return functional.mse_loss(model(part.inputs), part.targets, reduction="sum")


def cross_entropy(model: nn.Module, part: Batch) -> Tensor:
    return functional.cross_entropy(model(part.inputs), part.targets)


def labelled(part: Batch) -> float:
    return float((part.targets != IGNORED).sum())


def in_batch_negatives(model: nn.Module, part: Batch) -> Tensor:
    embedded = functional.normalize(model(part.inputs), dim=1)
    return functional.cross_entropy(embedded @ embedded.T / 0.1, torch.arange(len(embedded)))


def noisy(model: nn.Module, part: Batch) -> Tensor:
    return functional.mse_loss(model(part.inputs) + torch.randn_like(part.targets), part.targets)


def refusal(model: nn.Module, loss_fn: Any, batch: Any, **arguments: Any) -> str:
    with pytest.raises(AssertionError) as caught:
        assert_same_gradients(model, loss_fn, batch, **arguments)
    return str(caught.value)


def test_a_mean_over_rows_may_be_split_in_any_way() -> None:
    splits = (2, 3, 9, [1, 8], [2, 3, 4])

    assert_same_gradients(mlp(nn.Tanh()), mse, regression(), splits)


def test_batch_norm_is_named_with_what_to_do() -> None:
    text = refusal(mlp(nn.BatchNorm1d(8)), mse, regression(), splits=[5, 4])

    first, *_, reason, remedy = text.splitlines()
    assert first == (
        "9 rows as 5 + 4 do not give the gradient of the whole batch: batch statistics"
    )
    assert reason == (
        "1 (BatchNorm1d) normalises by the rows it sees together; with it in eval mode the "
        "gradients are the same."
    )
    assert remedy == "Use GroupNorm or LayerNorm, or freeze it with .eval() while you accumulate."


def test_a_part_that_cannot_be_run_is_noted_in_the_error() -> None:
    with pytest.raises(ValueError, match="Expected more than 1 value per channel") as caught:
        assert_same_gradients(mlp(nn.BatchNorm1d(8)), mse, regression(), [1, 8])

    assert caught.value.__notes__ == ["raised by a part of 1 rows, while the whole batch went well"]


def test_group_norm_passes() -> None:
    assert_same_gradients(mlp(nn.GroupNorm(2, 8)), mse, regression())


def test_batch_norm_in_eval_mode_passes() -> None:
    assert_same_gradients(mlp(nn.BatchNorm1d(8)).eval(), mse, regression())


def test_the_message_lists_every_parameter_that_differs_the_worst_first() -> None:
    text = refusal(mlp(), summed, regression(), splits=2)

    header, *rows = text.split("\n\n")[1].splitlines()
    assert header.split()[:3] == ["parameter", "largest", "relative"]
    assert {row.split()[0] for row in rows} == {"0.weight", "0.bias", "1.weight", "1.bias"}
    assert sorted((float(row.split()[2]) for row in rows), reverse=True) == [
        float(row.split()[2]) for row in rows
    ]


def test_dropout_is_named() -> None:
    text = refusal(mlp(nn.Dropout()), mse, regression())

    assert text.splitlines()[0].endswith(": random numbers")
    assert "1 (Dropout) draws random numbers, and parts draw others than the whole" in text


def test_dropout_in_eval_mode_passes() -> None:
    assert_same_gradients(mlp(nn.Dropout()).eval(), mse, regression())


def test_batch_norm_and_dropout_together_are_both_named() -> None:
    text = refusal(mlp(nn.BatchNorm1d(8), nn.Dropout()), mse, regression())

    assert text.splitlines()[0].endswith(": batch statistics and random numbers")
    assert "1 (BatchNorm1d)" in text
    assert "2 (Dropout)" in text


def test_random_numbers_in_the_loss_are_named() -> None:
    text = refusal(mlp(), noisy, regression())

    assert "The model or the loss draws random numbers" in text


def test_a_mean_over_labels_that_is_counted_in_rows_is_named() -> None:
    text = refusal(mlp(nn.Tanh(), out=3), cross_entropy, classification(), splits=[5, 4])

    assert text.splitlines()[0].endswith(": unequal parts")
    assert "the parts were weighted 0.556, 0.444, and would add up with 0.6, 0.4" in text


def test_a_mean_over_labels_that_is_counted_in_labels_passes() -> None:
    model = mlp(nn.Tanh(), out=3)

    assert_same_gradients(model, cross_entropy, classification(), splits=[5, 4], items=labelled)


def test_a_part_without_items_is_not_run() -> None:
    model = mlp(nn.Tanh(), out=3)

    assert_same_gradients(model, cross_entropy, classification(), [3, 4, 2], items=labelled)


def test_a_loss_that_sums_is_named() -> None:
    text = refusal(mlp(), summed, regression())

    assert text.splitlines()[-1] == 'Pass reduction="sum".'


def test_a_loss_that_sums_and_says_so_passes() -> None:
    assert_same_gradients(mlp(), summed, regression(), reduction="sum")


def test_a_mean_that_is_called_a_sum_is_named() -> None:
    text = refusal(mlp(), mse, regression(), reduction="sum")

    assert text.splitlines()[-1] == 'Pass reduction="mean".'


def test_in_batch_negatives_are_named() -> None:
    text = refusal(nn.Linear(4, 6), in_batch_negatives, regression())

    assert text.splitlines()[0].endswith(": coupled samples")
    assert "no weights make them add up; in-batch negatives" in text


def test_state_that_one_forward_leaves_for_the_next_is_named() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.utils.spectral_norm(nn.Linear(4, 8)), nn.Tanh(), nn.Linear(8, 1))

    text = refusal(model, mse, regression())

    assert "Each forward changes what the next one reads: 0.weight_u, 0.weight_v." in text


def test_model_gradients_buffers_and_generators_are_left_as_they_were() -> None:
    model, batch = mlp(nn.BatchNorm1d(8), nn.Dropout()), regression()
    mse(model, batch).backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
    grads = [(p.grad, p.grad.clone()) for p in model.parameters() if p.grad is not None]
    buffers = [(buffer, buffer.clone()) for buffer in model.buffers()]
    generator = torch.get_rng_state()

    refusal(model, mse, batch)

    now = [p.grad for p in model.parameters()]
    assert all(new is old for new, (old, _) in zip(now, grads, strict=True))
    assert all(torch.equal(old, copy) for old, copy in [*grads, *buffers])
    assert all(new is old for new, (old, _) in zip(model.buffers(), buffers, strict=True))
    assert torch.equal(torch.get_rng_state(), generator)
    assert all(module.training for module in model.modules())


def test_a_batch_is_any_nest_of_tensors() -> None:
    inputs, targets = regression()
    batch = {"pair": [inputs, {"targets": targets}], "names": list("abcdefghi"), "scale": 2.0}

    def loss(model: nn.Module, part: Any) -> Tensor:
        assert len(part["names"]) == len(part["pair"][0])
        targets: Tensor = part["pair"][1]["targets"]
        return functional.mse_loss(part["scale"] * model(part["pair"][0]), targets)

    assert_same_gradients(mlp(), loss, batch, 3)


def test_a_sparse_embedding_and_an_unused_layer_pass() -> None:
    class Bag(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rows = nn.Embedding(5, 3, sparse=True)
            self.unused = nn.Linear(3, 3)

        def forward(self, tokens: Tensor) -> Tensor:
            embedded: Tensor = self.rows(tokens)
            return embedded.square().mean()

    assert_same_gradients(Bag(), lambda model, part: model(part), torch.arange(8) % 5)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_the_tolerance_follows_the_dtype(dtype: torch.dtype) -> None:
    inputs, targets = regression()

    def squared(model: nn.Module, part: Batch) -> Tensor:  # torch 2.5 has no mse_loss of bf16
        loss: Tensor = (model(part.inputs) - part.targets).square().mean()
        return loss

    batch = Batch(inputs.to(dtype), targets.to(dtype))
    assert_same_gradients(mlp(nn.Tanh()).to(dtype), squared, batch)


def test_round_off_of_autocast_is_no_difference() -> None:
    inputs, targets = torch.randn(32, 4), torch.randn(32, 1)

    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert_same_gradients(mlp(nn.Tanh()), in_fp32, Batch(inputs, targets), (2, [1, 31], 32))


def test_a_cause_is_found_under_autocast_too() -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        text = refusal(mlp(nn.BatchNorm1d(8)), mse, regression())

    assert text.splitlines()[0].endswith(": batch statistics")


def test_a_loss_that_insists_on_its_dtype_is_examined_as_it_is() -> None:
    scale = torch.ones(4, 4)

    def loss(model: nn.Module, part: Batch) -> Tensor:
        return functional.mse_loss(model(part.inputs @ scale), part.targets)

    assert (
        refusal(mlp(nn.BatchNorm1d(8)), loss, regression())
        .splitlines()[0]
        .endswith(": batch statistics")
    )


def test_a_loss_that_does_not_reach_the_model_is_refused() -> None:
    other = mlp()

    with pytest.raises(ArgumentError, match="the loss does not reach the model; compute it from"):
        assert_same_gradients(mlp(), lambda _, part: mse(other, part), regression())


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            {"splits": 10},
            "a batch of 9 rows cannot be split into 10 parts; choose 2 to 9",
        ),
        (
            {"splits": [2, 4]},
            (
                "splits=[2, 4] adds up to 6, and the batch has 9 rows; give sizes of 1 or more "
                "that add up to it, or several splits as a tuple"
            ),
        ),
        (
            {"reduction": "none"},
            "reduction is one of 'mean', 'sum', got 'none'",
        ),
        (
            {"items": lambda _: 3},
            (
                "items counts 3 in the whole batch and 6 in its parts; count what the loss is a "
                "mean over, row by row"
            ),
        ),
    ],
)
def test_an_argument_that_cannot_be_used_is_refused(arguments: Any, text: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        assert_same_gradients(mlp(), mse, regression(), **arguments)

    assert str(caught.value) == text


def test_tensors_that_disagree_in_rows_are_refused() -> None:
    with pytest.raises(ArgumentError, match="the tensors of batch have 4 and 9 rows; pass ones"):
        assert_same_gradients(mlp(), mse, Batch(torch.randn(9, 4), torch.randn(4, 1)))


def test_a_loss_that_is_no_number_is_refused() -> None:
    with pytest.raises(ArgumentError, match="returns a loss of one number that depends on"):
        assert_same_gradients(mlp(), lambda model, part: model(part.inputs), regression())


class InUnittest(unittest.TestCase):
    def test_it_works_in_a_unittest(self) -> None:
        with self.assertRaisesRegex(AssertionError, "batch statistics"):  # noqa: PT027  unittest's way
            assert_same_gradients(mlp(nn.BatchNorm1d(8)), mse, regression())
