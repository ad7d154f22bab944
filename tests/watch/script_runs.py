"""Run a script as a user would, bare or watched, and return all that can be compared.

Each run is a child of one server process that has imported torch and run nothing.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import importlib
import multiprocessing
import os
import random
import runpy
import signal
import sys
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

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
class Found:
    """One finding, as an expectation names it."""

    code: str
    severity: str
    file: Path
    line: int


@dataclass(frozen=True, slots=True)
class Run:
    """What is left of a script that ran."""

    state: dict[str, object] = field(default_factory=dict)
    """Everything that watching must not change."""

    findings: tuple[Found, ...] = ()
    internal_error: str | None = None
    """A mistake of ours, which the script did not notice."""

    patched: tuple[str, ...] = ()
    """What of torch is no longer as it was found."""

    untold: frozenset[str] = frozenset()
    """The rules that this torch is too old for."""


def run_script(path: Path, folder: Path, *, watched: bool, meddle: str = "") -> Run:
    """Run a script in a process of its own; `meddle` is what a bad watcher would do."""
    if path.parent.name == "frameworks":
        return _run_with_frameworks(path, folder, watched, meddle)
    answers, answer = SERVER.Pipe(duplex=False)
    child = SERVER.Process(target=_be_the_script, args=(path, folder, watched, meddle, answer))
    child.start()
    answer.close()
    try:
        run = answers.recv() if answers.poll(PATIENCE) else Run(internal_error="still running")
    except EOFError:
        run = Run(internal_error="died without an answer")
    child.kill()
    child.join()
    assert isinstance(run, Run)
    return run


FRAMEWORKS = ("accelerate", "ignite.engine", "lightning", "transformers")


def _run_with_frameworks(path: Path, folder: Path, watched: bool, meddle: str) -> Run:
    line = _framework_server()
    line.send((path, folder, watched, meddle))
    run = line.recv() if line.poll(PATIENCE) else Run(internal_error="no answer")
    assert isinstance(run, Run)
    return run


@functools.cache
def _framework_server() -> Connection:
    """Start a process that has imported the frameworks too, which takes longer than a script."""
    line, its_line = SERVER.Pipe()
    SERVER.Process(target=_serve_with_frameworks, args=(its_line,), daemon=True).start()
    return line


def _serve_with_frameworks(line: Connection) -> None:
    for name in FRAMEWORKS:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    while True:
        path, folder, watched, meddle = line.recv()
        if not os.fork():
            _be_the_script(path, folder, watched, meddle, line)
            os._exit(0)
        os.wait()


def watch_scripts(paths: list[Path], folder: Path) -> list[Run]:
    """Watch scripts one after the other in one process, which is several times as fast."""
    answers, answer = SERVER.Pipe(duplex=False)
    child = SERVER.Process(target=_be_the_scripts, args=(paths, folder, answer))
    child.start()
    answer.close()
    runs: list[Run] = []
    try:
        while len(runs) < len(paths) and answers.poll(PATIENCE):
            runs.append(answers.recv())
    except EOFError:
        pass
    child.kill()
    child.join()
    return runs + [Run(internal_error="no answer")] * (len(paths) - len(runs))


def _be_the_scripts(paths: list[Path], folder: Path, answer: Connection) -> None:
    import torch

    gc.freeze()  # what the server imported is nobody's garbage, nor looked through
    torch.set_num_threads(1)
    os.chdir(folder)
    _redirect(folder)
    threads = torch.get_num_threads()
    for path in paths:
        run, findings, internal = _watch(path)
        answer.send(Run({"status": run["status"]}, findings, internal))
        del run
        gc.collect()  # nothing of one program is met by the next
        torch.set_num_threads(threads)
        torch.set_default_dtype(torch.float32)


def _be_the_script(
    path: Path,
    folder: Path,
    watched: bool,
    meddle: str,
    answer: Connection,
) -> None:
    import numpy as np
    import torch
    from torch_as_found import torch_as_found

    gc.freeze()  # what the server imported is nobody's garbage, nor looked through
    # OpenMP's threads spin while they wait: on a busy machine a tiny program takes seconds.
    torch.set_num_threads(1)
    os.environ["OMP_NUM_THREADS"] = "1"
    os.chdir(folder)
    _redirect(folder)
    torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)
    updates = _listen_to_updates()
    found = torch_as_found()
    exec(meddle, {})

    if watched:
        run, findings, internal = _watch(path)
    else:
        run, findings, internal = _run(path), (), None

    state = {**_state(run["globals"], folder), "status": run["status"], "updates": updates()}
    after = torch_as_found()
    patched = tuple(sorted(name for name in found if found[name] != after[name]))
    answer.send(Run(state, findings, internal, patched, _untold()))


def _untold() -> frozenset[str]:
    """Return the rules that this torch lacks a part for, whatever a script does."""
    from zerograd.hooks.torch_parts import PARTS, find

    absent = (part for part in PARTS if part.since and find(f"{part.owner}.{part.name}") is None)
    return frozenset(rule for part in absent for rule in part.rules)


def _watch(path: Path) -> tuple[dict[str, Any], tuple[Found, ...], str | None]:
    from zerograd.watch.process.session import Session
    from zerograd.watch.report.finding_from_fault import findings

    session = Session()
    session.start()
    run = _run(path)
    session.stop(run["error"])
    found = tuple(
        Found(f.rule.code, str(f.severity), Path(f.location.path).resolve(), f.location.line)
        for f in findings(session.tally)
    )
    mistake = session.internal_error
    words = "".join(traceback.format_exception(mistake)) if mistake is not None else None
    return run, found, words


def _run(path: Path) -> dict[str, Any]:
    """Be `python path`, but for the exit."""
    sys.argv = [str(path)]
    sys.path.insert(0, str(path.parent))
    try:
        return {
            "globals": runpy.run_path(str(path), run_name="__main__"),
            "status": 0,
            "error": None,
        }
    except SystemExit as ending:
        return {"globals": {}, "status": repr(ending.code), "error": ending}
    except BaseException as error:
        lines = traceback.extract_tb(error.__traceback__)
        place = [line.lineno for line in lines if Path(line.filename).parent == path.parent]
        return {"globals": {}, "status": f"{error!r} at {place}", "error": error}


def _redirect(folder: Path) -> None:
    """Send both streams to files, so that forked ranks are heard too."""
    for stream, name in ((sys.stdout, "stdout"), (sys.stderr, "stderr")):
        file = os.open(folder / name, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.dup2(file, stream.fileno())


def _listen_to_updates() -> Any:
    """Return a function that tells, as one number, what all parameters were after every step."""
    import torch
    from torch.optim.optimizer import register_optimizer_step_post_hook

    seen = hashlib.sha256()

    @torch._dynamo.disable  # type: ignore[untyped-decorator]
    def after_step(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                seen.update(_bytes(parameter))

    register_optimizer_step_post_hook(after_step)
    return seen.hexdigest


def _state(names: dict[str, Any], folder: Path) -> dict[str, object]:
    import torch

    sys.stdout.flush()
    sys.stderr.flush()
    tensors = hashlib.sha256()
    for tensor in _tensors(names, set()):
        tensors.update(_bytes(tensor))
    return {
        "tensors": tensors.hexdigest(),
        "stdout": (folder / "stdout").read_text(errors="replace"),
        "stderr": (folder / "stderr").read_text(errors="replace"),
        "torch generator": hashlib.sha256(_bytes(torch.get_rng_state())).hexdigest(),
        "random generator": random.getstate(),
        "numpy generator": _numpy_state(),
        "default dtype": str(torch.get_default_dtype()),
        "threads": torch.get_num_threads(),
        "gradient mode": torch.is_grad_enabled(),
        "warning filters": repr(warnings.filters),
        "signal handlers": {
            number.name: str(signal.getsignal(number)) for number in signal.Signals
        },
    }


def _numpy_state() -> object:
    import numpy as np

    return repr(np.random.get_state(legacy=False))


def _bytes(tensor: torch.Tensor) -> bytes:
    import torch

    plain = tensor.detach()
    if plain.is_meta:
        return repr(plain.shape).encode()
    if plain.layout is not torch.strided:
        plain = plain.to_dense()
    plain = getattr(plain, "_local_tensor", plain).contiguous().reshape(-1)
    with contextlib.suppress(RuntimeError):  # conjugate and negative views
        plain = plain.resolve_conj().resolve_neg()
    return plain.view(torch.uint8).numpy().tobytes() if plain.numel() else b""


def _tensors(value: Any, seen: set[int]) -> Iterator[torch.Tensor]:
    """Yield every tensor that is reachable from here, each once."""
    import torch

    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, torch.Tensor):
        yield value
        if value.is_leaf and value.grad is not None:
            yield value.grad
    for inner in _inside(value):
        yield from _tensors(inner, seen)


def _inside(value: Any) -> list[Any]:
    import torch

    if isinstance(value, (torch.nn.Module, torch.optim.Optimizer)):
        return list(vars(value).values())
    if isinstance(value, dict):
        return [value[key] for key in value if not str(key).startswith("__")]
    if isinstance(value, (list, tuple)):
        return list(value)
    own = getattr(type(value), "__module__", None) == "__main__"
    return list(vars(value).values()) if own and hasattr(value, "__dict__") else []
