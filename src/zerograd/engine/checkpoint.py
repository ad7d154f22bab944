"""`zerograd.checkpoint()` and `resume()`: a whole training run in one file, written atomically."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import torch

from zerograd.engine import generators
from zerograd.engine.gradients import Gradients
from zerograd.errors import ArgumentError, CheckpointError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import BinaryIO

    from zerograd.engine.keeper import Keeper

FORMAT = 1
MARK = "zerograd"
"""The key that tells our files from others."""

KEYS = {"engines", "parts", "generators"}
"""What is in each of them besides."""

PARTIAL = ".partial"
"""What a save that was killed leaves beside the file; the next one writes over it."""


class Stateful(Protocol):
    """Anything with torch's pair of methods: modules, averages, samplers."""

    def state_dict(self) -> Any:
        """Return the state."""

    def load_state_dict(self, state: Any, /) -> Any:
        """Take the state."""


def checkpoint(path: str | os.PathLike[str], *engines: Gradients, **parts: Stateful) -> None:
    """Write engines, their optimizers, schedulers and scalers, the generators, and `parts`.

    >>> zerograd.checkpoint("run.pt", gradients, model=model)

    The older file stays until the new one is complete on disk.
    """
    keepers = _checked(engines, parts)
    state = {
        MARK: FORMAT,
        "engines": [
            _saved(engine, keeper) for engine, keeper in zip(engines, keepers, strict=True)
        ],
        "parts": {name: part.state_dict() for name, part in parts.items()},
        "generators": generators.capture(),
    }
    _write(Path(path), state)


def resume(path: str | os.PathLike[str], *engines: Gradients, **parts: Stateful) -> bool:
    """Take everything up from a checkpoint; False when there is no such file.

    >>> zerograd.resume("run.pt", gradients, model=model)
    >>> for epoch in range(gradients.epoch, epochs):

    The next `batches()` goes on with the micro-batch after the last one.
    """
    keepers = _checked(engines, parts)
    if not Path(path).exists():
        return False
    state = _read(Path(path))
    _refuse_misfit(Path(path), state, engines, parts)
    for name, part in parts.items():
        part.load_state_dict(state["parts"][name])
    for engine, keeper, saved in zip(engines, keepers, state["engines"], strict=True):
        _loaded(engine, keeper, saved)
        keeper.progress.at_checkpoint = state["generators"]
    generators.restore(state["generators"])
    return True


def _checked(engines: Sequence[object], parts: Mapping[str, object]) -> list[Keeper]:
    keepers = []
    for engine in engines:
        if not isinstance(engine, Gradients):
            raise ArgumentError(
                f"checkpoint() takes engines and named parts, got {type(engine).__name__}; write "
                "zerograd.checkpoint(path, gradients, model=model)"
            )
        keepers.append(engine._keeper)  # noqa: SLF001  the same package
    if not engines and not parts:
        raise ArgumentError(
            "there is nothing to save or to resume; write "
            "zerograd.checkpoint(path, gradients, model=model)"
        )
    for name, part in parts.items():
        if isinstance(part, Gradients):
            raise ArgumentError(
                f"{name}= is an engine, and engines come before the named parts, without names; "
                "write zerograd.checkpoint(path, gradients, model=model)"
            )
        if not hasattr(part, "state_dict") or not hasattr(part, "load_state_dict"):
            raise ArgumentError(
                f"{name}= has no state_dict() and load_state_dict(), got {type(part).__name__}"
            )
    return keepers


def _saved(engine: Gradients, keeper: Keeper) -> dict[str, Any]:
    return {
        "engine": engine.state_dict(),
        "optimizers": [optimizer.state_dict() for optimizer in keeper.options.optimizers],
        "schedulers": [scheduler.state_dict() for scheduler in keeper.options.schedulers],
    }


def _loaded(engine: Gradients, keeper: Keeper, saved: dict[str, Any]) -> None:
    for optimizer, state in zip(keeper.options.optimizers, saved["optimizers"], strict=True):
        optimizer.load_state_dict(state)
    for scheduler, state in zip(keeper.options.schedulers, saved["schedulers"], strict=True):
        scheduler.load_state_dict(state)
    engine.load_state_dict(saved["engine"])


def _write(path: Path, state: dict[str, Any]) -> None:
    if not path.parent.is_dir():
        raise CheckpointError(
            f"there is no folder {path.parent}; make it first: mkdir -p {path.parent}"
        )
    if path.exists() and not path.is_file() and not path.is_dir():
        raise CheckpointError(
            f"{path} is a device or a pipe, which no checkpoint may take the place of; name a file"
        )
    partial = path.parent / (path.name + PARTIAL)
    try:
        with partial.open("wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise CheckpointError(
            f"{path} cannot be written ({error.strerror}), and an older file is as it was; name "
            "another file"
        ) from error
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """Make the new name itself survive a power cut, where folders can be opened."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _read(path: Path) -> dict[str, Any]:
    if path.is_dir():
        raise CheckpointError(f"{path} is a folder; name the file that checkpoint() wrote in it")
    try:
        with path.open("rb") as file:
            state = _loaded_from(file)
    except PermissionError as error:
        raise CheckpointError(
            f"{path} cannot be read ({error.strerror}); see who owns it"
        ) from error
    # Neither zipfile nor torch.load says what a damaged file may make it stumble over.
    except Exception as error:
        raise _torn(path) from error
    if not isinstance(state, dict) or state.get(MARK) != FORMAT or not state.keys() >= KEYS:
        raise CheckpointError(
            f"{path} was not written by zerograd.checkpoint(); name the file that was"
        )
    return state


def _loaded_from(file: BinaryIO) -> Any:
    # torch.load does not look at the checksums that torch.save wrote.
    with zipfile.ZipFile(file) as archive:
        damaged = archive.testzip()
    if damaged is not None:
        raise zipfile.BadZipFile(damaged)
    file.seek(0)
    return torch.load(file, map_location="cpu", weights_only=True)


def _torn(path: Path) -> CheckpointError:
    return CheckpointError(
        f"{path} is torn or no checkpoint at all, and nothing was loaded; name an older file, or "
        "remove it to begin anew"
    )


def _refuse_misfit(
    path: Path, state: dict[str, Any], engines: Sequence[Gradients], parts: Mapping[str, object]
) -> None:
    if len(state["engines"]) != len(engines):
        raise CheckpointError(
            f"{path} holds {len(state['engines'])} engines, and {len(engines)} are to be resumed; "
            "name the same ones in the same order"
        )
    for engine, saved in zip(engines, state["engines"], strict=True):
        _refuse_other_optimizers(path, engine, saved)
    if set(state["parts"]) != set(parts):
        raise CheckpointError(
            f"{path} holds the parts {_named(state['parts'])}, and {_named(parts)} are to be "
            "resumed; name the same ones"
        )


def _refuse_other_optimizers(path: Path, engine: Gradients, saved: dict[str, Any]) -> None:
    options = engine._keeper.options  # noqa: SLF001  the same package
    for kind, here in (("optimizers", options.optimizers), ("schedulers", options.schedulers)):
        if len(saved[kind]) != len(here):
            raise CheckpointError(
                f"{path} holds {len(saved[kind])} {kind} of an engine, and the one to be resumed "
                f"has {len(here)}; build it as it was"
            )


def _named(parts: Mapping[str, object]) -> str:
    return ", ".join(f"{name}=" for name in sorted(parts)) or "none"
