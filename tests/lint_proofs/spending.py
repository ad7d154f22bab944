"""Run a program in a process of its own and tell what its steps spent, and what watch saw."""

from __future__ import annotations

import gc
import hashlib
import multiprocessing
import os
import runpy
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path

    import torch

SERVER = multiprocessing.get_context("forkserver")
# `torch._dynamo` is what the first optimizer of a process imports, and it takes as long again.
SERVER.set_forkserver_preload(
    [
        *("numpy", "torch", "torch._dynamo", "zerograd.watch.process.session"),
        *("zerograd.rules.catalogue", "zerograd.watch.report.finding_from_fault"),
    ]
)

PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Spending:
    """What is left of a program that ran."""

    steps: tuple[str, ...] = ()
    """For each step, the gradients that it spent and the parameters that it left, as a hash."""

    leaves: str = ""
    """The tensors that a program trains by hand, at its end."""

    ending: str = ""
    """Empty, or the exception that stopped it."""

    faults: frozenset[str] = frozenset()
    """Codes that watch reported at error or warning level."""

    @property
    def spent(self) -> tuple[object, ...]:
        """All that two programs must share to be called equal."""
        return self.steps, self.leaves, self.ending


def spending_of(program: Path, arguments: Sequence[str] = ()) -> Spending:
    """Run a program under watch, in its own folder."""
    answers, answer = SERVER.Pipe(duplex=False)
    child = SERVER.Process(target=_be_the_program, args=(program, arguments, answer))
    child.start()
    answer.close()
    try:
        found = answers.recv() if answers.poll(PATIENCE) else Spending(ending="still running")
    except EOFError:
        found = Spending(ending="died without an answer")
    child.kill()
    child.join()
    assert isinstance(found, Spending)
    return found


def _be_the_program(program: Path, arguments: Sequence[str], answer: Connection) -> None:
    import torch

    gc.freeze()  # what the server imported is nobody's garbage, nor looked through
    # OpenMP's threads spin while they wait: on a busy machine a tiny program takes seconds.
    torch.set_num_threads(1)
    torch.manual_seed(0)
    os.environ["OMP_NUM_THREADS"] = "1"
    os.chdir(program.parent)
    sys.argv = [str(program), *arguments]
    for stream in (sys.stdout, sys.stderr):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    steps = _listen()
    names, ending, faults = _watched(program)
    answer.send(Spending(tuple(steps), _digest(_leaves(names)), ending, faults))


def _watched(program: Path) -> tuple[dict[str, Any], str, frozenset[str]]:
    from zerograd.lifecycle import Severity
    from zerograd.watch.process.session import Session
    from zerograd.watch.report.finding_from_fault import findings

    sys.path.insert(0, str(program.parent))
    session, names, stopped = Session(), {}, None
    session.start()
    try:
        names = runpy.run_path(str(program), run_name="__main__")
    except BaseException as error:  # whatever ends a program belongs to what it does
        stopped = error
    session.stop(stopped)
    found = (item for item in findings(session.tally) if item.severity is not Severity.HINT)
    return names, type(stopped).__name__ if stopped else "", frozenset(f.rule.code for f in found)


def _listen() -> list[str]:
    """Return a list that gets the hash of what each step spends and leaves."""
    import torch
    from torch.optim import optimizer

    steps: list[str] = []
    before: dict[int, str] = {}

    @torch._dynamo.disable  # type: ignore[untyped-decorator]
    def about_to_step(stepping: torch.optim.Optimizer, given: Any, named: Any) -> None:
        # With a closure the step itself deposits: what lies there before it is nobody's matter.
        has_closure = len(given) > 1 or named.get("closure") is not None
        grads = [] if has_closure else [p.grad for p in _parameters(stepping)]
        before[id(stepping)] = _digest(grads)

    @torch._dynamo.disable  # type: ignore[untyped-decorator]
    def has_stepped(stepping: torch.optim.Optimizer, *_: Any) -> None:
        steps.append(before.pop(id(stepping), "") + _digest(_parameters(stepping)))

    optimizer.register_optimizer_step_pre_hook(about_to_step)
    optimizer.register_optimizer_step_post_hook(has_stepped)
    return steps


def _parameters(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _leaves(names: dict[str, Any]) -> list[torch.Tensor]:
    """Return the tensors that a flat script trains."""
    import torch

    return [
        value
        for value in names.values()
        if isinstance(value, torch.Tensor) and value.is_leaf and value.requires_grad
    ]


def _digest(tensors: Iterable[torch.Tensor | None]) -> str:
    """Return one short name for these values; a gradient of zeros counts like none."""
    import torch

    seen = hashlib.sha256()
    for tensor in tensors:
        if tensor is None or not tensor.detach().any():
            seen.update(b"nothing")
            continue
        plain = tensor.detach()
        plain = plain.to_dense() if plain.layout is not torch.strided else plain
        seen.update(plain.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return seen.hexdigest()[:12]
