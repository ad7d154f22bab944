"""How badly a fault changed what was spent: each number against one that is computed beside it.

`f`, what a step should spend, comes from `torch.autograd.grad`, which deposits nothing, in 64 bits.
"""

from __future__ import annotations

from math import inf, isnan
from statistics import median
from typing import TYPE_CHECKING

import pytest
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from zerograd.reports.words import damage_words
from zerograd.settings import Settings
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.optim import Optimizer

    from zerograd.findings import Damage, Finding

LIMIT = 0.05


class Bench:
    """A model to train, and what each step spent and should have spent."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2)).double()
        self.batches = [torch.randn(5, 4, dtype=torch.float64) for _ in range(40)]
        self.spent: list[Tensor] = []
        self.meant: list[Tensor] = []

    @property
    def parameters(self) -> list[nn.Parameter]:
        return list(self.model.parameters())

    def loss(self, batch: int) -> Tensor:
        predicted: Tensor = self.model(self.batches[batch % 40])
        return (predicted - batch % 3).square().mean()

    def slope(self, *batches: int) -> Tensor:
        """Return the gradient of the mean loss over some batches."""
        losses = torch.stack([self.loss(batch) for batch in batches])
        return flat(torch.autograd.grad(losses.mean(), self.parameters))

    def sgd(self) -> torch.optim.SGD:
        optimizer = torch.optim.SGD(self.parameters, lr=0.01)
        optimizer.register_step_pre_hook(self.write_down)
        return optimizer

    def write_down(self, *_: object) -> None:
        self.spent.append(flat([parameter.grad for parameter in self.parameters]))

    def watch(self, training: Callable[[], None]) -> Finding:
        """Return the one finding of a training."""
        session = Session(Settings(preview=True))
        session.start()
        try:
            training()
        finally:
            session.stop()
        assert session.internal_error is None
        (finding,) = session.findings
        return finding

    def truth(self, first: int) -> list[tuple[float, float]]:
        """Return |g| / |f| and cos(g, f) from a step on."""
        pairs = list(zip(self.spent, self.meant, strict=True))[first:]
        cosine = torch.nn.functional.cosine_similarity
        return [(float(g.norm() / f.norm()), float(cosine(g, f, dim=0))) for g, f in pairs]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def deposit(loss: Tensor, *, retain_graph: bool = False) -> None:
    loss.backward(retain_graph=retain_graph)  # type: ignore[no-untyped-call]


def flat(tensors: object) -> Tensor:
    return torch.cat([tensor.detach().flatten() for tensor in tensors])  # type: ignore[attr-defined]


def clipped(gradient: Tensor) -> Tensor:
    return gradient * min(1.0, LIMIT / (float(gradient.norm()) + 1e-6))


def agrees(damage: Damage | None, truth: list[tuple[float, float]]) -> bool:
    """Whether a damage says of these steps what is true."""
    assert damage is not None
    assert damage.measured == len(truth)
    ratios, cosines = zip(*truth, strict=True)
    said = (damage.ratio, damage.peak_ratio, damage.cosine, damage.worst_cosine)
    return said == pytest.approx((median(ratios), max(ratios), median(cosines), min(cosines)))


def words(finding: Finding) -> str:
    assert finding.damage is not None
    return damage_words(finding.damage)


def test_missing_zero(bench: Bench) -> None:
    def train() -> None:
        optimizer = bench.sgd()
        for batch in range(7):
            bench.meant.append(bench.slope(batch))
            deposit(bench.loss(batch))
            optimizer.step()

    finding = bench.watch(train)

    assert finding.rule.name == "missing-zero"
    assert agrees(finding.damage, bench.truth(first=1))
    assert bench.truth(first=1)[-1][0] > 1.5


def test_missing_zero_before_a_clip(bench: Bench) -> None:
    def train() -> None:
        optimizer = bench.sgd()
        for batch in range(7):
            bench.meant.append(clipped(bench.slope(batch)))
            deposit(bench.loss(batch))
            nn.utils.clip_grad_norm_(bench.parameters, LIMIT)
            optimizer.step()

    finding = bench.watch(train)

    assert finding.rule.name == "missing-zero"
    assert agrees(finding.damage, bench.truth(first=1))


def test_missing_zero_in_a_closure(bench: Bench) -> None:
    optimizer = torch.optim.Adam(bench.parameters, lr=0.01)

    def train() -> None:
        for batch in range(6):

            def closure(batch: int = batch) -> float:
                bench.meant.append(bench.slope(batch))
                loss = bench.loss(batch)
                deposit(loss)
                bench.write_down()
                return loss.item()

            optimizer.step(closure)

    finding = bench.watch(train)

    assert finding.rule.name == "missing-zero"
    assert agrees(finding.damage, bench.truth(first=1))


def test_a_part_that_is_not_cleared(bench: Bench) -> None:
    def train() -> None:
        optimizer = bench.sgd()
        for batch in range(6):
            bench.model[0].zero_grad()
            bench.meant.append(bench.slope(batch))
            deposit(bench.loss(batch))
            optimizer.step()

    finding = bench.watch(train)

    assert finding.rule.name == "missing-zero"
    assert agrees(finding.damage, bench.truth(first=1))


def test_leaked_deposit(bench: Bench) -> None:
    generator = nn.Linear(4, 4).double()

    def train() -> None:
        adversary = torch.optim.SGD(generator.parameters(), lr=0.01)
        optimizer = bench.sgd()
        for batch in range(6):
            adversary.zero_grad()
            deposit(bench.model(generator(bench.batches[batch])).mean())
            adversary.step()
            bench.meant.append(bench.slope(batch))
            deposit(bench.loss(batch))
            optimizer.step()
            optimizer.zero_grad()

    finding = bench.watch(train)

    assert finding.rule.name == "leaked-deposit"
    assert agrees(finding.damage, bench.truth(first=2))


def test_zero_inside_window(bench: Bench) -> None:
    def train() -> None:
        optimizer = bench.sgd()
        for batch in range(18):
            optimizer.zero_grad()
            deposit(bench.loss(batch) / 3)
            if (batch + 1) % 3 == 0:
                bench.meant.append(bench.slope(batch - 2, batch - 1, batch))
                optimizer.step()

    finding = bench.watch(train)

    assert finding.rule.name == "zero-inside-window"
    assert agrees(finding.damage, bench.truth(first=3))


def test_tail_leaks(bench: Bench) -> None:
    truth = []

    def train() -> None:
        optimizer = bench.sgd()
        for _epoch in range(4):
            for batch in range(10):
                deposit(bench.loss(batch) / 4)
                if (batch + 1) % 4 == 0:
                    bench.meant.append(bench.slope(*range(batch - 3, batch + 1)))
                    optimizer.step()
                    optimizer.zero_grad()
                    truth.append(bench.truth(first=-1)[0])

    finding = bench.watch(train)

    assert finding.rule.name == "tail-leaks"
    assert agrees(finding.damage, truth[2::2])


def test_a_divisor_that_grows(bench: Bench) -> None:
    def train() -> None:
        optimizer = bench.sgd()
        for window in range(5):
            optimizer.zero_grad()
            for at in range(4):
                deposit(bench.loss(4 * window + at) / (at + 1))
            bench.meant.append(bench.slope(*range(4 * window, 4 * window + 4)))
            optimizer.step()

    finding = bench.watch(train)

    assert finding.rule.name == "wrong-divisor"
    assert agrees(finding.damage, bench.truth(first=1))


def test_a_divisor_that_is_another_number(bench: Bench) -> None:
    def train() -> None:
        optimizer = bench.sgd()
        for window in range(4):
            optimizer.zero_grad()
            for at in range(4):
                deposit(bench.loss(4 * window + at) / 8)
            bench.meant.append(bench.slope(*range(4 * window, 4 * window + 4)))
            optimizer.step()

    finding = bench.watch(train)

    assert finding.rule.name == "wrong-divisor"
    assert agrees(finding.damage, bench.truth(first=1))
    assert words(finding) == "2.0x too small, in the right direction"


def test_unnormalised_window(bench: Bench) -> None:
    def train() -> None:
        optimizer = bench.sgd()
        fed = iter(DataLoader(TensorDataset(torch.zeros(12, 1))))
        for window in range(4):
            optimizer.zero_grad()
            for at in range(3):
                next(fed)
                deposit(bench.loss(3 * window + at))
            bench.meant.append(bench.slope(*range(3 * window, 3 * window + 3)))
            optimizer.step()

    finding = bench.watch(train)

    assert finding.rule.name == "unnormalised-window"
    assert agrees(finding.damage, bench.truth(first=1))
    assert words(finding) == "3.0x too large (peak 3.0x), in the right direction"


def test_clip_after_step(bench: Bench) -> None:
    def train() -> None:
        optimizer = bench.sgd()
        for batch in range(6):
            optimizer.zero_grad()
            bench.meant.append(clipped(bench.slope(batch)))
            deposit(bench.loss(batch))
            optimizer.step()
            nn.utils.clip_grad_norm_(bench.parameters, LIMIT)

    finding = bench.watch(train)

    assert finding.rule.name == "clip-after-step"
    assert agrees(finding.damage, bench.truth(first=2))


def test_clip_by_value_after_step(bench: Bench) -> None:
    def train() -> None:
        optimizer = bench.sgd()
        for batch in range(6):
            optimizer.zero_grad()
            bench.meant.append(bench.slope(batch).clamp(-LIMIT, LIMIT))
            deposit(bench.loss(batch))
            optimizer.step()
            nn.utils.clip_grad_value_(bench.parameters, LIMIT)

    finding = bench.watch(train)

    assert finding.rule.name == "clip-after-step"
    assert agrees(finding.damage, bench.truth(first=2))


def test_clip_before_backward(bench: Bench) -> None:
    def train() -> None:
        optimizer = bench.sgd()
        for batch in range(6):
            optimizer.zero_grad()
            nn.utils.clip_grad_norm_(bench.parameters, LIMIT)
            bench.meant.append(clipped(bench.slope(batch)))
            deposit(bench.loss(batch))
            optimizer.step()

    finding = bench.watch(train)

    assert finding.rule.name == "clip-before-backward"
    assert agrees(finding.damage, bench.truth(first=1))


def test_clip_inside_window(bench: Bench) -> None:
    def train() -> None:
        optimizer = bench.sgd()
        for batch in range(12):
            deposit(bench.loss(batch) / 2)
            nn.utils.clip_grad_norm_(bench.parameters, LIMIT)
            if batch % 2:
                bench.meant.append(clipped(bench.slope(batch - 1, batch)))
                optimizer.step()
                optimizer.zero_grad()

    finding = bench.watch(train)

    assert finding.rule.name == "clip-inside-window"
    assert agrees(finding.damage, bench.truth(first=2))


def test_clip_before_unscale(bench: Bench) -> None:
    def train() -> None:
        scaler, optimizer = torch.amp.GradScaler("cpu", init_scale=1024.0), bench.sgd()
        for batch in range(6):
            optimizer.zero_grad()
            bench.meant.append(clipped(bench.slope(batch)))
            deposit(scaler.scale(bench.loss(batch)))
            nn.utils.clip_grad_norm_(bench.parameters, LIMIT)
            scaler.step(optimizer)
            scaler.update()

    finding = bench.watch(train)

    assert finding.rule.name == "clip-before-unscale"
    assert agrees(finding.damage, bench.truth(first=1))
    assert words(finding) == "1,024x too small, in the right direction"


def test_a_scaled_loss_that_the_optimizer_steps_itself(bench: Bench) -> None:
    def train() -> None:
        scaler, optimizer = torch.amp.GradScaler("cpu", init_scale=64.0), bench.sgd()
        for batch in range(6):
            optimizer.zero_grad()
            bench.meant.append(bench.slope(batch))
            deposit(scaler.scale(bench.loss(batch)))
            optimizer.step()

    finding = bench.watch(train)

    assert finding.rule.name == "scaled-step"
    assert agrees(finding.damage, bench.truth(first=1))
    assert words(finding) == "64x too large (peak 64x), in the right direction"


def test_zero_outside_closure(bench: Bench) -> None:
    optimizer = torch.optim.LBFGS(bench.parameters, lr=0.1, max_iter=6)

    def closure() -> float:
        bench.meant.append(bench.slope(0))
        loss = bench.loss(0)
        deposit(loss)
        bench.write_down()
        return loss.item()

    def train() -> None:
        optimizer.step(closure)  # type: ignore[no-untyped-call]

    finding = bench.watch(train)

    assert finding.rule.name == "zero-outside-closure"
    assert agrees(finding.damage, bench.truth(first=2))


def test_backward_twice(bench: Bench) -> None:
    def train() -> None:
        optimizer = bench.sgd()
        for batch in range(5):
            optimizer.zero_grad()
            bench.meant.append(2 * bench.slope(batch, batch + 1))
            first, second = bench.loss(batch), bench.loss(batch + 1)
            deposit(first, retain_graph=True)
            deposit(first + second)
            optimizer.step()

    finding = bench.watch(train)

    assert finding.rule.name == "backward-twice"
    assert agrees(finding.damage, bench.truth(first=1))


def test_gradients_that_are_spent_twice_should_not_be_spent(bench: Bench) -> None:
    def train() -> None:
        optimizer = bench.sgd()
        for batch in range(3):
            optimizer.zero_grad()
            deposit(bench.loss(batch))
            optimizer.step()
            optimizer.step()

    finding = bench.watch(train)

    assert finding.rule.name == "spent-twice"
    assert finding.damage is not None
    assert (finding.damage.ratio, finding.damage.measured) == (inf, 3)
    assert isnan(finding.damage.cosine)
    assert words(finding) == "spent where nothing should have been"


def test_a_step_after_the_clear_spends_nothing(bench: Bench) -> None:
    def train() -> None:
        optimizer = torch.optim.SGD(bench.parameters, lr=0.01)
        for batch in range(3):
            deposit(bench.loss(batch))
            optimizer.zero_grad()
            optimizer.step()

    finding = bench.watch(train)

    assert finding.rule.name == "zero-before-step"
    assert words(finding) == "nothing was spent"


def test_nothing_is_copied_while_nothing_is_wrong(bench: Bench) -> None:
    session = Session(Settings(preview=True))
    session.start()
    optimizer = bench.sgd()
    for batch in range(4):
        optimizer.zero_grad()
        deposit(bench.loss(batch))
        optimizer.step()
    session.stop()

    assert session.findings == []
    assert session.observer.poster.damages._cases == {}


def test_long_runs_are_measured_over_their_whole_length(bench: Bench) -> None:
    def train() -> None:
        optimizer = bench.sgd()
        for batch in range(131):
            deposit(bench.loss(batch))
            optimizer.step()

    finding = bench.watch(train)

    assert finding.count == 130
    assert finding.damage is not None
    # One by one up to 16, then at every second, fourth and eighth occurrence.
    assert finding.damage.measured == 16 + 8 + 8 + 8


def never_cleared(bench: Bench, optimizer: Optimizer, *, clips: bool = False) -> str:
    """Return what is said of a training that never clears."""

    def train() -> None:
        for batch in range(4):
            deposit(bench.loss(batch))
            if clips:
                nn.utils.clip_grad_norm_(bench.parameters, LIMIT)
            optimizer.step()

    return bench.watch(train).message


def test_plain_sgd_that_never_clears_is_called_momentum(bench: Bench) -> None:
    message = never_cleared(bench, torch.optim.SGD(bench.parameters, lr=0.01))

    assert message.endswith("; they are never cleared: this is SGD with momentum 1.0")


def test_sgd_that_never_clears_is_momentum_bit_for_bit(bench: Bench) -> None:
    twin = Bench()
    uncleared = torch.optim.SGD(bench.parameters, lr=0.01)
    momentum = torch.optim.SGD(twin.parameters, lr=0.01, momentum=1.0)

    for batch in range(50):
        deposit(bench.loss(batch))
        uncleared.step()
        momentum.zero_grad()
        deposit(twin.loss(batch))
        momentum.step()

    assert torch.equal(flat(bench.parameters), flat(twin.parameters))


@pytest.mark.parametrize(
    "kind",
    [
        lambda parameters: torch.optim.Adam(parameters),
        lambda parameters: torch.optim.SGD(parameters, lr=0.01, momentum=0.9),
        lambda parameters: torch.optim.SGD(parameters, lr=0.01, weight_decay=0.1),
    ],
    ids=["adam", "momentum", "decay"],
)
def test_other_optimizers_that_never_clear_are_not(
    bench: Bench, kind: Callable[[list[nn.Parameter]], Optimizer]
) -> None:
    message = never_cleared(bench, kind(bench.parameters))

    assert message.endswith("; they are never cleared")


def test_sgd_with_a_clip_is_not(bench: Bench) -> None:
    optimizer = torch.optim.SGD(bench.parameters, lr=0.01)

    message = never_cleared(bench, optimizer, clips=True)

    assert message.endswith("; they are never cleared")


def test_what_is_cleared_at_the_end_of_an_epoch_is_not_called_never_cleared(bench: Bench) -> None:
    def train() -> None:
        optimizer = torch.optim.SGD(bench.parameters, lr=0.01)
        for _epoch in range(2):
            for batch in range(4):
                deposit(bench.loss(batch))
                optimizer.step()
            optimizer.zero_grad()

    message = bench.watch(train).message

    assert "never cleared" not in message
    assert "; they were last cleared at line " in message
