"""A window saved and taken up again: sums, counts, the reference and the place in the data."""

from __future__ import annotations

import math
from copy import copy
from typing import TYPE_CHECKING, Any

from torch import Tensor

from zerograd.engine.batches import OWN
from zerograd.engine.books import opened
from zerograd.engine.register import refuse_ended
from zerograd.engine.resume import generators
from zerograd.engine.resume.fit import MisfitError, check_scaler, check_tensor, is_count, is_number
from zerograd.engine.resume.rollback import StateBefore
from zerograd.errors import CheckpointError
from zerograd.record import values_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.engine.resume.progress import Progress
    from zerograd.engine.window_keeper import WindowKeeper

FORMAT = 1
COUNTS = ("micro_batches", "deposits", "items", "reference", "counted")
KEYS = {
    "format",
    "accounts",
    "window",
    "accumulate",
    "windows",
    "discarded",
    "skipped",
    "scaler",
} | {*("epoch", "index", "start", "ahead")}
"""What an engine's state has; a rank adds its reference."""


def save(keeper: WindowKeeper) -> dict[str, Any]:
    """Return everything of an engine that its optimizers and schedulers do not keep."""
    books, progress = keeper.books, keeper.progress
    state = {
        "format": FORMAT,
        "accounts": [_held(keeper, parameter) for parameter in books.accounts.parameters],
        "window": {name: getattr(books.window, name) for name in COUNTS},
        "accumulate": keeper.books.accumulate,
        "windows": keeper.windows,
        "discarded": keeper.discarded,
        "skipped": int(keeper.spending.skipped),
        "scaler": None if books.scaler is None else books.scaler.state_dict(),
        "epoch": progress.epoch,
        "index": progress.next_index,
        "start": _start(progress),
        "ahead": progress.ahead,
    }
    return keeper.packed(state)


def _start(progress: Progress) -> dict[str, Any] | None:
    """Return how the loader is brought to the next batch: by its own state, or by drawing."""
    if not progress.next_index:
        return None
    ask = getattr(progress.loader, "state_dict", None)
    if ask is None or not hasattr(progress.loader, "load_state_dict"):
        return progress.start
    return {OWN: ask()}


def _held(keeper: WindowKeeper, parameter: Tensor) -> Tensor | None:
    books = keeper.books
    if not books.window.deposits or not books.clearing.reached(parameter):
        return None
    return None if parameter.grad is None else parameter.grad.detach().clone()


def load(keeper: WindowKeeper, state: Any) -> None:
    """Take an engine up where `save` left it, or change nothing."""
    before = StateBefore()
    before.on_failure(kept(keeper))
    if keeper.books.scaler is not None:
        before.keep(keeper.books.scaler)
    try:
        put(keeper, checked(keeper, state))
    except MisfitError as misfit:
        raise CheckpointError(f"{misfit}; build the same model and optimizers first") from misfit
    except BaseException:
        before.put_back()
        raise


def checked(keeper: WindowKeeper, state: Any) -> dict[str, Any]:
    """Return a saved state if the engine can go on with it; nothing is changed."""
    refuse_ended(keeper.books)
    own: Any = keeper.unpacked(state)
    if not isinstance(own, dict) or own.get("format") != FORMAT:
        raise CheckpointError(
            "this is no state of a zerograd engine; pass what gradients.state_dict() returned"
        )
    if own.keys() - {"rank reference"} != KEYS or not isinstance(own["window"], dict):
        raise MisfitError("the saved engine has other fields than this one")
    _check_counts(own)
    _check_window(own["window"], own["accumulate"])
    _check_place(own)
    _check_accounts(keeper, own)
    _check_scale(keeper, own["scaler"])
    if keeper.options.step_in_backward and own["accumulate"] != 1:
        raise MisfitError("the saved engine has a window over 1, and this one steps in backward")
    return own


def _check_counts(state: dict[str, Any]) -> None:
    for name in ("windows", "discarded", "skipped", "epoch", "index"):
        if not is_count(state[name]):
            raise MisfitError(f"{name} of the saved engine is {state[name]!r}, which is no count")
    accumulate = state["accumulate"]
    if accumulate is not None and (not is_count(accumulate) or accumulate == 0):
        raise MisfitError(f"accumulate of the saved engine is {accumulate!r}")


def _check_window(window: dict[str, Any], accumulate: int | None) -> None:
    if window.keys() != set(COUNTS):
        raise MisfitError("the saved window has other fields than this one")
    for name in ("micro_batches", "deposits"):
        if not is_count(window[name]):
            raise MisfitError(f"{name} of the saved window is {window[name]!r}, which is no count")
    items, reference = window["items"], window["reference"]
    if isinstance(items, Tensor) and items.numel() == 1 and not items.is_meta:
        items = items.item()
    for name, value in (("items", items), ("reference", reference)):
        if not is_number(value) or not 0 <= value < math.inf:
            raise MisfitError(f"{name} of the saved window is {value!r}, which is no count")
    if window["counted"] not in (None, True, False) or (window["deposits"] and not reference):
        raise MisfitError("the saved window contradicts itself")
    if accumulate is not None and window["micro_batches"] >= accumulate:
        raise MisfitError(
            f"the saved window has {window['micro_batches']} of {accumulate} micro-batches, and "
            "would have been spent"
        )


def _check_place(state: dict[str, Any]) -> None:
    for name in ("start", "ahead"):
        place = state[name]
        if place is not None and not (isinstance(place, dict) and OWN in place):
            generators.check(f"{name} of the saved engine", place)
    if state["index"] and state["start"] is None:
        raise MisfitError("the saved engine does not say how its data is brought to its place")


def _check_accounts(keeper: WindowKeeper, state: dict[str, Any]) -> None:
    accounts = keeper.books.accounts
    if not isinstance(state["accounts"], list):
        raise MisfitError("the saved engine has no accounts")
    if len(state["accounts"]) != len(accounts.parameters):
        raise MisfitError(
            f"the saved engine has {len(state['accounts'])} parameters and this one "
            f"{len(accounts.parameters)}"
        )
    for saved, parameter in zip(state["accounts"], accounts.parameters, strict=True):
        if saved is None:
            continue
        if not state["window"]["deposits"]:
            raise MisfitError("the saved engine has a gradient, and its window no deposit")
        check_tensor(f"the gradient of {accounts.name(parameter)}", saved, shape=parameter.shape)


def _check_scale(keeper: WindowKeeper, saved: Any) -> None:
    scaler = keeper.books.scaler
    if (scaler is None) is not (saved is None):
        had, has = ("a", "no") if scaler is None else ("no", "a")
        raise MisfitError(f"the saved engine has {had} scaler and this one {has} scaler")
    if scaler is not None:
        check_scaler("the scaler", scaler, saved)


def put(keeper: WindowKeeper, state: dict[str, Any]) -> None:
    """Let an engine go on with a state that `checked` returned."""
    books, progress = keeper.books, keeper.progress
    if books.scaler is not None:
        books.scaler.load_state_dict(state["scaler"])
    books.throw_away()
    keeper.seal.lift()  # what it held together is gone; what is put now is not written by others
    if books.widening is not None:
        books.widening.widen(books.accounts.parameters)
    books.clearing.leftovers(books.accounts.parameters)
    for parameter, saved in zip(books.accounts.parameters, state["accounts"], strict=True):
        _put(parameter, saved)
    for name in COUNTS:
        setattr(books.window, name, state["window"][name])
    books.window.settled = books.window.deposits
    books.window.restored = books.window.is_open
    if books.window.deposits:
        opened[id(books)] = books
    keeper.books.accumulate = state["accumulate"]
    keeper.windows = state["windows"]
    keeper.discarded = state["discarded"]
    keeper.spending.skipped = state["skipped"]
    progress.leave()
    progress.epoch, progress.index = state["epoch"], state["index"]
    progress.start, progress.ahead = state["start"], state["ahead"]
    progress.resuming = progress.start is not None
    keeper.resumed(state)


def _put(parameter: Tensor, saved: Tensor | None) -> None:
    if saved is None:
        return
    if parameter.grad is None:
        parameter.grad = saved.detach().clone().to(parameter.device)
    else:
        parameter.grad.copy_(saved)


def kept(keeper: WindowKeeper) -> Callable[[], None]:
    """Return what lets an engine be as it is now, its scaler excepted."""
    books = keeper.books
    window, progress = copy(books.window), copy(keeper.progress)
    counts = books.accumulate, keeper.windows, keeper.discarded, keeper.spending.skipped
    held = [
        (parameter, parameter.grad, None if grad is None else grad.detach().clone())
        for parameter in books.accounts.parameters
        for grad in (parameter.grad,)
    ]

    def put_back() -> None:
        for parameter, grad, content in held:
            parameter.grad = grad
            if grad is not None and content is not None:
                grad.detach().copy_(content)
        for one, before in ((books.window, window), (keeper.progress, progress)):
            for name, value in values_of(before).items():
                setattr(one, name, value)
        books.accumulate, keeper.windows, keeper.discarded, keeper.spending.skipped = counts
        if books.window.deposits:
            opened[id(books)] = books
        else:
            opened.pop(id(books), None)
        keeper.seal.lift()  # the versions that it would compare are others by now

    return put_back
