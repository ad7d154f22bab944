"""Read what a node of the graph saved for its backward, without unpacking anything."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch.autograd import profiler

from zerograd.hooks.program_modes import has_values, is_operation_mode_on
from zerograd.hooks.torch_parts import read


def saved_tensor(node: Any, name: str) -> Tensor | None:
    """Return a tensor that a node saved, or None where reading it would run code of others.

    To unpack a tensor under `saved_tensors_hooks` runs the hook: activation checkpointing would
    compute a forward again, with its side effects. A torch that does not tell is not asked.
    """
    raw = getattr(node, f"_raw_saved_{name}", None)
    if raw is None or read(raw, "unpack_hook", unpacks_unseen) is not None:
        return None
    saved = raw.data
    return saved if isinstance(saved, Tensor) and has_values(saved) else None


def unpacks_unseen() -> None:
    """Stand for the hook that an older torch may have and does not show."""


def saved_number(node: Any, name: str) -> float | None:
    """Return a number that a node saved: as a number, or as a tensor of one element."""
    if hasattr(node, f"_raw_saved_{name}"):
        saved = saved_tensor(node, name)
        return number_of(saved) if saved is not None and saved.numel() == 1 else None
    number = getattr(node, f"_saved_{name}", None)
    return float(number) if isinstance(number, (int, float)) else None


def number_of(tensor: Tensor) -> float:
    """Return the one value of a tensor.

    By `tolist`, which asks no dispatch mode: to one of those, the 4 of `loss / 4` is a number
    already, and `float()` of the tensor would raise.
    """
    value = tensor.tolist()
    while isinstance(value, list):
        value = value[0]
    return float(value)


def shape_into(node: Any, slot: int = 0) -> tuple[int, ...] | None:
    """Return the shape of what went into a node in the forward, which its producer remembers."""
    producer, output = node.next_functions[slot]
    if producer is None:
        return None
    inputs = read(producer, "_input_metadata")  # how torch shows a node's shapes
    return None if inputs is None else tuple(int(length) for length in inputs[output].shape)


def is_profiling() -> bool:
    """Whether a profiler or a dispatch mode is on, which sees each operation of this thread.

    It would list what we read beside the program's own work.
    """
    return bool(getattr(profiler, "_is_profiler_enabled", False) or is_operation_mode_on())
