"""Was it cleared? Ask a running loop, from inside: `zerograd.watch()` hears every deposit.

From outside, without a change, the same is `zerograd watch debugging.py`; in tests it is
`pytest --zerograd`.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from torch import nn

import zerograd


def train(*, clearing: bool) -> None:
    torch.manual_seed(0)
    inputs = torch.randn(64, 3)
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(20):
        loss = nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
        loss.backward()  # ZG101 lint watch
        optimizer.step()
        if clearing:
            optimizer.zero_grad()


def asked(*, clearing: bool) -> str:
    """Train while being watched, and say what was seen."""
    with zerograd.watch(report=False) as watching:
        train(clearing=clearing)
    found = [f"{one.rule.code} {one.rule.name}, {one.count} times" for one in watching.findings]
    return ", ".join(found) or "nothing to find"


if __name__ == "__main__":
    print(f"cleared:       {asked(clearing=True)}")
    print(f"never cleared: {asked(clearing=False)}")
