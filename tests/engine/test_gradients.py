"""The engine's face: steps and their figures, clipping, hooks, closures, printing."""

from __future__ import annotations

import copy
import math
import pickle
from threading import Thread
from typing import Any

import pytest
import torch
from engine_cases import (
    ROUND_OFF,
    flat,
    mlp,
    parameters_of,
    same,
    square,
    true_gradient,
    uncancelled_norm,
)
from torch import nn, optim

import zerograd
from zerograd.errors import ArgumentError, LifecycleError


def test_a_step_has_the_norm_of_the_true_gradient_before_clipping() -> None:
    model = mlp()
    gradients = zerograd.Gradients(
        optim.AdamW(model.parameters(), fused=True), accumulate=2, clip_norm=0.01
    )
    samples = [(3, 0), (5, 1)]
    truth = float(flat(true_gradient(model, samples)).norm())
    rounding = ROUND_OFF * uncancelled_norm(model, samples)

    gradients.backward(square(model, 3, 0), items=3)
    step = gradients.backward(square(model, 5, 1), items=5)

    assert step is not None
    assert step.norm == pytest.approx(truth, rel=0, abs=rounding)
    assert step.clipped
    assert (step.micro_batches, step.items, step.applied) == (2, 8, True)


def test_a_norm_that_nothing_needs_is_none() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()))

    step = gradients.backward(square(model, 3, 0))

    assert step is not None
    assert step.norm is None
    assert not step.clipped


def test_an_infinite_limit_only_measures() -> None:
    plain, owned = mlp(), mlp()
    one = zerograd.Gradients(optim.SGD(plain.parameters(), lr=0.1))
    two = zerograd.Gradients(optim.SGD(owned.parameters(), lr=0.1), clip_norm=math.inf)

    one.backward(square(plain, 3, 0))
    step = two.backward(square(owned, 3, 0))

    assert step is not None
    assert step.norm is not None
    assert not step.clipped
    assert same(plain, owned)


def test_several_optimizers_are_clipped_by_one_joint_norm() -> None:
    first, second = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
    gradients = zerograd.Gradients(
        [optim.SGD([first], lr=1.0), optim.SGD([second], lr=1.0, fused=True)], clip_norm=1.0
    )

    step = gradients.backward((first * 3 + second * 4).sum())

    assert step is not None
    assert step.norm == 5.0
    assert (first.item(), second.item()) == pytest.approx((-0.6, -0.8))


def test_several_optimizers_can_each_have_their_limit() -> None:
    first, second = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
    gradients = zerograd.Gradients(
        [optim.SGD([first], lr=1.0), optim.SGD([second], lr=1.0)], clip_norm=[1.0, 10.0]
    )

    step = gradients.backward((first * 3 + second * 4).sum())

    assert step is not None
    assert (step.norms, step.norm) == ((3.0, 4.0), 5.0)
    assert (first.item(), second.item()) == (-1.0, -4.0)


@pytest.mark.parametrize("fused", [False, True])
def test_clip_value_bounds_the_true_gradient(fused: bool) -> None:
    weight = nn.Parameter(torch.zeros(2))
    gradients = zerograd.Gradients(
        optim.SGD([weight], lr=1.0, fused=fused), accumulate=2, clip_value=0.5
    )

    gradients.backward((weight * torch.tensor([0.2, -4.0])).sum())
    gradients.backward((weight * torch.tensor([0.4, -4.0])).sum())

    assert weight.tolist() == pytest.approx([-0.3, 0.5])


@pytest.mark.parametrize("fused", [False, True])
def test_a_transform_sees_true_gradients_before_the_clip(fused: bool) -> None:
    weight = nn.Parameter(torch.zeros(1))
    seen = []

    def double(parameters: list[torch.Tensor]) -> None:
        (parameter,) = parameters
        assert parameter.grad is not None
        seen.append(parameter.grad.item())
        parameter.grad = parameter.grad * 2

    gradients = zerograd.Gradients(
        optim.SGD([weight], lr=1.0, fused=fused), accumulate=2, clip_norm=1.5, transform=double
    )

    gradients.backward(weight.sum())
    step = gradients.backward(weight.sum())

    assert seen == [1.0]
    assert step is not None
    assert step.norm == 2.0
    assert weight.item() == -1.5


def test_arithmetic_on_gradients_in_transform_is_not_recorded() -> None:
    weight = nn.Parameter(torch.ones(1))
    seen = []

    def decay(parameters: list[torch.Tensor]) -> None:
        (parameter,) = parameters
        assert parameter.grad is not None
        parameter.grad += 0.5 * parameter
        seen.append(parameter.grad.requires_grad)

    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0), clip_norm=9.0, transform=decay)

    step = gradients.backward(weight.sum())

    assert step is not None
    assert (step.norm, seen, weight.item()) == (1.5, [False], -0.5)


def test_arithmetic_on_parameters_in_on_step_is_not_recorded() -> None:
    weight = nn.Parameter(torch.zeros(1))
    average = torch.zeros(1)
    gradients = zerograd.Gradients(
        optim.SGD([weight], lr=1.0), on_step=lambda _: average.lerp_(weight, 0.5)
    )

    gradients.backward(weight.sum())

    assert (average.item(), average.requires_grad) == (-0.5, False)


def test_on_step_runs_after_the_step_and_before_the_clear() -> None:
    weight = nn.Parameter(torch.zeros(1))
    seen: list[Any] = []
    gradients = zerograd.Gradients(
        optim.SGD([weight], lr=1.0),
        on_step=lambda step: seen.append((weight.item(), weight.grad.item(), step.index)),  # type: ignore[union-attr]
    )

    gradients.backward(weight.sum())

    assert seen == [(-1.0, 1.0, 1)]
    assert weight.grad is None


def test_an_on_step_that_raises_leaves_a_closed_window() -> None:
    weight = nn.Parameter(torch.zeros(1))

    def fail(_: object) -> None:
        raise KeyError

    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0), on_step=fail)

    with pytest.raises(KeyError):
        gradients.backward(weight.sum())

    assert (weight.item(), weight.grad) == (-1.0, None)
    assert (gradients.steps, gradients.discarded) == (1, 0)


COPIES: dict[str, Any] = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickle.dumps}


@pytest.mark.parametrize("way", COPIES)
def test_an_engine_is_not_copied(way: str) -> None:
    gradients = zerograd.Gradients(optim.SGD(mlp().parameters()))

    with pytest.raises(ArgumentError) as refused:
        COPIES[way](gradients)

    assert str(refused.value) == (
        "an engine cannot be copied or pickled: a second one would own the same gradients; save "
        "gradients.state_dict(), or use zerograd.checkpoint(path, gradients, model=model)"
    )


def test_engines_in_two_threads_do_not_disturb_each_other() -> None:
    # Made here: torch's generator is shared by all threads.
    alone, together = [mlp(), mlp()], [mlp(), mlp()]

    def train(seed: int, model: nn.Module) -> None:
        gradients = zerograd.Gradients(optim.SGD(model.parameters(), lr=0.01), accumulate=3)
        for step in range(60):
            gradients.backward(square(model, 4, seed + step), items=4)

    for seed in (0, 1):
        train(seed, alone[seed])
    threads = [Thread(target=train, args=(seed, together[seed])) for seed in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert same(alone[0], together[0])
    assert same(alone[1], together[1])


def test_a_compiled_model_trains_under_an_engine() -> None:
    plain, compiled = mlp(), mlp()
    one = zerograd.Gradients(optim.AdamW(plain.parameters()), accumulate=2)
    two = zerograd.Gradients(optim.AdamW(compiled.parameters()), accumulate=2)
    forward = torch.compile(compiled, backend="eager")

    for seed in range(4):
        one.backward(square(plain, 3, seed))
        two.backward(square(forward, 3, seed))  # type: ignore[arg-type]

    assert same(plain, compiled)


def test_lbfgs_is_the_plain_closure_loop_bit_for_bit() -> None:
    plain, owned = mlp(), mlp()
    optimizer = optim.LBFGS(plain.parameters(), max_iter=5)
    gradients = zerograd.Gradients(optim.LBFGS(owned.parameters(), max_iter=5), accumulate=None)

    def naked() -> torch.Tensor:
        optimizer.zero_grad()
        loss = square(plain, 6, 0)
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()  # what LBFGS of torch 2.8 reads with a warning else

    for _ in range(3):
        optimizer.step(naked)  # type: ignore[no-untyped-call]
        gradients.step(lambda: gradients.backward(square(owned, 6, 0), items=6))

    assert same(plain, owned)
    assert gradients.steps == 3


def test_lbfgs_over_micro_batches_is_lbfgs_over_the_whole_batch() -> None:
    whole, split = mlp(torch.float64), mlp(torch.float64)
    one = zerograd.Gradients(optim.LBFGS(whole.parameters()), accumulate=None)
    two = zerograd.Gradients(optim.LBFGS(split.parameters()), accumulate=None)
    inputs, targets = torch.randn(9, 3).double(), torch.randn(9, 2).double()

    def loss(model: nn.Module, rows: slice) -> torch.Tensor:
        return nn.functional.mse_loss(model(inputs[rows]), targets[rows])

    def parts() -> None:
        two.backward(loss(split, slice(0, 2)), items=2)
        two.backward(loss(split, slice(2, 9)), items=7)

    one.step(lambda: one.backward(loss(whole, slice(0, 9)), items=9))
    two.step(parts)

    assert all(map(torch.allclose, parameters_of(whole), parameters_of(split)))


def test_a_closure_needs_windows_closed_by_hand() -> None:
    gradients = zerograd.Gradients(optim.SGD(mlp().parameters()))

    with pytest.raises(ArgumentError) as refused:
        gradients.step(lambda: None)

    assert str(refused.value) == (
        "step(closure) is for one optimizer whose windows are closed by hand; write "
        "zerograd.Gradients(optimizer, accumulate=None)"
    )


def test_a_closure_without_backward_is_refused() -> None:
    gradients = zerograd.Gradients(optim.LBFGS(mlp().parameters()), accumulate=None)

    with pytest.raises(LifecycleError, match="ZG301 step-without-backward: the closure deposited"):
        gradients.step(lambda: None)


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
def test_retain_graph_and_create_graph_reach_the_backward() -> None:
    weight = nn.Parameter(torch.ones(1))
    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0), accumulate=None)
    loss = weight.square().sum()

    gradients.backward(loss, retain_graph=True)
    gradients.backward(loss, create_graph=True)

    assert weight.grad is not None
    assert weight.grad.requires_grad
    gradients.discard()


def test_truth_of_a_step_is_that_the_window_closed() -> None:
    weight = nn.Parameter(torch.zeros(1))
    gradients = zerograd.Gradients(optim.SGD([weight]), accumulate=2)

    closed = [bool(gradients.backward(weight.sum())) for _ in range(4)]

    assert closed == [False, True, False, True]


def test_steps_print_what_they_know() -> None:
    weight = nn.Parameter(torch.zeros(1))
    gradients = zerograd.Gradients(
        optim.SGD([weight], lr=1.0, fused=True), clip_norm=0.5, nonfinite="skip"
    )

    first = gradients.backward(weight.sum(), items=3)
    second = gradients.backward(weight.sum() * 0.25, items=1)
    third = gradients.backward(weight.sum() * math.nan)

    assert repr(first) == "Step(1: 1 micro-batch, 3 items, norm 1 clipped)"
    assert repr(second) == "Step(2: 1 micro-batch, 1 item, norm 0.25)"
    assert repr(third) == "Step(3: 1 micro-batch, norm nan, skipped)"


def test_engines_print_where_they_stand() -> None:
    weight = nn.Parameter(torch.zeros(1))
    gradients = zerograd.Gradients(optim.AdamW([weight]), accumulate=4, clip_norm=1.0)
    fresh = repr(gradients)
    gradients.backward(weight.sum())
    opened = repr(gradients)
    gradients.discard()

    assert fresh == "Gradients(AdamW, accumulate=4, clip_norm=1.0, window closed, 0 steps)"
    assert opened == "Gradients(AdamW, accumulate=4, clip_norm=1.0, 1 micro-batch open, 0 steps)"
    assert repr(gradients).endswith("0 steps, 1 discarded)")
