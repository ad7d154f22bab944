"""Run the program of one rule page in a process of its own, and report each step as it happens.

What the program prints passes through; our own lines, marked, are JSON: one row for each step, and
at the end everything that was found and recorded.
"""

from __future__ import annotations

import json
import runpy
import sys
import traceback
from typing import TYPE_CHECKING, Any

from zerograd import hooks
from zerograd.findings.record import to_record
from zerograd.settings import Settings
from zerograd.watch.gradients.values import local
from zerograd.watch.process.session import Session
from zerograd.watch.report.meter import norm_of
from zerograd.watch.report.paths import begin_here
from zerograd.watch.report.run_summary import seen_by

if TYPE_CHECKING:
    from torch.optim import Optimizer

MARK = "\x1fzerograd "
"""How our own lines begin; no program of a page prints this."""


class StepPrinter:
    """Subscribed to `zerograd.hooks`: tells loss and gradient norm of every step."""

    def __init__(self) -> None:
        self._steps: dict[int, int] = {}
        self._losses: list[float] = []

    def backward_begins(
        self, roots: Any, gradients: Any, retain_graph: bool, create_graph: bool
    ) -> None:
        """Remember the loss."""
        del gradients, retain_graph, create_graph
        loss = local(roots[0])
        if loss.numel() == 1:
            self._losses.append(float(loss.detach()))

    def step_begins(self, optimizer: Optimizer, has_closure: bool) -> None:
        """Tell what the step is about to spend."""
        del has_closure
        step = self._steps[id(optimizer)] = self._steps.get(id(optimizer), 0) + 1
        losses, self._losses = self._losses, []
        tell(
            {
                "step": step,
                "optimizer": type(optimizer).__name__,
                "loss": sum(losses) / len(losses) if losses else None,
                "norm": norm_of(p for group in optimizer.param_groups for p in group["params"]),
            }
        )


def tell(record: dict[str, Any]) -> None:
    """Write one of our own lines."""
    sys.stdout.write(f"{MARK}{json.dumps(record)}\n")
    sys.stdout.flush()


def show(script: str) -> None:
    """Run a script under watch, and tell."""
    session, shower = Session(Settings(hints=True, preview=True), record=True), StepPrinter()
    begin_here()
    session.start()
    hooks.subscribe(shower)
    error: BaseException | None = None
    try:
        runpy.run_path(script, run_name="__main__")
    except Exception as stopped:  # some pages show how torch itself stops
        error = stopped
        last = traceback.format_exception_only(error)[-1].strip().splitlines()[-1]
        sys.stdout.write(f"{last}\n")
    hooks.unsubscribe(shower)
    session.stop(error)
    assert session.recorder is not None
    tell(
        {
            "findings": [to_record(finding) for finding in session.findings],
            "history": session.recorder.history().record(),
            "steps": seen_by(session.fast_path).steps,
        }
    )


if __name__ == "__main__":
    show(sys.argv[1])
