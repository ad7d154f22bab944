"""What lint writes for unequal micro-batches spends the gradient of the whole batch, in fp64.

Each program runs twice, as it is and repaired, and each of its steps is compared with one batch of
all items of its window.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.nn import functional
from torch.optim.optimizer import register_optimizer_step_pre_hook

from zerograd.lint import Analyser, Project, Source
from zerograd.lint.repair.migration import migrated
from zerograd.lint.repair.place import applied

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = """\
import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
PADDING, ACCUMULATE = -100, 4
model = nn.Sequential(nn.Embedding(20, 6), nn.Linear(6, 20))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
batches = []
for length in (2, 30, 3, 25, 1, 28, 4, 31):
    tokens = torch.randint(0, 20, (2, 32))
    batches.append((tokens, torch.where(torch.arange(32) < length, tokens, PADDING)))

"""

LIST_AT_HAND = """\
for start in range(0, len(batches), ACCUMULATE):
    window = batches[start : start + ACCUMULATE]
    for number, (tokens, labels) in enumerate(window):
        loss = functional.cross_entropy(
            model(tokens).flatten(0, 1), labels.flatten(), ignore_index=PADDING
        )
        (loss / ACCUMULATE).backward()
        print(f"{number}: {loss.item():.3f}")
    optimizer.step()
    optimizer.zero_grad()
"""

UNDER_A_TEST = """\
criterion = nn.CrossEntropyLoss(ignore_index=-100)
for epoch in range(1):
    optimizer.zero_grad()
    for i, (tokens, labels) in enumerate(batches):
        loss = criterion(model(tokens).flatten(0, 1), labels.flatten())
        (loss / ACCUMULATE).backward()
        if (i + 1) % ACCUMULATE == 0:
            nn.utils.clip_grad_norm_(model.parameters(), 1e6)
            optimizer.step()
            optimizer.zero_grad()
"""

DRAWN_ONE_BY_ONE = """\
feed = iter(batches)
for step in range(2):
    for micro_step in range(ACCUMULATE):
        tokens, labels = next(feed)
        logits = model(tokens).flatten(0, 1)
        loss = functional.cross_entropy(logits, labels.flatten(), ignore_index=-100)
        loss = loss / ACCUMULATE
        loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
"""

MASKED_MEAN = """\
for i, (tokens, labels) in enumerate(batches):
    mask = (labels != PADDING).float()
    logits = model(tokens).flatten(0, 1)
    losses = functional.cross_entropy(logits, tokens.flatten(), reduction="none")
    valid = mask.sum()
    loss = (losses * mask.flatten()).sum() / valid
    loss /= ACCUMULATE
    loss.backward()
    if (i + 1) % ACCUMULATE == 0:
        optimizer.step()
        optimizer.zero_grad()
"""

WINDOWS = {
    "a list at hand": LIST_AT_HAND,
    "under a test": UNDER_A_TEST,
    "drawn one by one": DRAWN_ONE_BY_ONE,
    "a masked mean": MASKED_MEAN,
}


@pytest.fixture(autouse=True)
def double_precision() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def offered(program: str) -> list[str]:
    """Return the program after each repair that lint offers."""
    source = Source("train.py", program)
    found = Analyser(Project()).analyse(source).findings
    return [applied(item.fix.edits, source) for item in found if item.fix]


def degrees_off(program: str) -> list[float]:
    """Run a program; return how far each step is off the gradient of its whole batch."""
    names: dict[str, Any] = {"__name__": "__main__"}
    found: list[float] = []

    def compare(stepping: torch.optim.Optimizer, *_: object) -> None:
        window = names["batches"][4 * len(found) : 4 * len(found) + 4]
        tokens, labels = (torch.cat(parts).flatten() for parts in zip(*window, strict=True))
        parameters = list(names["model"].parameters())
        loss = functional.cross_entropy(names["model"](tokens), labels)
        wanted = torch.cat([g.flatten() for g in torch.autograd.grad(loss, parameters)])
        spent = torch.cat([p.grad.flatten() for p in parameters])
        # Twice the arc sine of half the distance: exact for small angles, and sees the length.
        distance = (spent / wanted.norm() - wanted / wanted.norm()).norm()
        found.append(2 * torch.rad2deg(torch.asin((distance / 2).clamp(max=1))).item())

    handle = register_optimizer_step_pre_hook(compare)
    try:
        exec(compile(program, "train.py", "exec"), names)
    finally:
        handle.remove()
    return found


@pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)
def test_a_repaired_window_spends_the_gradient_of_its_batch(window: str) -> None:
    (repaired,) = offered(DATA + window)

    assert min(degrees_off(DATA + window)) > 5
    assert max(degrees_off(repaired)) < 1e-6
    assert offered(repaired) == []


def test_a_list_is_counted_before_its_window_and_the_logged_loss_stays_a_mean() -> None:
    (repaired,) = offered(DATA + LIST_AT_HAND)

    assert repaired == DATA + (
        """\
for start in range(0, len(batches), ACCUMULATE):
    window = batches[start : start + ACCUMULATE]
    items = sum((labels.flatten() != PADDING).sum() for (tokens, labels) in window)
    for number, (tokens, labels) in enumerate(window):
        loss = functional.cross_entropy(
            model(tokens).flatten(0, 1), labels.flatten(), ignore_index=PADDING
        )
        count = (labels.flatten() != PADDING).sum()
        (loss * count / items).backward()
        print(f"{number}: {loss.item():.3f}")
    optimizer.step()
    optimizer.zero_grad()
"""
    )


def test_the_total_is_cleared_where_the_gradients_are() -> None:
    (repaired,) = offered(DATA + UNDER_A_TEST)

    assert repaired == DATA + (
        """\
criterion = nn.CrossEntropyLoss(ignore_index=-100)
for epoch in range(1):
    optimizer.zero_grad()
    items = 0
    for i, (tokens, labels) in enumerate(batches):
        loss = criterion(model(tokens).flatten(0, 1), labels.flatten())
        count = (labels.flatten() != -100).sum()
        items += count
        (loss * count).backward()
        if (i + 1) % ACCUMULATE == 0:
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        parameter.grad /= items
            nn.utils.clip_grad_norm_(model.parameters(), 1e6)
            optimizer.step()
            optimizer.zero_grad()
            items = 0
"""
    )


WITH_THE_ENGINE = {
    "under a test": (UNDER_A_TEST, "int((labels.flatten() != -100).sum())"),
    "a masked mean": (MASKED_MEAN, "int(valid)"),
    "counted from 1": (
        UNDER_A_TEST.replace("(batches)", "(batches, start=1)").replace("(i + 1) %", "i %"),
        "int((labels.flatten() != -100).sum())",
    ),
}


@pytest.mark.parametrize("name", WITH_THE_ENGINE)
def test_a_window_on_the_engine_spends_the_gradient_of_its_batch(name: str) -> None:
    window, items = WITH_THE_ENGINE[name]
    suggested = migrated(DATA + window)

    assert suggested is not None
    assert f"gradients.backward(loss, items={items})" in suggested
    assert min(degrees_off(DATA + window)) > 5
    assert max(degrees_off(suggested)) < 1e-6


NOT_UNDERSTOOD = {
    "class weights": ("ignore_index=-100)", "ignore_index=-100, weight=rarity)"),
    "a scaler": ("(loss / ACCUMULATE).backward()", "scaler.scale(loss / ACCUMULATE).backward()"),
    "several ranks": (
        "import torch\n",
        "import torch\nfrom torch.nn.parallel import DistributedDataParallel\n",
    ),
    "a batch that is skipped": (
        "        loss = criterion",
        "        if i == 3:\n            continue\n        loss = criterion",
    ),
    "a second deposit": (
        "        if (i + 1)",
        "        (model[1].weight.square().sum() / ACCUMULATE).backward()\n        if (i + 1)",
    ),
    "a second term": ("labels.flatten())", "labels.flatten()) + model[1].weight.square().sum()"),
    "a divided loss that is logged": (
        "(loss / ACCUMULATE).backward()",
        "loss = loss / ACCUMULATE\n        loss.backward()\n        print(loss.item())",
    ),
    "labels that are drawn again": ("labels.flatten())", "relabelled(labels).flatten())"),
    "a flush after the loop": (
        "            optimizer.zero_grad()\n",
        "            optimizer.zero_grad()\n    optimizer.step()\n",
    ),
}


@pytest.mark.parametrize("change", NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD)
def test_a_window_that_is_not_understood_is_left_alone(change: tuple[str, str]) -> None:
    program = (DATA + UNDER_A_TEST).replace(*change)

    repaired = offered(program)

    assert program != DATA + UNDER_A_TEST
    assert not any("items" in text for text in repaired)


@pytest.mark.parametrize("change", NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD)
def test_a_window_that_is_not_understood_is_not_put_on_the_engine(change: tuple[str, str]) -> None:
    program = (DATA + UNDER_A_TEST).replace(*change)

    assert migrated(program) is None


AVERAGES = {
    "under its own test": """\
    if averaged is not None:
        averaged.update_parameters(model)
""",
    "in a context": """\
    with torch.no_grad():
        averaged.update_parameters(model)
""",
}


@pytest.mark.parametrize("update", AVERAGES.values(), ids=AVERAGES)
def test_an_average_is_moved_behind_the_step_with_what_surrounds_it(update: str) -> None:
    program = (
        DATA
        + """\
averaged = torch.optim.swa_utils.AveragedModel(model)
for i, (tokens, labels) in enumerate(batches):
    loss = functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
    (loss / ACCUMULATE).backward()
"""
        + update
        + """\
    if (i + 1) % ACCUMULATE == 0:
        optimizer.step()
        optimizer.zero_grad()
"""
    )

    (repaired,) = offered(program)

    moved = "".join(f"    {line}" for line in update.splitlines(keepends=True))
    assert f"        optimizer.step()\n{moved}        optimizer.zero_grad()\n" in repaired
    assert averaged_steps(program) == 8
    assert averaged_steps(repaired) == 2


def averaged_steps(program: str) -> int:
    """Return how often a program's average advances."""
    names: dict[str, Any] = {}
    exec(compile(program, "train.py", "exec"), names)
    return int(names["averaged"].n_averaged)


def test_under_accelerate_an_average_waits_for_the_synchronised_step() -> None:
    (repaired,) = offered(
        """\
from accelerate import Accelerator

accelerator = Accelerator(gradient_accumulation_steps=4)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
ema = EMAModel(model.parameters())
for batch in loader:
    with accelerator.accumulate(model):
        loss = model(batch).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        ema.step(model.parameters())
"""
    )

    assert (
        "        if accelerator.sync_gradients:\n            ema.step(model.parameters())\n"
        in repaired
    )


def test_an_average_stays_where_the_step_waits_for_more_than_the_window() -> None:
    repaired = offered(
        DATA
        + """\
averaged = torch.optim.swa_utils.AveragedModel(model)
for i, (tokens, labels) in enumerate(batches):
    loss = functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
    (loss / ACCUMULATE).backward()
    if (i + 1) % ACCUMULATE == 0:
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if torch.isfinite(norm):
            optimizer.step()
        optimizer.zero_grad()
    averaged.update_parameters(model)
"""
    )

    assert repaired == []


TRAINER = """\
from torch import nn
from torch.nn import functional
from transformers import Trainer, TrainingArguments

arguments = TrainingArguments("out", gradient_accumulation_steps=4)


class OwnLoss(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        tokens, labels = inputs
"""

BUILT = """\
        criterion = nn.CrossEntropyLoss()
        loss = criterion(model(tokens).flatten(0, 1), labels.flatten())
        return (loss, tokens) if return_outputs else loss
"""

CALLED = """\
        loss = functional.cross_entropy(
            model(tokens).flatten(0, 1),
            labels.flatten(),
            ignore_index=-100,
        )
        return (loss, tokens) if return_outputs else loss
"""

TWICE = """\
        loss = functional.cross_entropy(
            model(tokens).flatten(0, 1), labels.flatten(), reduction="sum"
        )
        loss = loss / num_items_in_batch
        loss /= self.args.gradient_accumulation_steps
        return loss
"""


class Trainer:
    """What the Trainer of Transformers does with a model that takes loss arguments."""

    class args:  # noqa: N801  as the Trainer spells it
        gradient_accumulation_steps = 4

    def step(self, model: torch.nn.Module, window: list[Any]) -> torch.Tensor:
        """Deposit a window, and return the gradient."""
        items = sum(int((labels != -100).sum()) for _, labels in window)
        model.zero_grad()
        for inputs in window:
            self.compute_loss(model, inputs, num_items_in_batch=items).backward()  # type: ignore[attr-defined]
        return torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])


@pytest.mark.parametrize("body", [BUILT, CALLED, TWICE], ids=["built", "called", "twice"])
def test_a_repaired_compute_loss_makes_the_trainer_spend_the_gradient_of_the_batch(
    body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = ModuleType("transformers")
    vars(library).update(Trainer=Trainer, TrainingArguments=lambda *_, **__: None)
    monkeypatch.setitem(sys.modules, "transformers", library)
    data: dict[str, Any] = {}
    exec(DATA, data)

    (repaired,) = offered(TRAINER + body)

    spent = [gradient_of(text, data) for text in (TRAINER + body, repaired)]
    tokens, labels = (
        torch.cat(parts).flatten() for parts in zip(*data["batches"][:4], strict=True)
    )
    data["model"].zero_grad()
    functional.cross_entropy(data["model"](tokens), labels).backward()  # type: ignore[no-untyped-call]
    wanted = torch.cat([p.grad.flatten() for p in data["model"].parameters()])
    assert not torch.allclose(spent[0], wanted, rtol=0.01)
    assert torch.allclose(spent[1], wanted, rtol=1e-10)


def gradient_of(text: str, data: dict[str, Any]) -> torch.Tensor:
    """Return what the Trainer of a text deposits in a window."""
    names: dict[str, Any] = {"__name__": "trainer"}
    exec(compile(text, "trainer.py", "exec"), names)
    spent = names["OwnLoss"]().step(data["model"], data["batches"][:4])
    assert isinstance(spent, torch.Tensor)
    return spent


def test_a_compute_loss_with_terms_of_its_own_is_left_alone() -> None:
    repaired = offered(
        TRAINER
        + BUILT.replace(
            "labels.flatten())\n", "labels.flatten())\n        loss = loss + model.balance\n"
        )
    )

    assert repaired == []
