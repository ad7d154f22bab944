"""A gradient is an account: one training loop, kept by hand beside torch's `.grad`.

`backward()` deposits, a step spends, zeroing clears. Nothing else ever happens to `.grad`:

>>> account = Account(3)
>>> account.deposit([-0.1, 0.2, -0.05])
>>> account.deposit([0.05, -0.1, 0.1])
>>> account.total()
[-0.05, 0.1, 0.05]

>>> weights = torch.zeros(3, requires_grad=True)
>>> for gradient in ([-0.1, 0.2, -0.05], [0.05, -0.1, 0.1]):
...     (weights * torch.tensor(gradient)).sum().backward()
>>> [round(value, 6) for value in weights.grad.tolist()]
[-0.05, 0.1, 0.05]
"""

from __future__ import annotations

import torch

from zerograd.lifecycle import Backward, Clear, Construct, Ledger, Step


class Account:
    """The deposits that lie in one gradient."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.deposits: list[list[float]] = []

    def deposit(self, gradient: list[float]) -> None:
        """Add one backward's gradient."""
        self.deposits.append(gradient)

    def clear(self) -> None:
        """Take everything away."""
        self.deposits = []

    def total(self) -> list[float]:
        """Return what `.grad` shows: the sum."""
        columns = zip(*self.deposits, strict=True) if self.deposits else [[0.0]] * self.size
        return [round(sum(column), 6) for column in columns]


def train(*, rounds: int, stepping: bool, clearing: bool) -> None:
    """Run one loop on torch and on accounts, and print both sides after each backward."""
    torch.manual_seed(0)
    inputs, targets = torch.randn(8, 3), torch.randn(8, 1)
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    bias, ledger, parameters = Account(1), Ledger(), frozenset({"weight", "bias"})
    ledger.post(Construct("optimizer = SGD(...)", "optimizer", parameters))
    for _ in range(rounds):
        if clearing:
            optimizer.zero_grad()
            bias.clear()
            ledger.post(Clear("optimizer.zero_grad()", parameters))

        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        (gradient,) = torch.autograd.grad(loss, model.bias, retain_graph=True)
        loss.backward()  # type: ignore[no-untyped-call]  # ZG101 lint watch
        bias.deposit(gradient.tolist())
        ledger.post(Backward("loss.backward()", parameters, source="loss"))

        assert model.bias.grad is not None
        torch.testing.assert_close(model.bias.grad, torch.tensor(bias.total()))
        deposits = " + ".join(f"{value:.3f}" for (value,) in bias.deposits)
        print(f"  .grad {model.bias.grad.item():7.3f}  =  {deposits}")

        if stepping:
            optimizer.step()
            for fault in ledger.post(Step("optimizer.step()", "optimizer")):
                print(f"      {fault.severity}: {fault.rule} at {fault.place}")


if __name__ == "__main__":
    print("Three backwards on one batch, never cleared: the bias gradient grows.")
    train(rounds=3, stepping=False, clearing=False)
    print("The same with a step in each round: each step spends old deposits again.")
    train(rounds=3, stepping=True, clearing=False)
    print("Cleared in each round: one deposit, one spend.")
    train(rounds=3, stepping=True, clearing=True)
