"""Run a program of several ranks, bare or watched, and return all that can be compared.

Each run is a child of one server process that has imported torch and run nothing; its ranks are
that child's forks, as the scripts themselves ask for.
"""

from __future__ import annotations

import gc
import hashlib
import multiprocessing
import os
import runpy
import shutil
import signal
import sys
import traceback
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from zerograd.findings import Results

SERVER = multiprocessing.get_context("forkserver")
# `torch._dynamo` is what the first optimizer of a process imports, and it takes as long again.
SERVER.set_forkserver_preload(
    ["numpy", "torch", "torch._dynamo", "torch.distributed.fsdp", "zerograd.watch.process.reporter"]
)

PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class RankRun:
    """What is left of a program of several ranks."""

    status: int | None
    """The exit status; None when it was still running."""

    printed: list[str]
    """The lines that its processes printed, sorted: ranks speak at the same time."""

    complaints: str
    """What they wrote to stderr."""

    updates: dict[str, str]
    """By rank, one number for all that its parameters ever were."""

    results: Results
    """What was found; nothing in a bare run."""


def has_ranks(program: Path) -> bool:
    """Whether a program, or the main file of its folder, starts processes that meet."""
    main = program / "main.py" if program.is_dir() else program
    text = main.read_text("latin-1")
    return "start_processes(" in text or ("get_context(" in text and "store" in text)


def run_ranks(program: Path, folder: Path, *, watched: bool) -> RankRun:
    """Run a program in a process of its own, with all the processes that it starts."""
    from zerograd.watch.process.gather_journals import gather

    shutil.rmtree(folder, ignore_errors=True)
    journals = folder / "journals"
    journals.mkdir(parents=True)
    child = SERVER.Process(target=_be_the_script, args=(program, folder, watched))
    child.start()
    child.join(PATIENCE)
    status = child.exitcode
    with suppress(ProcessLookupError, TypeError):
        # Its ranks too, if one of them hangs: the child leads a group of its own.
        os.killpg(child.pid, signal.SIGKILL)  # type: ignore[arg-type]
    child.join()
    return RankRun(
        status,
        sorted((folder / "stdout").read_text(errors="replace").splitlines()),
        (folder / "stderr").read_text(errors="replace"),
        {file.name: file.read_text() for file in sorted(folder.glob("rank-*"))},
        gather(journals, os.getpid()),
    )


def _be_the_script(program: Path, folder: Path, watched: bool) -> None:
    import torch

    os.setpgid(0, 0)
    gc.freeze()  # what the server imported is nobody's garbage, nor looked through
    # OpenMP's threads spin while they wait: on a busy machine a tiny program takes seconds.
    torch.set_num_threads(1)
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    os.chdir(folder)
    streams: tuple[tuple[Any, str], ...] = ((sys.stdout, "stdout"), (sys.stderr, "stderr"))
    for stream, name in streams:
        file = os.open(folder / name, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        os.dup2(file, stream.fileno())
        # A line at a time, whatever the environment says: parts of lines mix with other ranks'.
        stream.reconfigure(line_buffering=True, write_through=False)
    _listen_to_updates(folder)
    if watched:
        _watch(folder / "journals")
    sys.argv = [str(program)]
    sys.path.insert(0, str(program.parent))
    try:
        runpy.run_path(str(program), run_name="__main__")
    except Exception as error:
        sys.last_exc = error  # type: ignore[attr-defined]
        traceback.print_exc()
        sys.exit(1)


def _watch(journals: Path) -> None:
    """Do what `zerograd watch` has done in a process once torch is imported."""
    from multiprocessing.util import Finalize

    from zerograd.settings import Settings
    from zerograd.watch.process.options import ProcessOptions
    from zerograd.watch.process.reporter import Reporter

    settings = Settings(hints=True, preview=True)
    reporter = Reporter(journals, ProcessOptions(settings=settings, quiet=True))
    reporter.start()
    Finalize(None, reporter.finish, exitpriority=0)


def _listen_to_updates(folder: Path) -> None:
    """Append, after every step of every rank, one number for what its parameters are now."""
    import torch
    from torch import distributed
    from torch.optim.optimizer import register_optimizer_step_post_hook

    @torch._dynamo.disable  # type: ignore[untyped-decorator]
    def after_step(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        rank = distributed.get_rank() if distributed.is_initialized() else "alone"
        seen = hashlib.sha256()
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                local = getattr(parameter, "_local_tensor", parameter).detach()
                seen.update(local.contiguous().numpy().tobytes())
        with (folder / f"rank-{rank}").open("a") as file:
            file.write(f"{seen.hexdigest()}\n")

    register_optimizer_step_post_hook(after_step)
