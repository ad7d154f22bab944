"""No micro-batch makes the host wait: nothing is read until a step is."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from engine_cases import mlp, square
from torch import optim
from torch.utils._python_dispatch import TorchDispatchMode

import zerograd
from zerograd.engine import nonfinite


class NoHostReads(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Refuses every read of a tensor on the host, except AdamW's of its own CPU step counter."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.aten._local_scalar_dense.default:
            raise AssertionError("a tensor was read on the host")
        return func(*args, **(kwargs or {}))


class HostReads(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the reads of tensors on the host."""

    count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += func is torch.ops.aten._local_scalar_dense.default
        return func(*args, **(kwargs or {}))


def no_host_reads() -> NoHostReads:
    return NoHostReads()  # type: ignore[no-untyped-call]


OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "clip": {"clip_norm": 0.5},
    "clips": {"clip_norm": 0.5, "clear": "zero"},
    "skip": {"nonfinite": "skip", "clip_norm": 1.0},
    "sum": {"reduction": "sum"},
    "tracked": {"nonfinite": "skip", "clip_norm": 1.0, "track": lambda *window: window},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_micro_batches_and_fused_steps_read_nothing(name: str) -> None:
    model = mlp()
    gradients = zerograd.Gradients(
        optim.SGD(model.parameters(), lr=0.1, momentum=0.9, fused=True),
        accumulate=2,
        **OPTIONS[name],
    )

    with no_host_reads():
        for seed in range(6):
            reduction = OPTIONS[name].get("reduction", "mean")
            gradients.backward(square(model, 3 + seed, seed, reduction), items=3 + seed)

    assert gradients.steps == 3


@pytest.mark.parametrize("stalls", [False, True])
def test_a_count_that_only_the_device_knows_is_not_read(
    stalls: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nonfinite, "stalls", lambda _: stalls)
    model = mlp()
    gradients = zerograd.Gradients(
        optim.SGD(model.parameters(), lr=0.1, fused=True), accumulate=2, reduction="sum"
    )
    counts = torch.tensor([4, 0, 3, 5])

    with no_host_reads():
        for seed, size in enumerate((4, 0, 3, 5)):
            gradients.backward(square(model, size, seed, "sum"), items=counts[seed])

    assert gradients.steps == 2


@pytest.mark.parametrize(("fused", "reads"), [(True, 0), (False, 1)])
def test_a_step_that_no_kernel_can_skip_reads_one_count_and_its_micro_batches_none(
    fused: bool, reads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nonfinite, "stalls", lambda _: True)
    model = mlp()
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9, fused=fused)
    gradients = zerograd.Gradients(optimizer, accumulate=4, reduction="sum", clip_norm=1.0)
    counts = torch.tensor([4, 2, 3, 5])

    with no_host_reads():
        for seed, size in enumerate((4, 2, 3)):
            gradients.backward(square(model, size, seed, "sum"), items=counts[seed])
    with HostReads() as closing:  # type: ignore[no-untyped-call]
        gradients.backward(square(model, 5, 3, "sum"), items=counts[3])

    assert gradients.steps == 1
    assert closing.count == reads


def test_a_scaler_and_its_update_read_nothing() -> None:
    model = mlp()
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    gradients = zerograd.Gradients(
        optim.SGD(model.parameters(), lr=0.1, fused=True), accumulate=2, scaler=scaler
    )
    gradients.backward(square(model, 3, 0))

    with no_host_reads():
        for seed in range(1, 4):
            gradients.backward(square(model, 3, seed))

    assert gradients.steps == 2


def test_the_mode_refuses_a_read_so_the_tests_above_can_fail() -> None:
    with no_host_reads(), pytest.raises(AssertionError, match="read on the host"):
        torch.ones(()).item()


def test_naive_adamw_reads_its_own_counter_without_any_engine() -> None:
    model = mlp()
    optimizer = optim.AdamW(model.parameters())
    square(model, 3, 0).backward()  # type: ignore[no-untyped-call]

    with no_host_reads(), pytest.raises(AssertionError, match="read on the host"):
        optimizer.step()


def test_a_window_whose_micro_batches_use_adamw_reads_nothing_before_its_step() -> None:
    model = mlp()
    gradients = zerograd.Gradients(
        optim.AdamW(model.parameters()), accumulate=None, clip_norm=1.0, nonfinite="skip"
    )

    with no_host_reads():
        for seed in range(4):
            gradients.backward(square(model, 3 + seed, seed), items=3 + seed)

    assert gradients.step().applied
