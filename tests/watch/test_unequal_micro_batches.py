"""Windows whose micro-batches differ: when that is a fault, and how much damage it does."""

from __future__ import annotations

from math import acos, degrees
from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn
from torch.nn import functional

import zerograd
from zerograd.source.lines import CallSite, Line
from zerograd.watch.damage.items_in_loss import Term
from zerograd.watch.observe.unequal_items import ItemWindows, unequal

if TYPE_CHECKING:
    from zerograd.findings import Finding

RULE = "unequal-micro-batches"


def mean_over(items: float, share: float = 0.25) -> Term:
    return Term(items, share / items)


def test_means_over_different_counts_weighed_alike_are_unequal() -> None:
    found = unequal([(mean_over(8),), (mean_over(24),)])

    assert found is not None
    assert found.counts == (8, 24)
    assert found.separable


def test_means_over_equal_counts_are_equal() -> None:
    assert unequal([(mean_over(8),), (mean_over(8),)]) is None


def test_means_weighed_by_their_counts_are_right() -> None:
    assert unequal([(Term(8, 1 / 32),), (Term(24, 1 / 32),)]) is None


def test_weights_of_another_kind_are_the_programs_own() -> None:
    assert unequal([(mean_over(8, 0.3),), (mean_over(24, 0.7),)]) is None


def test_one_deposit_is_no_window() -> None:
    assert unequal([(mean_over(8),)]) is None


def test_a_share_rounded_to_16_bits_is_still_the_same_share() -> None:
    assert unequal([(mean_over(8),), (mean_over(24, 0.25 * (1 + 2**-12)),)]) is not None


def test_terms_that_vary_together_can_be_weighed_by_either() -> None:
    found = unequal([(mean_over(8), mean_over(16)), (mean_over(24), mean_over(48))])

    assert found is not None
    assert found.separable


def test_a_term_with_the_same_count_everywhere_cannot_be_told_from_the_other() -> None:
    found = unequal([(mean_over(8), mean_over(10)), (mean_over(24), mean_over(10))])

    assert found is not None
    assert not found.separable


def test_a_term_without_a_count_cannot_be_told_from_the_other() -> None:
    found = unequal([(mean_over(8), Term(0, 0.1)), (mean_over(24), Term(0, 0.1))])

    assert found is not None
    assert not found.separable


def test_terms_that_vary_apart_are_items_of_their_own() -> None:
    assert unequal([(mean_over(8), mean_over(20)), (mean_over(24), mean_over(5))]) is None


def test_losses_of_different_numbers_of_terms_are_not_compared() -> None:
    assert unequal([(mean_over(8),), (mean_over(24), mean_over(5))]) is None


def test_where_ranks_reduce_the_counts_speak_and_the_damage_is_not_measured() -> None:
    windows, place = ItemWindows(), CallSite(Line("train.py", 9, ""))
    windows.deposit([1], place, (mean_over(8),), 0, reduced=True)
    windows.deposit([1], place, (mean_over(24),), 0, reduced=True)

    found = windows.close(1, place)

    assert found is not None
    assert (found.smallest, found.largest) == (8, 24)
    assert (found.separable, found.reduced) == (False, True)


# -- a whole run, against the full batch in fp64

COUNTS = (3, 40, 5, 24)


def windows(seed: int) -> list[list[tuple[torch.Tensor, torch.Tensor]]]:
    maker = torch.Generator().manual_seed(seed)
    return [
        [
            (
                torch.randn(count, 6, generator=maker, dtype=torch.float64),
                torch.randint(0, 4, (count,), generator=maker),
            )
            for count in COUNTS
        ]
        for _ in range(6)
    ]


def model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4)).double()


def flat(module: nn.Module) -> torch.Tensor:
    return torch.cat([p.grad.flatten() for p in module.parameters() if p.grad is not None])


def spent_and_meant() -> list[tuple[float, float]]:
    """Return size and cosine of each window's gradient against that of its full batch."""
    net, pairs = model(), []
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for window in windows(1):
        inputs, labels = (torch.cat(parts) for parts in zip(*window, strict=True))
        torch.autograd.backward(functional.cross_entropy(net(inputs), labels))
        meant = flat(net)
        optimizer.zero_grad()
        for batch, target in window:
            loss = functional.cross_entropy(net(batch), target) / len(window)
            torch.autograd.backward(loss)
        spent = flat(net)
        optimizer.step()
        optimizer.zero_grad()
        size = float(spent.norm() / meant.norm())
        pairs.append((size, float(torch.dot(spent, meant) / spent.norm() / meant.norm())))
    return pairs


def watched(*, divided: bool = True) -> list[Finding]:
    net = model()
    with zerograd.watch(hints=True, quiet=True) as watching:
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for window in windows(1):
            for micro_batch in window:
                loss = functional.cross_entropy(net(micro_batch[0]), micro_batch[1])
                share = 1 / len(window) if divided else len(micro_batch[1]) / sum(COUNTS)
                torch.autograd.backward(loss * share)
            optimizer.step()
            optimizer.zero_grad()
    return [one for one in watching.findings if one.rule.name == RULE]


def test_the_damage_is_that_against_the_full_batch() -> None:
    truth = spent_and_meant()[1:]  # the first window shows the fault, and is not measured

    [finding] = watched()

    assert finding.damage is not None
    assert finding.damage.measured == len(truth)
    assert finding.damage.peak_ratio == pytest.approx(max(size for size, _ in truth), rel=2**-24)
    assert finding.damage.worst_cosine == pytest.approx(
        min(cosine for _, cosine in truth), rel=2**-24
    )
    assert degrees(acos(finding.damage.worst_cosine)) > 20


def test_the_message_has_the_counts() -> None:
    [finding] = watched()

    assert finding.message == (
        "`torch.autograd.backward(loss * share)` gives the same weight to micro-batches that are "
        "means over 3 to 40 items"
    )
    assert str(finding.severity) == "warning"


def test_a_run_that_weighs_by_counts_is_silent() -> None:
    assert watched(divided=False) == []
