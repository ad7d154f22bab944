"""Spending: 1/items, 1/scale and the clip in one pass, then a step of each optimizer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from zerograd.engine import fused_division as fold
from zerograd.engine import nonfinite, scaler
from zerograd.engine.norms import clamp, divide, total_norm, values
from zerograd.engine.step import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    from zerograd.engine.books import EngineBooks
    from zerograd.engine.options import EngineOptions
    from zerograd.engine.precision import Widening

Number = float | torch.Tensor


class Spending:
    """Spends a window's deposits."""

    def __init__(self, books: EngineBooks, options: EngineOptions) -> None:
        self._books = books
        self._options = options
        self.raising = nonfinite.RaisingPolicy() if options.nonfinite == "raise" else None
        self._one = nonfinite.one()
        self._looks = options.nonfinite != "propagate" or books.scaler is not None
        self._true_gradients = (
            options.transform is not None
            or options.clip_value is not None
            or books.widening is not None
        )
        self._plain = not (self._looks or self._true_gradients or options.clip_norm is not None)
        self.skipped: Number = 0
        """Windows that changed nothing; a tensor where only the device knows."""

        self.instead: Callable[[], object] | None = None
        """What the finished gradient is handed to, in the place of the optimizers' steps."""

    def spend(self, index: int) -> Step:
        """Step every optimizer with the gradient of the window's mean."""
        books = self._books
        window = books.window
        step = Step(index, window.micro_batches, window.stated_items)
        if window.is_empty:
            self._skip(step)
            return step
        if self.instead is not None:
            step = self.prepare(index)
            self.instead()
            return step
        books.clearing.hide_unreached(books.accounts.parameters)
        divisor = window.divisor
        if self._plain and type(divisor) is float and divisor == 1:
            for optimizer in books.accounts.optimizers:
                optimizer.step()
        else:
            self._spend(step, divisor)
        return step

    def prepare(self, index: int) -> Step:
        """Leave the finished gradient in `.grad`, for who does not take it from `step()`."""
        books = self._books
        step = Step(index, books.window.micro_batches, books.window.stated_items)
        books.clearing.hide_unreached(books.accounts.parameters)
        scales, _ = self._finished(step, books.window.divisor)
        if self.raising is not None:
            self.raising.settle()  # nobody can take back later what is done with it now
        for own, scale in zip(books.accounts.by_optimizer, scales, strict=True):
            divide(self._values(own), scale)
        return step

    def _spend(self, step: Step, divisor: Number) -> None:
        scales, found = self._finished(step, divisor)
        self._step(step, scales, found)

    def _finished(self, step: Step, divisor: Number) -> tuple[list[Number], Tensor | None]:
        """Return what is still to be divided by, and the device's verdict."""
        books = self._books
        grads = self._values(books.accounts.parameters)
        found = self._look(grads, step) if self._looks else None
        if books.scaler is not None and found is not None:
            divisor = scaler.loss_scale(books.scaler) * divisor
            scaler.update(books.scaler, books.accounts.optimizers[0], found)
        if isinstance(divisor, torch.Tensor) and isinstance(books.window.items, torch.Tensor):
            divisor, found = _guarded(divisor, found)
        if self._true_gradients:
            divide(grads, divisor)
            divisor = 1.0
        if self._options.transform is not None:
            with torch.no_grad():  # as optimizers step: arithmetic on `.grad` is not recorded
                self._options.transform(books.accounts.parameters)
            grads = self._values(books.accounts.parameters)
        scales = self._clipped(step, grads, divisor)
        if books.widening is not None:
            scales = self._rounded(scales, books.widening)
        return scales, found

    def _values(self, parameters: Sequence[Tensor]) -> list[Tensor]:
        """Return what arithmetic in place is done on."""
        return values(parameters)

    def _norm(self, parameters: Sequence[Tensor], grads: list[Tensor]) -> Tensor:
        """Return the joint norm of these parameters' gradients, whose values are given."""
        del parameters
        return total_norm(grads)

    def _look(self, grads: list[Tensor], step: Step) -> Tensor | None:
        if self.raising is not None:
            return self.raising.judge(grads, self._books.accounts, step.index)
        return nonfinite.look(grads, self._one)

    def _clipped(self, step: Step, grads: list[Tensor], divisor: Number) -> list[Number]:
        """Return what each optimizer's gradients are to be divided by."""
        accounts = self._books.accounts
        limits = self._options.clip_norm
        scales: list[Number] = [divisor] * len(accounts.optimizers)
        if limits is not None and len(limits) == 1:
            norm = self._norm(accounts.parameters, grads)
            scales = [_limited(step, norm, divisor, limits[0])] * len(scales)
        elif limits is not None:
            pairs = zip(accounts.by_optimizer, limits, strict=True)
            norms = [(self._norm(own, self._values(own)), limit) for own, limit in pairs]
            scales = [_limited(step, norm, divisor, limit) for norm, limit in norms]
        if self._options.clip_value is not None:
            clamp(grads, self._options.clip_value)
        return scales

    def _rounded(self, scales: list[Number], widening: Widening) -> list[Number]:
        accounts = self._books.accounts
        for own, scale in zip(accounts.by_optimizer, scales, strict=True):
            divide(self._values(own), scale)
        widening.round(accounts.parameters)
        return [1.0] * len(scales)

    def _step(self, step: Step, scales: list[Number], found: Tensor | None) -> None:
        accounts = self._books.accounts
        if found is None and all(map(_is_one, scales)):
            for optimizer in accounts.optimizers:
                optimizer.step()
            return
        pairs = zip(accounts.optimizers, accounts.by_optimizer, strict=True)
        folding = [fold.folds(optimizer, own) for optimizer, own in pairs]
        if found is not None and not (
            all(folding) and all(map(fold.initialise_momentum, accounts.optimizers))
        ):
            if found.item():
                self._skip(step)
                return
            found = None
        self._defer(step, found)
        for optimizer, own, scale, folds in zip(
            accounts.optimizers, accounts.by_optimizer, scales, folding, strict=True
        ):
            if folds:
                fold.step(optimizer, scale, found)
            else:
                divide(self._values(own), scale)
                optimizer.step()

    def _skip(self, step: Step) -> None:
        step.skip()
        self.skipped = self.skipped + 1
        for optimizer in self._books.accounts.optimizers:
            # Schedulers warn when they advance before the first step; this window had none.
            optimizer._opt_called = True  # type: ignore[attr-defined]  # noqa: SLF001

    def _defer(self, step: Step, found: Tensor | None) -> None:
        if found is None:
            return
        step.decided(found, self.raising.settle if self.raising is not None else None)
        self.skipped = self.skipped + found


def _is_one(scale: Number) -> bool:
    return not isinstance(scale, torch.Tensor) and scale == 1


def _limited(step: Step, norm: Tensor, divisor: Number, limit: float) -> Number:
    """Return max(divisor, norm / limit), which *is* the clip: g / scale has at most the limit."""
    step.measured(norm, divisor, limit)
    if math.isinf(limit):
        return divisor
    if isinstance(divisor, torch.Tensor):
        return torch.maximum(norm / limit, divisor.to(norm.dtype))
    return (norm if limit == 1 else norm / limit).clamp(min=divisor)


def _guarded(divisor: Tensor, found: Tensor | None) -> tuple[Tensor, Tensor]:
    """Turn a count that only the device knows to be 0, or none at all, into a skipped step."""
    sound = divisor > 0
    empty = (~sound).float()
    verdict = empty if found is None else torch.maximum(found, empty)
    return torch.where(sound, divisor, torch.ones_like(divisor)).float(), verdict
