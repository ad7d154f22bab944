"""A window saved and taken up again: sums, counts, the reference and the place in the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zerograd.engine.batches import OWN
from zerograd.engine.books import opened
from zerograd.engine.register import refuse_ended
from zerograd.errors import CheckpointError

if TYPE_CHECKING:
    from torch import Tensor

    from zerograd.engine.keeper import Keeper
    from zerograd.engine.progress import Progress

FORMAT = 1
COUNTS = ("micro_batches", "deposits", "items", "reference", "counted")


def save(keeper: Keeper) -> dict[str, Any]:
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


def _held(keeper: Keeper, parameter: Tensor) -> Tensor | None:
    books = keeper.books
    if not books.window.deposits or not books.clearing.reached(parameter):
        return None
    return None if parameter.grad is None else parameter.grad.detach().clone()


def load(keeper: Keeper, state: dict[str, Any]) -> None:
    """Take an engine up where `save` left it."""
    books, progress = keeper.books, keeper.progress
    refuse_ended(books)
    state = keeper.unpacked(state)
    _refuse_misfit(keeper, state)
    books.throw_away()
    keeper.seal.lift()  # what it held together is gone; what is put now is not written by others
    if books.widening is not None:
        books.widening.widen(books.accounts.parameters)
    books.clearing.leftovers(books.accounts.parameters)
    for parameter, saved in zip(books.accounts.parameters, state["accounts"], strict=True):
        _put(parameter, saved)
    for name in COUNTS:
        setattr(books.window, name, state["window"][name])
    books.window.restored = books.window.is_open
    if books.window.deposits:
        opened[id(books)] = books
    keeper.books.accumulate = state["accumulate"]
    keeper.windows = state["windows"]
    keeper.discarded = state["discarded"]
    keeper.spending.skipped = state["skipped"]
    if books.scaler is not None and state["scaler"] is not None:
        books.scaler.load_state_dict(state["scaler"])
    progress.leave()
    progress.epoch, progress.index = state["epoch"], state["index"]
    progress.start, progress.ahead = state["start"], state["ahead"]
    progress.resuming = progress.start is not None


def _put(parameter: Tensor, saved: Tensor | None) -> None:
    if saved is None:
        return
    if parameter.grad is None:
        parameter.grad = saved.detach().clone().to(parameter.device)
    else:
        parameter.grad.copy_(saved)


def _refuse_misfit(keeper: Keeper, state: Any) -> None:
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise CheckpointError(
            "this is no state of a zerograd engine; pass what gradients.state_dict() returned"
        )
    saved, here = len(state["accounts"]), len(keeper.books.accounts.parameters)
    if saved != here:
        raise CheckpointError(
            f"the saved engine has {saved} parameters and this one {here}; build the same model "
            "and optimizers first"
        )
    pairs = zip(state["accounts"], keeper.books.accounts.parameters, strict=True)
    for account, parameter in pairs:
        if account is not None and account.shape != parameter.shape:
            raise CheckpointError(
                f"the saved gradient has shape {tuple(account.shape)}, and "
                f"{keeper.books.accounts.name(parameter)} has {tuple(parameter.shape)}; build the "
                "same model and optimizers first"
            )
