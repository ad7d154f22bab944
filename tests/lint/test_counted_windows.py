"""Windows as they are counted: off-by-one, tails, divisors and schedules in many spellings."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from zerograd.lint import Analyser, Project, Source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from zerograd.lint import Analysis

LOOP = """\
    k = 4
    for epoch in range(3):
        for {head}:
            loss = nn.functional.mse_loss(model(x), y) / k
            loss.backward()
            if {test}:
                optimizer.step()
                optimizer.zero_grad()
"""
RIGHT = [
    ("i, (x, y) in enumerate(loader)", "(i + 1) % k == 0 or i == len(loader) - 1"),
    ("i, (x, y) in enumerate(loader)", "(i + 1) % k == 0 or i + 1 == len(loader)"),
    ("i, (x, y) in enumerate(loader)", "i % k == k - 1 or i == len(loader) - 1"),
    ("i, (x, y) in enumerate(loader, 1)", "i % k == 0 or i == len(loader)"),
    ("i, (x, y) in enumerate(tqdm(loader), start=1)", "not i % k or i >= len(loader)"),
    ("i, (x, y) in enumerate(loader, first)", "i % k == 0 or last"),
    ("i, (x, y) in enumerate(bar)", "(i + 1) % k == 0 or (i + 1) % len(loader) == 0"),
    ("i, (x, y) in enumerate(loader)", "(i + 1) % k == 0 or i == len(dataset) // size"),
    ("i, (x, y) in enumerate(loader)", "(i + 1) % k == 0 or i == total - 1"),
    ("i in range(1, len(loader) + 1)", "i % k == 0 or i == len(loader)"),
]
EARLY = [
    ("i, (x, y) in enumerate(loader)", "i % k == 0 or i == len(loader) - 1"),
    ("i, (x, y) in enumerate(loader)", "not i % k or i == len(loader) - 1"),
    ("i, (x, y) in tqdm(enumerate(loader))", "i % k == 0 or i + 1 == len(loader)"),
    ("i, (x, y) in enumerate(loader, start=1)", "(i + 1) % k == 0 or i == len(loader)"),
    ("i, (x, y) in enumerate(loader, 1)", "(i + 1) % k == 0 or i == len(loader)"),
]
MISSED_END = [
    ("i, (x, y) in enumerate(loader)", "(i + 1) % k == 0 or i == len(loader)"),
    ("i, (x, y) in enumerate(loader, 1)", "i % k == 0 or i == len(loader) + 1"),
]


@pytest.mark.parametrize(("head", "test"), RIGHT)
def test_a_window_that_is_counted_right_is_not_reported(
    loud: Callable[[str], list[str]], head: str, test: str
) -> None:
    found = loud(LOOP.format(head=head, test=test))

    assert found == []


@pytest.mark.parametrize(("head", "test"), EARLY)
def test_a_first_window_that_is_too_short_is_off_by_one(
    loud: Callable[[str], list[str]], head: str, test: str
) -> None:
    found = loud(LOOP.format(head=head, test=test))

    assert found == ["6 ZG205"]


@pytest.mark.parametrize(("head", "test"), MISSED_END)
def test_a_test_that_asks_for_the_last_batch_and_misses_it_leaks(
    loud: Callable[[str], list[str]], head: str, test: str
) -> None:
    found = loud(LOOP.format(head=head, test=test))

    assert found == ["7 ZG202"]


def test_the_message_says_that_the_counter_starts_at_one(
    analyse: Callable[[str], Analysis],
) -> None:
    head, test = EARLY[-1]
    found = analyse(LOOP.format(head=head, test=test)).findings

    assert [item.message for item in found] == [
        (
            "`(i + 1) % k == 0 or i == len(loader)` holds one round too early: "
            "the first window has one deposit less"
        )
    ]
    assert found[0].help == "the counter starts at 1 already: leave out the `+ 1`"


def test_a_longer_first_window_is_a_hint(analyse: Callable[[str], Analysis]) -> None:
    head, test = "i, (x, y) in enumerate(loader)", "i > 0 and i % k == 0"

    found = analyse(LOOP.format(head=head, test=test)).findings

    assert ("ZG205", "hint") in [(item.rule.code, item.severity.value) for item in found]


COUNTER = """\
    k = 4
    done = 0
    for epoch in range(3):
        for x, y in loader:
            if len(x) < 2:
                continue
            {before}
            loss = nn.functional.mse_loss(model(x), y) / k
            loss.backward()
            if done % k == 0:
                optimizer.step()
                optimizer.zero_grad()
            {after}
"""


def test_a_counter_that_advances_behind_its_test_is_off_by_one(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud(COUNTER.format(before="pass", after="done += 1"))

    assert found == ["10 ZG205"]


def test_a_counter_that_advances_before_its_test_is_right(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud(COUNTER.format(before="done += 1", after="pass"))

    assert found == []


RESET = """\
    waiting = 0
    for epoch in range(3):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y) / accum_steps
            loss.backward()
            waiting += 1
            if waiting {sign} accum_steps:
                optimizer.step()
                optimizer.zero_grad()
                waiting = 0
"""


def test_a_counter_that_is_set_back_at_its_length_is_right(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud(RESET.format(sign=">="))

    assert found == []


def test_a_counter_that_is_set_back_one_too_late_makes_the_divisor_wrong(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud(RESET.format(sign=">"))

    assert found == ["5 ZG204"]


def test_a_loop_that_remembers_its_last_step_is_right(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        accumulate = max(round(64 / batch_size), 1)
        last_step = -1
        for epoch in range(3):
            for i, (x, y) in enumerate(loader):
                done = i + len(loader) * epoch
                compute_loss(model(x), y).backward()
                if done - last_step >= accumulate:
                    optimizer.step()
                    optimizer.zero_grad()
                    last_step = done
    """)

    assert found == []


DIVIDED = """\
    def train(accum_steps, distill):
        for i, (x, y) in enumerate(loader):
            loss = nn.functional.mse_loss(model(x), y)
            {divide}
            {deposit}
            if (i + 1) % accum_steps == 0 or i == len(loader) - 1:
                optimizer.step()
                optimizer.zero_grad()
    train(4, distill)
"""
DIVIDE = "loss = loss / accum_steps"


@pytest.mark.parametrize(
    ("divide", "deposit", "expected"),
    [
        (DIVIDE, "loss.backward()", []),
        (f"if accum_steps > 1: {DIVIDE}", "loss.backward()", []),
        (DIVIDE, "(loss / accum_steps).backward()", ["5 ZG204"]),
        (DIVIDE, "(loss * accum_steps).backward()", ["5 ZG201"]),
        ("pass", "loss.backward()", ["5 ZG201"]),
    ],
)
def test_a_loss_is_divided_once_by_the_length_of_its_window(
    loud: Callable[[str], list[str]], divide: str, deposit: str, expected: list[str]
) -> None:
    found = loud(DIVIDED.format(divide=divide, deposit=deposit))

    assert found == expected


def test_a_division_on_either_side_of_a_test_is_one_division(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        for i, (x, y) in enumerate(loader):
            loss = nn.functional.mse_loss(model(x), y)
            if half:
                loss = loss / accum_steps
            else:
                loss = loss / accum_steps
            loss.backward()
            if (i + 1) % accum_steps == 0 or i == len(loader) - 1:
                optimizer.step()
                optimizer.zero_grad()
    """)

    assert found == []


def test_a_division_under_a_test_of_something_else_is_a_hint(
    analyse: Callable[[str], Analysis],
) -> None:
    divide = f"if distill: {DIVIDE}"

    found = analyse(DIVIDED.format(divide=divide, deposit="loss.backward()")).findings

    assert [(item.rule.code, item.severity.value) for item in found] == [("ZG201", "hint")]


LOSSES = """\
import torch.nn.functional as F
def compute_loss(model, batch, accum_iters):
    return F.cross_entropy(model(batch[0]), batch[1]) {sign} accum_iters
"""
TRAIN = """\
import torch
from losses import compute_loss
def train(model, loader, accum_iters=4):
    optimizer = torch.optim.Adam(model.parameters())
    optimizer.zero_grad()
    for i, batch in enumerate(loader):
        loss = compute_loss(model, batch, accum_iters)
        {divide}
        loss.backward()
        if (i + 1) % accum_iters == 0 or i == len(loader) - 1:
            optimizer.step()
            optimizer.zero_grad()
"""


def _in_two_files(folder: Path, sign: str, divide: str) -> list[str]:
    (folder / "losses.py").write_text(LOSSES.format(sign=sign))
    train = TRAIN.format(divide=divide)
    found = Analyser(Project(folder)).analyse(Source(str(folder / "train.py"), train)).findings
    return [f"{item.location.line} {item.rule.code}" for item in found if item.severity != "hint"]


def test_a_loss_that_another_file_multiplies_again_is_not_divided(tmp_path: Path) -> None:
    found = _in_two_files(tmp_path, "*", "loss = loss / accum_iters")

    assert found == ["9 ZG201"]


def test_a_loss_that_another_file_divides_is_divided(tmp_path: Path) -> None:
    found = _in_two_files(tmp_path, "/", "pass")

    assert found == []


SCHEDULE = """\
    epochs, accum = 3, 4
    schedule = torch.optim.lr_scheduler.{made}
    for epoch in range(epochs):
        for i, (x, y) in enumerate(train_loader):
            (nn.functional.mse_loss(model(x), y) / accum).backward()
            if (i + 1) % accum == 0 or i == len(train_loader) - 1:
                optimizer.step()
                optimizer.zero_grad()
            schedule.step()
"""


def test_a_schedule_that_advances_with_every_deposit_is_ahead(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud(SCHEDULE.format(made="StepLR(optimizer, 1000)"))

    assert found == ["9 ZG207"]


@pytest.mark.parametrize(
    "made",
    [
        "CosineAnnealingLR(optimizer, T_max=len(train_loader) * 3)",
        "OneCycleLR(optimizer, 0.1, steps_per_epoch=len(train_loader), epochs=epochs)",
    ],
)
def test_a_schedule_that_counts_in_batches_is_not_ahead(
    loud: Callable[[str], list[str]], made: str
) -> None:
    found = loud(SCHEDULE.format(made=made))

    assert found == []


def test_a_rate_that_is_divided_by_the_length_stands_for_the_loss(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        ACCUM = 8
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1 / ACCUM)
        for i, (x, y) in enumerate(loader):
            nn.functional.mse_loss(model(x), y).backward()
            if (i + 1) % ACCUM == 0 or i + 1 == len(loader):
                optimizer.step()
                optimizer.zero_grad()
    """)

    assert found == []


LIGHTNING = dedent("""\
    import torch
    import lightning as L
    class Net(L.LightningModule):
        def __init__(self, k):
            super().__init__()
            self.automatic_optimization = False
            self.net, self.k = torch.nn.Linear(3, 1), k
        def training_step(self, batch, batch_idx):
            opt = self.optimizers()
            self.manual_backward(self.net(batch).mean() / self.k)
            if {test}:
                opt.step()
                opt.zero_grad()
        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1, fused=True)
""")


@pytest.mark.parametrize(
    ("test", "expected"),
    [("batch_idx % self.k == 0", ["11 ZG205"]), ("(batch_idx + 1) % self.k == 0", [])],
)
def test_the_index_that_lightning_hands_over_is_counted(test: str, expected: list[str]) -> None:
    source = Source("net.py", LIGHTNING.format(test=test))

    found = Analyser(Project()).analyse(source).findings

    loud = [f"{item.location.line} {item.rule.code}" for item in found if item.severity != "hint"]
    assert loud == expected
