"""`zerograd.checkpoint()` and `resume()`: a whole training run in one file, written atomically."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from torch import nn
from torch.amp import GradScaler
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from zerograd.engine import state
from zerograd.engine.gradients import Gradients
from zerograd.engine.resume import checkpoint_file, fit, generators
from zerograd.engine.resume.rollback import StateBefore
from zerograd.errors import ArgumentError, CheckpointError, ZerogradError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from zerograd.engine.window_keeper import WindowKeeper

FORMAT = 2
"""Counted up whenever what a file holds changes."""

MARK = "zerograd"
"""The key that tells our files from others."""

KEYS = {"engines", "parts", "generators"}
"""What is in each of them besides."""

AS_SAVED = "build everything as it was when it was saved, or name another file"


class Stateful(Protocol):
    """Anything with torch's pair of methods: modules, averages, samplers."""

    def state_dict(self) -> Any:
        """Return the state."""

    def load_state_dict(self, state: Any, /) -> Any:
        """Take the state."""


def checkpoint(path: str | os.PathLike[str], *engines: Gradients, **parts: Stateful) -> None:
    """Write engines, their optimizers, schedulers and scalers, the generators, and `parts`.

    >>> zerograd.checkpoint("run.pt", gradients, model=model)

    The older file stays until the new one is complete on disk, and whatever fails leaves it alone.
    The new one has its permissions and owner; a link is written through, a hard link to the older
    file keeps the older file.
    """
    keepers = _checked(engines, parts)
    whole = {
        MARK: FORMAT,
        "engines": [
            _saved(engine, keeper) for engine, keeper in zip(engines, keepers, strict=True)
        ],
        "parts": {name: part.state_dict() for name, part in parts.items()},
        "generators": generators.capture(),
    }
    try:
        checkpoint_file.write(Path(path), whole)
    except checkpoint_file.UnreadableStateError as error:
        raise CheckpointError(
            f"{path} cannot be written: {_unreadable(whole, error)}; let its state_dict() return "
            "tensors, numbers and text"
        ) from error


def resume(
    path: str | os.PathLike[str],
    *engines: Gradients,
    missing_ok: bool = False,
    **parts: Stateful,
) -> bool:
    """Take everything up from a checkpoint, or refuse it and change nothing.

    >>> zerograd.resume("run.pt", gradients, model=model, missing_ok=True)
    >>> for epoch in range(gradients.epoch, epochs):

    The next `batches()` goes on with the micro-batch after the last one. Where there is no such
    file, `missing_ok=True` returns False, and everything else raises: a mistyped name would begin
    the training anew without a word.
    """
    if not isinstance(missing_ok, bool):
        raise ArgumentError(
            f"missing_ok is True or False, got {type(missing_ok).__name__}; give a part another "
            "name"
        )
    keepers = _checked(engines, parts)
    try:
        whole = checkpoint_file.read(Path(path))
    except (FileNotFoundError, NotADirectoryError) as error:
        if missing_ok and isinstance(error, FileNotFoundError):
            return False
        raise checkpoint_file.missing(Path(path)) from None
    _refuse_foreign(path, whole)
    _refuse_others(path, whole, keepers, parts)
    _load(path, list(_jobs(whole, keepers, parts)), keepers, whole)
    return True


class _Job:
    """One object that is to be loaded, and what was saved of it."""

    def __init__(
        self, label: str, part: Any, saved: Any, check: Callable[[str, Any, Any], None]
    ) -> None:
        self.label = label
        self.part = part
        self.saved = saved
        self._check = check

    def check(self) -> None:
        self._check(self.label, self.part, self.saved)

    def load(self) -> None:
        try:
            if isinstance(self.part, Optimizer):
                self.saved = fit.parted(self.part, self.saved)
            self.part.load_state_dict(self.saved)
        # It may be anybody's code, which may raise anything.
        except Exception as error:
            raise fit.MisfitError(
                f"{self.label} refuses its state ({' '.join(str(error).split())})"
            ) from error


def _load(
    path: str | os.PathLike[str],
    jobs: Sequence[_Job],
    keepers: Sequence[WindowKeeper],
    whole: dict[str, Any],
) -> None:
    """Check everything, then load everything; what fails all the same is taken back."""
    before = StateBefore()
    try:
        for job in jobs:
            job.check()
        generators.check("the file", whole["generators"])
        states = [
            state.checked(keeper, saved["engine"])
            for keeper, saved in zip(keepers, whole["engines"], strict=True)
        ]
        _remember(before, jobs, keepers)
        for job in jobs:
            job.load()
        for keeper, fitting in zip(keepers, states, strict=True):
            state.put(keeper, fitting)
            keeper.progress.at_checkpoint = whole["generators"]
        generators.restore(whole["generators"])
    except BaseException as error:
        before.put_back()
        if isinstance(error, CheckpointError):
            raise CheckpointError(f"{path}: {error}") from error
        if isinstance(error, ZerogradError) or not isinstance(error, Exception):
            raise
        what = error if isinstance(error, fit.MisfitError) else f"loading it failed ({error!r})"
        raise CheckpointError(
            f"{path} does not fit, and nothing was loaded: {what}; {AS_SAVED}"
        ) from error


def _remember(before: StateBefore, jobs: Sequence[_Job], keepers: Sequence[WindowKeeper]) -> None:
    drawn = generators.capture()
    before.on_failure(lambda: generators.restore(drawn))
    for job in jobs:
        before.keep(job.part)
    for keeper in keepers:
        before.on_failure(state.kept(keeper))
        if keeper.books.scaler is not None:
            before.keep(keeper.books.scaler)


def _jobs(
    whole: dict[str, Any], keepers: Sequence[WindowKeeper], parts: Mapping[str, Stateful]
) -> Iterator[_Job]:
    for name, part in parts.items():
        yield _Job(f"{name}=", part, whole["parts"][name], _check_of(part))
    for number, (keeper, saved) in enumerate(zip(keepers, whole["engines"], strict=True), 1):
        for kind, here in _owned(keeper):
            for place, (part, one) in enumerate(zip(here, saved[kind], strict=True), 1):
                label = f"{kind[:-1]} {place} of engine {number}"
                yield _Job(label, part, one, _check_of(part))


def _check_of(part: Any) -> Callable[[str, Any, Any], None]:
    kinds: tuple[tuple[type, Callable[[str, Any, Any], None]], ...] = (
        (nn.Module, fit.check_module),
        (Optimizer, fit.check_optimizer),
        (LRScheduler, fit.check_scheduler),
        (GradScaler, fit.check_scaler),
    )
    found = [check for kind, check in kinds if isinstance(part, kind)]
    return found[0] if found else lambda *_: None


def _owned(keeper: WindowKeeper) -> tuple[tuple[str, Sequence[Any]], ...]:
    return (
        ("optimizers", keeper.options.optimizers),
        ("schedulers", keeper.options.schedulers),
    )


def _checked(engines: Sequence[object], parts: Mapping[str, object]) -> list[WindowKeeper]:
    keepers = []
    for engine in engines:
        if not isinstance(engine, Gradients):
            raise ArgumentError(
                f"checkpoint() takes engines and named parts, got {type(engine).__name__}; write "
                "zerograd.checkpoint(path, gradients, model=model)"
            )
        engine._keeper.refuse_inside_itself()  # noqa: SLF001
        engine._keeper.refuse_inside_micro_batch("checkpoint() and resume()")  # noqa: SLF001
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


def _saved(engine: Gradients, keeper: WindowKeeper) -> dict[str, Any]:
    saved: dict[str, Any] = {"engine": engine.state_dict(), "kinds": _kinds(keeper)}
    for kind, here in _owned(keeper):
        saved[kind] = [one.state_dict() for one in here]
    return saved


def _kinds(keeper: WindowKeeper) -> dict[str, list[str]]:
    """Return the names of classes: AdamW takes over Adam's state, and is Adam from then on."""
    return {kind: [type(one).__name__ for one in here] for kind, here in _owned(keeper)}


def _unreadable(whole: dict[str, Any], error: Exception) -> str:
    """Return which part of a state could not be written or read back, and why."""
    pieces = {f"{name}=": saved for name, saved in whole["parts"].items()}
    for number, saved in enumerate(whole["engines"], 1):
        pieces[f"engine {number}"] = saved
    for label, saved in pieces.items():
        try:
            checkpoint_file.refuse_unreadable(io.BytesIO(), saved)
        except checkpoint_file.UnreadableStateError as found:
            return f"{label} {found}"
    return f"the state {error}"


def _refuse_foreign(path: str | os.PathLike[str], whole: Any) -> None:
    written = whole.get(MARK) if isinstance(whole, dict) else None
    if type(written) is int and written != FORMAT:
        raise CheckpointError(
            f"{path} was written by another version of zerograd, in format {written} where this "
            f"one reads {FORMAT}; install that version, or begin anew"
        )
    if type(written) is not int or not _is_whole(whole):
        raise CheckpointError(
            f"{path} was not written by zerograd.checkpoint(); name the file that was"
        )


def _is_whole(whole: dict[str, Any]) -> bool:
    """Whether a file has all that the checks look into."""
    if not whole.keys() >= KEYS or not isinstance(whole["parts"], dict):
        return False
    engines = whole["engines"]
    return isinstance(engines, list) and all(
        isinstance(one, dict)
        and one.keys() >= {"engine", "kinds", "optimizers", "schedulers"}
        and isinstance(one["optimizers"], list)
        and isinstance(one["schedulers"], list)
        and _is_named(one["kinds"])
        for one in engines
    )


def _is_named(kinds: Any) -> bool:
    return isinstance(kinds, dict) and all(
        isinstance(names, list) and all(isinstance(name, str) for name in names)
        for names in kinds.values()
    )


def _refuse_others(
    path: str | os.PathLike[str],
    whole: dict[str, Any],
    keepers: Sequence[WindowKeeper],
    parts: Mapping[str, object],
) -> None:
    if len(whole["engines"]) != len(keepers):
        raise CheckpointError(
            f"{path} holds {len(whole['engines'])} engines, and {len(keepers)} are to be resumed; "
            "name the same ones in the same order"
        )
    for keeper, saved in zip(keepers, whole["engines"], strict=True):
        _refuse_other_kinds(path, keeper, saved)
    if set(whole["parts"]) != set(parts):
        raise CheckpointError(
            f"{path} holds the parts {_named(whole['parts'])}, and {_named(parts)} are to be "
            "resumed; name the same ones"
        )


def _refuse_other_kinds(
    path: str | os.PathLike[str], keeper: WindowKeeper, saved: dict[str, Any]
) -> None:
    for kind, here in _owned(keeper):
        if len(saved[kind]) != len(here):
            raise CheckpointError(
                f"{path} holds {len(saved[kind])} {kind} of an engine, and the one to be resumed "
                f"has {len(here)}; build it as it was"
            )
    if saved["kinds"] != _kinds(keeper):
        raise CheckpointError(
            f"{path} holds the state of {_classes(saved['kinds'])}, and {_classes(_kinds(keeper))} "
            "are to be resumed; build the same ones in the same order"
        )


def _classes(kinds: dict[str, list[str]]) -> str:
    return ", ".join(name for names in kinds.values() for name in names)


def _named(parts: Mapping[str, object]) -> str:
    return ", ".join(f"{name}=" for name in sorted(map(str, parts))) or "none"
