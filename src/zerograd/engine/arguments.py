"""The engine's arguments: checked once, at construction, each refusal with its reason."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from operator import index
from typing import TYPE_CHECKING, Any

import torch
from torch.optim import Optimizer
from torch.optim.lr_scheduler import ReduceLROnPlateau

from zerograd.engine.argument_conflicts import refuse_contradictions
from zerograd.engine.options import EngineOptions
from zerograd.engine.window import as_number
from zerograd.engine.wrapped import bare, unwrapped
from zerograd.errors import ArgumentError, UnknownArgumentError
from zerograd.history.tracker import refuse_no_tracker
from zerograd.hooks.torch_parts import need

if TYPE_CHECKING:
    from torch.amp import GradScaler

CHOICES = {
    "reduction": ("mean", "sum"),
    "tail": ("step", "carry", "drop", "error"),
    "sync": ("window", "micro-batch", "shards"),
    "nonfinite": ("propagate", "skip", "raise"),
    "clear": ("none", "zero"),
    "check": ("auto", "micro-batch", "step", "off"),
}
"""Arguments that take one of a few words."""


ELSEWHERE = {
    **dict.fromkeys(
        (
            *("gradient_accumulation_steps", "grad_accumulation_steps", "accumulation_steps"),
            *("grad_accum_steps", "grad_accum", "accum_steps", "accum_iter", "accum"),
            *("accumulate_grad_batches", "iter_size", "update_freq"),
        ),
        "accumulate",
    ),
    **dict.fromkeys(
        (
            *("max_norm", "max_grad_norm", "grad_norm", "grad_clip", "clip_grad"),
            *("gradient_clip_val", "clip_grad_norm", "gradient_clipping"),
        ),
        "clip_norm",
    ),
    "set_to_none": "clear",
}
"""What other libraries and scripts call the same argument."""


def refuse_misspelt(call: str, misspelt: Mapping[str, object], known: Iterable[str]) -> None:
    """Raise for an argument that does not exist, with the name that is meant."""
    for name in misspelt:
        nearest = [ELSEWHERE[name]] if name in ELSEWHERE else get_close_matches(name, known, n=1)
        where = "zerograd.Gradients" if call == "Gradients" else f"zerograd.Gradients.{call}"
        hint = f"did you mean {nearest[0]}=?" if nearest else f"help({where}) lists them"
        raise UnknownArgumentError(f"{call} has no argument {name!r}; {hint}")


def checked(optimizers: Any, arguments: dict[str, Any]) -> EngineOptions:
    """Return valid options, or raise with the reason."""
    refuse_misspelt("Gradients", arguments["misspelt"], arguments)
    for name, words in CHOICES.items():
        _refuse_unknown_word(name, arguments[name], words)
    for name in FLAGS:
        _refuse_no_flag(name, arguments[name])
    _refuse_no_record(arguments["record"])
    refuse_no_tracker(arguments["track"])
    given = checked_optimizers(optimizers)
    owned = tuple(unwrapped(one, arguments["scaler"]) for one in given)
    options = EngineOptions(
        optimizers=owned,
        accumulate=checked_accumulate(arguments["accumulate"]),
        clip_norm=_checked_norms(arguments["clip_norm"], owned),
        clip_value=_checked_limit("clip_value", arguments["clip_value"]),
        scaler=_checked_scaler(arguments["scaler"]),
        schedulers=_checked_schedulers(arguments["scheduler"], owned),
        accumulate_dtype=_checked_dtype(arguments["accumulate_dtype"]),
        transform=_checked_callable("transform", arguments["transform"]),
        on_step=_checked_callable("on_step", arguments["on_step"]),
        **{name: arguments[name] for name in CHOICES},
        **{name: arguments[name] for name in FLAGS},
    )
    refuse_contradictions(options)
    return options


FLAGS = ("only_own", "step_in_backward", "separable", "comm_hook_averages")


def _refuse_unknown_word(name: str, word: object, words: tuple[str, ...]) -> None:
    if word in words:
        return
    nearest = get_close_matches(str(word), words, n=1)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    listed = ", ".join(repr(known) for known in words)
    raise ArgumentError(f"{name} is one of {listed}, got {word!r}{hint}")


def _refuse_no_flag(name: str, flag: object) -> None:
    if not isinstance(flag, bool):
        raise ArgumentError(f"{name} is True or False, got {flag!r}")


def _refuse_no_record(record: Any) -> None:
    if not isinstance(record, bool) and not callable(getattr(record, "add_scalar", None)):
        raise ArgumentError(
            f"record is True, False or a torch.utils.tensorboard.SummaryWriter, got {record!r}"
        )


def checked_optimizers(optimizers: Any) -> tuple[Optimizer, ...]:
    """Return one or several optimizers as a tuple."""
    owned = (optimizers,) if isinstance(optimizers, Optimizer) else optimizers
    several = isinstance(owned, Iterable) and not isinstance(owned, torch.nn.Module | Mapping)
    owned = tuple(owned) if several else (owned,)
    strangers = [type(one).__name__ for one in owned if not isinstance(one, Optimizer)]
    if strangers or not owned:
        got = strangers[0] if strangers else "none"
        raise ArgumentError(
            f"Gradients takes a torch.optim.Optimizer or several, got {got}; "
            "write zerograd.Gradients(torch.optim.AdamW(model.parameters()))"
        )
    return owned


def checked_accumulate(accumulate: object) -> int | None:
    """Return how many micro-batches close a window; None for windows closed by hand."""
    if accumulate is None:
        return None
    number = _whole(accumulate)
    if number is None or number < 1:
        raise ArgumentError(
            f"accumulate is how many micro-batches close a window, 1 or more, or None to close it "
            f"with gradients.step(); got {accumulate!r}"
        )
    return number


def _whole(number: Any) -> int | None:
    """Return a whole number's value, also of numpy's; truth values are none."""
    if isinstance(number, bool):
        return None
    try:
        return index(number)
    except TypeError:
        return None


def _checked_limit(name: str, limit: Any) -> float | None:
    if limit is None:
        return None
    number = as_number(limit)
    if number is None or not number >= 0:
        raise ArgumentError(f"{name} is a limit above 0, or 0 for none, got {limit!r}")
    return number or None  # scripts write 0.0 where they do not clip


def _checked_norms(limit: Any, optimizers: tuple[Optimizer, ...]) -> tuple[float, ...] | None:
    if limit is None:
        return None
    if not isinstance(limit, Sequence) or isinstance(limit, str):
        joint = _checked_limit("clip_norm", limit)
        return None if joint is None else (joint,)
    if len(limit) != len(optimizers):
        raise ArgumentError(
            f"clip_norm has {len(limit)} limits for {len(optimizers)} "
            f"optimizer{'s' * (len(optimizers) != 1)}; give one for each, or one joint value"
        )
    return tuple(_checked_limit("clip_norm", one) or math.inf for one in limit)


def _checked_scaler(scaler: Any) -> GradScaler | None:
    if scaler is None:
        return None
    if not isinstance(scaler, torch.amp.GradScaler):
        raise ArgumentError(
            f"scaler is a torch.amp.GradScaler, got {type(scaler).__name__}; "
            'write scaler=torch.amp.GradScaler("cuda")'
        )
    if not scaler.is_enabled():
        return None
    for name in ("_get_scale_async", "_per_optimizer_states"):
        need(scaler, name)
    return scaler


def _checked_schedulers(scheduler: Any, optimizers: tuple[Optimizer, ...]) -> tuple[Any, ...]:
    if scheduler is None:
        return ()
    schedulers = tuple(scheduler) if isinstance(scheduler, Sequence) else (scheduler,)
    for one in schedulers:
        if isinstance(one, ReduceLROnPlateau):
            raise ArgumentError(
                "ReduceLROnPlateau needs a metric, which the engine does not have; "
                "call its step(metric) yourself after validation"
            )
        if isinstance(one, type):
            raise ArgumentError(
                f"scheduler is the class {one.__name__}; write scheduler={one.__name__}"
                "(optimizer, ...)"
            )
        if not callable(getattr(one, "step", None)):
            raise ArgumentError(f"scheduler has no step(): got {type(one).__name__}")
        scheduled: Any = getattr(one, "optimizer", optimizers[0])
        own = bare(scheduled)
        if own is not scheduled:
            # Schedulers warn when theirs was not stepped, and the engine steps what is inside.
            scheduled._opt_called = True  # noqa: SLF001
        if all(own is not optimizer for optimizer in optimizers):
            raise ArgumentError(
                f"{type(one).__name__} schedules another optimizer than this engine's; "
                "build it over the one that you pass"
            )
    return schedulers


def _checked_dtype(dtype: Any) -> torch.dtype | None:
    if dtype is None:
        return None
    if isinstance(dtype, torch.dtype) and dtype in (torch.float32, torch.float64):
        need(torch.Tensor, "grad_dtype")
        return dtype
    raise ArgumentError(f"accumulate_dtype is torch.float32 or torch.float64, got {dtype!r}")


def _checked_callable(name: str, function: Any) -> Any:
    if function is not None and not callable(function):
        raise ArgumentError(f"{name} is a function, got {type(function).__name__}")
    return function
