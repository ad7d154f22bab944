"""How badly a fault changed what was spent is measured, and only where there is a fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from zerograd.settings import Settings
from zerograd.watch.session import Session

if TYPE_CHECKING:
    from zerograd.findings import Finding


def train(*, clears: bool, micro_batches: int = 1) -> tuple[list[Finding], Session]:
    torch.manual_seed(0)
    session = Session(Settings(preview=True))
    session.start()
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(6):
        if clears:
            optimizer.zero_grad()
        for _micro_batch in range(micro_batches):
            model(torch.ones(3, 4)).square().mean().backward()
        optimizer.step()
    session.stop()
    return session.findings, session


def test_missing_zero_says_how_much_too_large_the_spent_gradients_were() -> None:
    (finding,), _ = train(clears=False)

    assert finding.rule.name == "missing-zero"
    assert finding.damage is not None
    assert finding.damage.measured == 5
    assert 1 < finding.damage.ratio < finding.damage.peak_ratio
    assert 0.9 < finding.damage.worst_cosine <= finding.damage.cosine <= 1


def test_nothing_is_copied_while_nothing_is_wrong() -> None:
    findings, session = train(clears=True)

    assert findings == []
    assert session.observer.clerk.damages._times == 0


def test_a_window_of_undivided_means_is_too_large_by_its_length() -> None:
    (finding,), _ = train(clears=True, micro_batches=3)

    assert finding.rule.name == "unnormalised-window"
    assert finding.damage is not None
    assert finding.damage.ratio == 3
