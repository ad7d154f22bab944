"""Experiment trackers for `zerograd.Gradients(track=...)` and `zerograd.watch(track=...)`.

    from zerograd.integrations.trackers import TensorBoard

    gradients = zerograd.Gradients(optimizer, clip_norm=1.0, track=TensorBoard(SummaryWriter()))

A tracker is whatever can be called with a step and a dict of scalars. These also see to it that a
device is waited for once in fifty windows, not at each of them.
"""

from __future__ import annotations

import atexit
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from zerograd.printable import say
from zerograd.reports.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import SupportsFloat

AT_ONCE = 50
"""Windows that are kept unread while their figures are on a device."""


class BufferedTracker(ABC):
    """Keeps what is still on a device, and writes many windows after one wait."""

    def __init__(self) -> None:
        self._unread: list[tuple[int, dict[str, SupportsFloat]]] = []

    def __call__(self, step: int, scalars: Mapping[str, SupportsFloat]) -> None:
        """Write these scalars, at once or with the next ones."""
        self._unread.append((step, dict(scalars)))
        if len(self._unread) >= AT_ONCE or not any(map(on_device, scalars.values())):
            self.flush()
        elif len(self._unread) == 1:
            atexit.register(self.flush_at_exit)  # a loop that ends without `gradients.close()`

    def flush(self) -> None:
        """Read and write all that is left."""
        atexit.unregister(self.flush_at_exit)
        windows, self._unread = self._unread, []
        figures = iter(read(value for _, scalars in windows for value in scalars.values()))
        for step, scalars in windows:
            self.write(step, {name: next(figures) for name in scalars})

    def flush_at_exit(self) -> None:
        """Write all that is left when the program ends; the user may have closed the tracker."""
        left = plural(len(self._unread), "window")
        try:
            self.flush()
        except Exception as error:  # whatever a tracker raises
            why = f"the tracker raised {type(error).__name__}: {error}"
            say(f"{left} not tracked: {why}; call gradients.close() before you close it")

    def report(self, text: str) -> None:
        """Write the findings of a watched run."""
        self.flush()
        self.write_text(text)

    @abstractmethod
    def write(self, step: int, scalars: dict[str, float]) -> None:
        """Write to this tracker."""

    @abstractmethod
    def write_text(self, text: str) -> None:
        """Write a text to this tracker."""


class TensorBoard(BufferedTracker):
    """Writes to a `torch.utils.tensorboard.SummaryWriter`."""

    def __init__(self, writer: Any) -> None:
        super().__init__()
        self._writer = writer

    def write(self, step: int, scalars: dict[str, float]) -> None:
        """Write scalars."""
        for name, value in scalars.items():
            self._writer.add_scalar(name, value, step)

    def write_text(self, text: str) -> None:
        """Write a text, indented so that TensorBoard's Markdown shows it as it is."""
        self._writer.add_text("findings", "\n".join(f"    {line}" for line in text.splitlines()))


class WeightsAndBiases(BufferedTracker):
    """Logs to a run of `wandb.init()`, online or offline.

    The steps are drawn over `gradients/step`: the run's own step is the user's.
    """

    def __init__(self, run: Any) -> None:
        super().__init__()
        self._run = run
        for name in ("gradients/*", "findings/*"):
            run.define_metric(name, step_metric="gradients/step")

    def write(self, step: int, scalars: dict[str, float]) -> None:
        """Log scalars."""
        self._run.log({**scalars, "gradients/step": step})

    def write_text(self, text: str) -> None:
        """Put a text into the run's summary."""
        self._run.summary["findings"] = text


class MLflow(BufferedTracker):
    """Logs to a run of MLflow: the one with this id, or the one that is active at first."""

    def __init__(self, run_id: str | None = None) -> None:
        super().__init__()
        self._run_id = run_id

    def write(self, step: int, scalars: dict[str, float]) -> None:
        """Log metrics."""
        import mlflow

        mlflow.log_metrics(scalars, step=step, run_id=self._run_id)
        self._remember(mlflow.active_run())

    def write_text(self, text: str) -> None:
        """Keep a text as an artifact."""
        import mlflow

        mlflow.log_text(text, "zerograd.txt", run_id=self._run_id)
        self._remember(mlflow.active_run())

    def _remember(self, active: Any) -> None:
        # Without an active run MLflow begins a new one: what comes after its end would go there.
        if self._run_id is None and active is not None:
            self._run_id = active.info.run_id


class Accelerate(BufferedTracker):
    """Logs by `accelerator.log`, to all trackers of `accelerator.init_trackers`."""

    def __init__(self, accelerator: Any) -> None:
        super().__init__()
        self._accelerator = accelerator

    def write(self, step: int, scalars: dict[str, float]) -> None:
        """Log scalars."""
        self._accelerator.log(scalars, step=step)

    def write_text(self, text: str) -> None:
        """Print a text on the main process: the trackers of Accelerate take none."""
        self._accelerator.print(text)


def on_device(scalar: SupportsFloat) -> bool:
    """Tell whether reading this scalar waits for a device."""
    device = getattr(scalar, "device", None)
    return device is not None and device.type != "cpu"


def read(scalars: Iterable[SupportsFloat]) -> list[float]:
    """Return scalars as numbers; those of one device in one transfer."""
    values = list(scalars)
    unread: dict[Any, list[int]] = {}
    for index, value in enumerate(values):
        if on_device(value):
            unread.setdefault(value.device, []).append(index)  # type: ignore[attr-defined]
    for indices in unread.values():
        import torch

        together = torch.stack([values[index].reshape(()).float() for index in indices])  # type: ignore[attr-defined]
        for index, number in zip(indices, together.tolist(), strict=True):
            values[index] = number
    return [float(value) for value in values]
