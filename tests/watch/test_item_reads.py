"""Counts and averages are read in sampled windows alone: elsewhere nothing waits for a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

import zerograd
from zerograd.watch.damage import items_in_loss
from zerograd.watch.observe import deposits, weight_averages

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

WINDOWS, LENGTH = 24, 4
SAMPLED = 14
"""No window after this one is sampled, until 4,096 backwards have passed."""


class Calls:
    """Counts the calls of a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.count = function, 0

    def __call__(self, *given: Any, **named: Any) -> Any:
        self.count += 1
        return self.function(*given, **named)


def reads_by_window(
    patch: pytest.MonkeyPatch, scaler: torch.amp.GradScaler | None
) -> list[tuple[int, int]]:
    """Return how often each window was counted, and how often averages were looked at."""
    counts, looks = Calls(items_in_loss.read_terms), Calls(weight_averages._elements)
    patch.setattr(deposits, "read_terms", counts)
    patch.setattr(weight_averages, "_elements", looks)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(20, 8), nn.Linear(8, 20))
    averaged = torch.optim.swa_utils.AveragedModel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    found = []
    with zerograd.watch():
        for _ in range(WINDOWS):
            counts.count = looks.count = 0
            for _ in range(LENGTH):
                tokens = torch.randint(0, 20, (16,))
                loss = functional.cross_entropy(model(tokens), tokens) / LENGTH
                (loss if scaler is None else scaler.scale(loss)).backward()  # type: ignore[no-untyped-call]
            if scaler is None:
                optimizer.step()
            else:
                scaler.step(optimizer)
                scaler.update()
            optimizer.zero_grad()
            averaged.update_parameters(model)
            found.append((counts.count, looks.count))
    return found


def test_a_calm_loop_reads_no_value_after_its_first_windows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads = reads_by_window(monkeypatch, None)

    assert reads[SAMPLED:] == [(0, 0)] * (WINDOWS - SAMPLED)
    assert reads[3][0] == LENGTH
    assert reads[3][1] > 0


def test_a_scaled_loop_which_the_fast_path_leaves_alone_reads_no_value_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads = reads_by_window(monkeypatch, torch.amp.GradScaler("cpu", init_scale=4.0))

    assert reads[SAMPLED:] == [(0, 0)] * (WINDOWS - SAMPLED)
    assert reads[3][0] == LENGTH


def test_a_program_that_counts_its_operations_is_watched_to_its_end_and_counts_none_of_ours() -> (
    None
):
    torch.manual_seed(0)
    model = nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    counted = []

    with zerograd.watch() as watching:
        for _ in range(3):
            for items in (2, 30):
                with FlopCounterMode(display=False) as counter:
                    labels = torch.randint(0, 3, (items,))
                    loss = functional.cross_entropy(model(torch.randn(items, 4)), labels)
                    (loss / 2).backward()  # type: ignore[no-untyped-call]
                counted.append(counter.get_total_flops())
            optimizer.step()

    assert [finding.rule.name for finding in watching.findings] == ["missing-zero"]
    assert counted[:2] * 2 == counted[2:]
