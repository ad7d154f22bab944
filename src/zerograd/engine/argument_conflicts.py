"""Arguments that cannot hold together, as a table: when, and why not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from torch import optim

from zerograd.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.engine.options import EngineOptions

SEPARABLE = (
    *(optim.SGD, optim.Adam, optim.AdamW, optim.Adagrad, optim.RMSprop, optim.NAdam, optim.RAdam),
    *(optim.Adamax, optim.Adadelta, optim.ASGD, optim.Rprop, optim.SparseAdam),
    *(kind for name in ("Adafactor", "Muon") if (kind := getattr(optim, name, None))),
)
"""Torch's optimizers that treat each parameter by itself."""


def refuse_contradictions(options: EngineOptions) -> None:
    """Raise the first contradiction's reason."""
    for holds, reason in CONTRADICTIONS:
        if holds(options):
            raise ArgumentError(reason)


def _clips(options: EngineOptions) -> bool:
    return options.clip_norm is not None and not all(map(math.isinf, options.clip_norm))


def _has(options: EngineOptions, *kinds: type[optim.Optimizer]) -> bool:
    return any(isinstance(optimizer, kinds) for optimizer in options.optimizers)


def _inseparable(options: EngineOptions) -> bool:
    kinds = {type(optimizer) for optimizer in options.optimizers}
    return options.step_in_backward and not options.separable and not kinds <= set(SEPARABLE)


CONTRADICTIONS: tuple[tuple[Callable[[EngineOptions], bool], str], ...] = (
    (
        lambda o: _has(o, optim.LBFGS) and (len(o.optimizers) > 1 or o.accumulate is not None),
        (
            "LBFGS evaluates the loss itself; give it an engine of its own with accumulate=None "
            "and call gradients.step(closure)"
        ),
    ),
    (
        lambda o: _has(o, optim.LBFGS) and o.scaler is not None,
        "LBFGS compares losses between evaluations, which a changing scale forbids; drop scaler=",
    ),
    (
        lambda o: _has(o, optim.SparseAdam) and o.clear != "none",
        (
            "SparseAdam refuses dense gradients, and clear='zero' keeps dense ones; "
            "write clear='none'"
        ),
    ),
    (
        lambda o: _clips(o) and o.clip_value is not None,
        (
            "clip_norm and clip_value have no agreed order; pass one of them and do the other in "
            "transform="
        ),
    ),
    (
        lambda o: o.scaler is not None and o.nonfinite == "raise",
        (
            "a scaler finds its scale by overflowing now and then, and nonfinite='raise' would "
            "stop at the first; drop one of them"
        ),
    ),
    (
        lambda o: o.separable and not o.step_in_backward,
        (
            "separable=True says that step_in_backward=True is sound for this optimizer; pass both "
            "or neither"
        ),
    ),
    (
        lambda o: o.step_in_backward and o.accumulate != 1,
        (
            "step_in_backward=True spends each gradient as soon as it is complete, so a window "
            "cannot hold several micro-batches; write accumulate=1"
        ),
    ),
    (
        lambda o: o.step_in_backward and o.clip_norm is not None,
        (
            "step_in_backward=True frees each gradient before the last one exists, so there is no "
            "joint norm; drop clip_norm=, or use clip_value="
        ),
    ),
    (
        lambda o: o.step_in_backward and o.scaler is not None,
        (
            "step_in_backward=True steps before it is known whether another gradient overflowed; "
            "drop scaler="
        ),
    ),
    (
        lambda o: o.step_in_backward and o.nonfinite != "propagate",
        (
            "step_in_backward=True steps before it is known whether another gradient is finite; "
            "write nonfinite='propagate'"
        ),
    ),
    (
        lambda o: o.step_in_backward and o.transform is not None,
        (
            "step_in_backward=True never holds all gradients at once, which transform= is given; "
            "drop one of them"
        ),
    ),
    (
        lambda o: o.step_in_backward and o.clear != "none",
        (
            "step_in_backward=True frees each gradient, and clear='zero' keeps them; "
            "write clear='none'"
        ),
    ),
    (
        lambda o: o.step_in_backward and o.accumulate_dtype is not None,
        (
            "step_in_backward=True has one deposit a window, so there is nothing to accumulate; "
            "drop accumulate_dtype="
        ),
    ),
    (
        _inseparable,
        (
            "step_in_backward=True steps each parameter by itself, and it is not known whether "
            "this optimizer may; pass separable=True if its update of one parameter reads no other"
        ),
    ),
)
