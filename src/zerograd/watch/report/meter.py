"""Measure losses, gradient norms before steps and clips, and the loss scale for the HTML report.

It only reads, and only as often as the report can show: every step of a short run, ever fewer of a
long one. One measure is one pass over an optimizer's gradients, and waits for a device.
"""

from __future__ import annotations

from functools import wraps
from math import isfinite
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import torch

from zerograd.hooks.program_modes import has_values
from zerograd.watch.gradients.values import local

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from torch import Tensor
    from torch.optim import Optimizer

    from zerograd.history import OptimizerCourse
    from zerograd.watch.fast_path.call_cache import CallCache
    from zerograd.watch.report.recording import Recorder

P = ParamSpec("P")


def _alone(
    method: Callable[Concatenate[Meter, P], None],
) -> Callable[Concatenate[Meter, P], None]:
    """Let one thread at a time measure; `hooks` keeps our own mistakes out of the training."""

    @wraps(method)
    def alone(self: Meter, /, *args: P.args, **kwargs: P.kwargs) -> None:
        with self.poster.lock:
            # What was answered from memory belongs to a step that needs no measure.
            if self._cache.is_ahead:
                self._loss = self._scaler = None
            else:
                method(self, *args, **kwargs)

    return alone


class Meter:
    """Subscribed to `zerograd.hooks` after the observer, so that events come before measures."""

    hears_the_rest = True
    """A call that the fast path answers belongs to a step that needs no measure."""

    def __init__(self, recorder: Recorder, cache: CallCache) -> None:
        self.recorder = recorder
        self.poster = cache.poster
        self._cache = cache
        self._loss: Tensor | None = None
        self._scaler: Any = None
        """Has scaled the loss that is about to be deposited."""

    @_alone
    def group_added(self, optimizer: Optimizer) -> None:
        """Learn what an optimizer is called."""
        self._know(optimizer)

    @_alone
    def loss_scaled(self, scaler: Any, scaled: Any) -> None:
        """Remember that the next loss carries a scale."""
        del scaled
        self._scaler = scaler if scaler.is_enabled() else None

    @_alone
    def backward_begins(
        self, roots: Any, gradients: Any, retain_graph: bool, create_graph: bool
    ) -> None:
        """Keep the loss, without its graph, until it is known whose it is."""
        del gradients, retain_graph, create_graph
        loss = local(roots[0])
        self._loss = loss.detach() if loss.numel() == 1 and has_values(loss) else None

    @_alone
    def backward_ends(self, error: BaseException | None) -> None:
        """Read the loss for those that it reached."""
        loss, scaler = self._loss, self._scaler
        self._loss = self._scaler = None
        if loss is None or error is not None:
            return
        wanting = [one for one in self.recorder.deposited if one.loss.wants(one.step)]
        if wanting:
            value = float(loss) if scaler is None else float(loss) / scaler.get_scale()
            for course in wanting:
                course.loss.add(course.step, value)

    @_alone
    def step_begins(self, optimizer: Optimizer, has_closure: bool) -> None:
        """Measure what a step is about to spend."""
        if not has_closure:
            self._measure(optimizer)

    @_alone
    def closure_evaluated(self, optimizer: Optimizer) -> None:
        """Measure what the last evaluation of a closure left."""
        self._measure(optimizer)

    @_alone
    def clip_begins(self, parameters: list[Tensor], limit: Any, by_value: bool) -> None:
        """Measure what a clip is about to cut."""
        del limit, by_value
        wanting = [
            course for course in self.recorder.clipped if course.unclipped.wants(course.step)
        ]
        if wanting:
            norm = norm_of(parameters)
            for course in wanting:
                course.unclipped.add(course.step, norm)

    @_alone
    def scaler_step_begins(self, scaler: Any, optimizer: Optimizer) -> None:
        """Read the loss scale."""
        course = self._know(optimizer)
        if course is not None and scaler.is_enabled() and course.scale.wants(course.step):
            course.scale.add(course.step, scaler.get_scale())

    def _measure(self, optimizer: Optimizer) -> None:
        course = self._know(optimizer)
        # A scaler leaves it to the fused kernels to skip, and never says that they did.
        found = getattr(optimizer, "found_inf", None)
        if found is not None and float(found):
            self.recorder.skip(self.poster.registry.optimizers.number(optimizer))
            return
        ratio = self._ratio(optimizer)
        if course is None or not (ratio is not None or course.spent.wants(course.step)):
            return
        norm = norm_of(p for group in optimizer.param_groups for p in group["params"])
        # The fused kernels unscale by themselves.
        fused_scale = getattr(optimizer, "grad_scale", None)
        norm = norm if fused_scale is None else norm / float(fused_scale)
        course.spent.add(course.step, norm)
        if ratio is not None:
            course.meant.add(course.step, norm / ratio)

    def _ratio(self, optimizer: Optimizer) -> float | None:
        """Return by how much too long what this step spends is, where that was measured."""
        number = self.poster.registry.optimizers.number(optimizer)
        measures = self.poster.damages.last.items()
        ratios = [measure.ratio for (_, owner), measure in measures if owner == number]
        return next((ratio for ratio in ratios if isfinite(ratio) and ratio > 0), None)

    def _know(self, optimizer: Optimizer) -> OptimizerCourse | None:
        number = self.poster.registry.optimizers.number(optimizer)
        self.recorder.name(number, type(optimizer).__name__)
        return self.recorder.courses.get(number)


@torch.no_grad()
def norm_of(parameters: Iterable[Tensor]) -> float:
    """Return the norm over all gradients; of a sharded model, this rank's share of it."""
    norms = [norm for p in parameters if (norm := _norm(p.grad)) is not None]
    if not norms:
        return 0.0
    # Together, so that a device is waited for once.
    together = torch.stack([norm.to(norms[0].device, torch.float32) for norm in norms])
    return float(torch.linalg.vector_norm(together))


def _norm(gradient: Tensor | None) -> Tensor | None:
    if gradient is None or not has_values(gradient):
        return None
    if gradient.is_sparse:
        gradient = gradient.coalesce().values()
    own = local(gradient)
    wide = torch.float32 if own.dtype.itemsize == 2 else None  # 16 bits overflow at 65504
    norm: Tensor = torch.linalg.vector_norm(own, dtype=wide)
    return norm
