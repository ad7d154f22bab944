"""The same loop in the training libraries: as their documentation writes it, all else off.

Accelerate, Fabric and Ignite leave the loop to the user and are measured like it. Lightning's and
Transformers' trainers own it: their blocks are whole runs, timed from inside between two steps, and
include fetching the batch from a list.
"""

from __future__ import annotations

import logging
import tempfile
import warnings
from time import thread_time
from typing import TYPE_CHECKING, Any

import torch
from measure import timed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from measure import Block
    from tasks import Task

WARMING = 20
"""Steps at the begin of a trainer's run that are not measured."""


def accelerate(make: Callable[[], Task], *, clip: float | None = None) -> Callable[[], Block]:
    """Train with `Accelerator.prepare` and `accelerator.backward`."""
    from accelerate import Accelerator

    def build() -> Block:
        task, accelerator = make(), Accelerator(cpu=True)
        model, optimizer = accelerator.prepare(task.model, task.optimizer)
        parameters = list(model.parameters())

        def step() -> None:
            optimizer.zero_grad()
            accelerator.backward(torch.nn.functional.mse_loss(model(task.inputs), task.targets))
            if clip is not None:
                accelerator.clip_grad_norm_(parameters, clip)
            optimizer.step()

        return timed(step)

    return build


def fabric(make: Callable[[], Task], *, clip: float | None = None) -> Callable[[], Block]:
    """Train with Lightning Fabric."""
    from lightning.fabric import Fabric

    def build() -> Block:
        task, ours = make(), Fabric(accelerator="cpu", devices=1)
        model, optimizer = ours.setup(task.model, task.optimizer)

        def step() -> None:
            optimizer.zero_grad()
            ours.backward(torch.nn.functional.mse_loss(model(task.inputs), task.targets))
            if clip is not None:
                ours.clip_gradients(model, optimizer, max_norm=clip)
            optimizer.step()

        return timed(step)

    return build


def ignite(make: Callable[[], Task], *, clip: float | None = None) -> Callable[[], Block]:
    """Train with an Ignite engine, its update function written by hand as in its guide."""
    from ignite.engine import Engine

    def build() -> Block:
        task = make()
        parameters = list(task.model.parameters())

        def update(_: Any, batch: tuple[torch.Tensor, torch.Tensor]) -> float:
            task.model.train()
            task.optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(task.model(batch[0]), batch[1])
            loss.backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
            if clip is not None:
                torch.nn.utils.clip_grad_norm_(parameters, clip)
            task.optimizer.step()
            return loss.item()

        batch = (task.inputs, task.targets)
        return lambda steps: timed(lambda: Engine(update).run([batch] * steps))(1)

    return build


def lightning(make: Callable[[], Task], *, clip: float | None = None) -> Callable[[], Block]:
    """Train with the Lightning Trainer, automatic optimization."""
    from lightning.pytorch import LightningModule, Trainer
    from lightning.pytorch.callbacks import Callback

    class Module(LightningModule):  # type: ignore[misc]  # its classes are unknown to mypy
        """The task as Lightning wants it."""

        def __init__(self, task: Task) -> None:
            super().__init__()
            self.task, self.model = task, task.model

        def training_step(self, batch: Any, _: int) -> torch.Tensor:
            """Return the loss."""
            return torch.nn.functional.mse_loss(self.model(batch[0]), batch[1])

        def configure_optimizers(self) -> torch.optim.Optimizer:
            """Return the task's own."""
            return self.task.optimizer

    class Clock(Callback):  # type: ignore[misc]  # its classes are unknown to mypy
        """Reads the time as each step begins."""

        def __init__(self) -> None:
            self.times: list[float] = []

        def on_train_batch_start(self, *_: Any) -> None:
            """Note the time."""
            self.times.append(thread_time())

    def build() -> Block:
        task = make()
        module = Module(task)

        def block(steps: int) -> float:
            clock, total = Clock(), WARMING + steps + 1
            trainer = Trainer(
                accelerator="cpu",
                devices=1,
                max_steps=total,
                max_epochs=1,
                logger=False,
                barebones=False,
                enable_checkpointing=False,
                enable_progress_bar=False,
                enable_model_summary=False,
                gradient_clip_val=clip,
                callbacks=[clock],
            )
            trainer.fit(module, Repeated((task.inputs, task.targets), total))
            return clock.times[-1] - clock.times[WARMING]

        return block

    return build


def transformers(make: Callable[[], Task], *, clip: float | None = None) -> Callable[[], Block]:
    """Train with the Transformers Trainer."""
    from transformers import PrinterCallback, Trainer, TrainerCallback, TrainingArguments

    class Model(torch.nn.Module):
        """The task as Transformers wants it: the forward returns the loss."""

        def __init__(self, model: torch.nn.Module) -> None:
            super().__init__()
            self.model = model

        def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
            """Return the loss."""
            return {"loss": torch.nn.functional.mse_loss(self.model(inputs), labels)}

    class Clock(TrainerCallback):  # type: ignore[misc]  # its classes are unknown to mypy
        """Reads the time as each step begins."""

        def __init__(self) -> None:
            self.times: list[float] = []

        def on_step_begin(self, *_: Any, **__: Any) -> None:
            """Note the time."""
            self.times.append(thread_time())

    def build() -> Block:
        task = make()
        model = Model(task.model)
        rows = [{"inputs": x, "labels": y} for x, y in zip(task.inputs, task.targets, strict=True)]
        batch = {"inputs": task.inputs, "labels": task.targets}

        def block(steps: int) -> float:
            clock, total = Clock(), WARMING + steps + 1
            with tempfile.TemporaryDirectory() as directory:
                trainer = Trainer(
                    model=model,
                    args=TrainingArguments(
                        output_dir=directory,
                        max_steps=total,
                        report_to="none",
                        save_strategy="no",
                        logging_strategy="no",
                        disable_tqdm=True,
                        max_grad_norm=clip or 0.0,
                        use_cpu=True,
                        per_device_train_batch_size=len(rows),
                    ),
                    train_dataset=rows * total,
                    data_collator=lambda _: batch,
                    optimizers=(task.optimizer, None),
                    callbacks=[clock],
                )
                trainer.remove_callback(PrinterCallback)
                trainer.train()
            return clock.times[-1] - clock.times[WARMING]

        return block

    return build


class Repeated:
    """A loader that hands out one batch again and again."""

    def __init__(self, batch: object, length: int) -> None:
        self.batch, self.length = batch, length

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[object]:
        return (self.batch for _ in range(self.length))


PEERS = {
    "Accelerate": accelerate,
    "Fabric": fabric,
    "Ignite": ignite,
    "Lightning Trainer": lightning,
    "Transformers Trainer": transformers,
}


def silence() -> None:
    """Keep the libraries' advice about progress bars and workers out of the table."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
