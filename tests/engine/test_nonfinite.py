"""Gradients that are inf or NaN: propagated, skipped or raised; and the loss scaler."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from engine_cases import mean_square, mlp, parameters_of, same, square
from torch import nn, optim
from torch.optim.lr_scheduler import StepLR

import zerograd
from zerograd.engine import nonfinite
from zerograd.errors import NonFiniteError

KERNELS: dict[str, Any] = {
    "sgd": lambda p: optim.SGD(p, lr=0.1, momentum=0.9),
    "sgd-fused": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, fused=True),
    "adamw": lambda p: optim.AdamW(p, lr=0.1),
    "adamw-fused": lambda p: optim.AdamW(p, lr=0.1, fused=True),
    "rmsprop": lambda p: optim.RMSprop(p, lr=0.1),
}


@pytest.mark.parametrize("clip", [None, 1.0])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_skipped_step_changes_nothing(kernel: str, clip: float | None) -> None:
    plain, owned = mlp(), mlp()
    one = zerograd.Gradients(KERNELS[kernel](plain.parameters()), clip_norm=clip)
    two = zerograd.Gradients(KERNELS[kernel](owned.parameters()), clip_norm=clip, nonfinite="skip")

    for seed in range(4):
        one.backward(mean_square(plain, 4, seed))
        two.backward(mean_square(owned, 4, seed))
        two.backward(mean_square(owned, 4, seed) * math.nan)

    assert same(plain, owned)
    assert (two.steps, two.skipped) == (8, 4)


def test_complex_gradients_that_are_nan_are_skipped() -> None:
    parameter = nn.Parameter(torch.ones(2, dtype=torch.complex64))
    gradients = zerograd.Gradients(optim.SGD([parameter], lr=1.0), nonfinite="skip")

    gradients.backward(parameter.imag.sum())
    gradients.backward(parameter.imag.sum() * math.nan)

    assert gradients.skipped == 1
    assert parameter.tolist() == [1 - 1j, 1 - 1j]


def test_complex_gradients_that_are_nan_are_raised_by_name() -> None:
    parameter = nn.Parameter(torch.ones(2, dtype=torch.complex64))
    gradients = zerograd.Gradients(optim.SGD([parameter], lr=1.0), nonfinite="raise")

    with pytest.raises(NonFiniteError, match=r"parameter 0 of SGD, shape \(2,\) \(nan\)"):
        gradients.backward(parameter.imag.sum() * math.nan)


def test_propagate_lets_nan_through() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters(), lr=0.1))

    step = gradients.backward(square(model, 4, 0) * math.nan)

    assert step is not None
    assert step.applied
    assert all(torch.isnan(parameter).any() for parameter in model.parameters())


@pytest.mark.parametrize("kernel", KERNELS)
def test_raise_names_the_parameters_at_once_and_applies_nothing(kernel: str) -> None:
    model = mlp()
    before = parameters_of(model)
    gradients = zerograd.Gradients(
        KERNELS[kernel](model.parameters()), nonfinite="raise", model=model
    )
    bad = (model.get_parameter("2.weight") * torch.inf).sum() + square(model, 3, 0)

    with pytest.raises(NonFiniteError) as raised:
        gradients.backward(bad)

    assert str(raised.value) == (
        "window 1 has gradients that are not finite, and was not applied: 2.weight (inf); "
        "lower the learning rate, clip, or pass nonfinite='skip'"
    )
    assert all(map(torch.equal, before, parameters_of(model)))
    assert gradients.discarded == 1


def test_an_engine_goes_on_after_a_raise() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters(), lr=0.1), nonfinite="raise")
    with pytest.raises(NonFiniteError):
        gradients.backward(square(model, 3, 0) * math.inf)

    step = gradients.backward(square(model, 3, 0))

    assert step is not None
    assert step.applied


@pytest.fixture
def device_that_stalls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat the CPU as a device whose verdicts are not read at once."""
    monkeypatch.setattr(nonfinite, "stalls", lambda _: True)


CALLS: dict[str, Any] = {
    "flush": lambda gradients, _: gradients.flush(),
    "state_dict": lambda gradients, _: gradients.state_dict(),
    "applied": lambda _, step: step.applied,
    "exit": lambda gradients, _: gradients.__exit__(None, None, None),
}


@pytest.mark.usefixtures("device_that_stalls")
@pytest.mark.parametrize("call", CALLS)
def test_on_a_device_raise_waits_for_the_next_call_and_applies_nothing(call: str) -> None:
    model = mlp()
    before = parameters_of(model)
    gradients = zerograd.Gradients(
        optim.AdamW(model.parameters(), fused=True), nonfinite="raise", model=model
    )
    step = gradients.backward(square(model, 3, 0) * math.inf)

    with pytest.raises(NonFiniteError, match=r"window 1 has .* 0.weight"):
        CALLS[call](gradients, step)

    assert all(map(torch.equal, before, parameters_of(model)))


@pytest.mark.usefixtures("device_that_stalls")
def test_on_a_device_a_good_window_raises_nothing() -> None:
    model = mlp()
    gradients = zerograd.Gradients(
        optim.AdamW(model.parameters(), fused=True), nonfinite="raise", accumulate=2
    )

    for seed in range(4):
        gradients.backward(square(model, 3, seed))

    assert gradients.flush() is None
    assert gradients.skipped == 0


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_scaler_gives_the_plain_loops_parameters(kernel: str) -> None:
    plain, owned = mlp(), mlp()
    optimizer = KERNELS[kernel](plain.parameters())
    first = torch.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=2)
    second = torch.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=2)
    gradients = zerograd.Gradients(KERNELS[kernel](owned.parameters()), scaler=second)

    for seed in range(6):
        factor = math.inf if seed == 3 else 1.0
        optimizer.zero_grad()
        first.scale(mean_square(plain, 4, seed) * factor).backward()  # type: ignore[no-untyped-call]
        first.step(optimizer)
        first.update()
        gradients.backward(mean_square(owned, 4, seed) * factor)

    assert same(plain, owned)
    assert first.state_dict() == second.state_dict()
    assert gradients.skipped == 1


def test_fp16_windows_of_unequal_micro_batches_do_not_overflow() -> None:
    weight = nn.Parameter(torch.zeros(4, dtype=torch.float16))
    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0), accumulate=3)

    for count, value in ((30000, 1.0), (60000, 2.0), (30000, 3.0)):
        gradients.backward((weight * value).sum(), items=count)

    assert torch.equal(weight, torch.full((4,), -2.0, dtype=torch.float16))


def test_a_disabled_scaler_is_none() -> None:
    weight = nn.Parameter(torch.zeros(1))
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0), scaler=scaler)

    gradients.backward(weight.sum())

    assert weight.item() == -1.0


def test_schedulers_advance_at_every_closed_window_also_a_skipped_first() -> None:
    model = mlp()
    optimizer = optim.SGD(model.parameters(), lr=1.0)
    scheduler = StepLR(optimizer, step_size=1, gamma=0.5)
    gradients = zerograd.Gradients(optimizer, accumulate=2, scheduler=scheduler, nonfinite="skip")

    for seed in range(6):
        gradients.backward(square(model, 3, seed) * (math.nan if seed == 0 else 1.0))

    assert gradients.steps == 3
    assert scheduler.get_last_lr() == [0.125]
