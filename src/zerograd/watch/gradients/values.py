"""Read values of tensors without side effects: whether they are zero, whether they changed.

Reading one element through the data pointer costs a fifth of a microsecond and answers most
questions. Only when it says "maybe" is the whole tensor read, which waits for a device.
"""

from __future__ import annotations

import ctypes
from struct import pack, unpack
from typing import TYPE_CHECKING, Any

import torch

from zerograd import system
from zerograd.hooks.program_modes import OutsideModes, has_values

if TYPE_CHECKING:
    from torch import Tensor

Window = Any
"""Through which ctypes reads one element; building one costs more than the look."""

_BITS: dict[torch.dtype, tuple[Any, int, int, dict[int, Window]]] = {
    # how to read one element, how to drop its sign (-0.0 is zero too), its size, and the windows
    torch.float32: (ctypes.c_uint32, 0x7FFF_FFFF, 4, {}),
    torch.float64: (ctypes.c_uint64, 0x7FFF_FFFF_FFFF_FFFF, 8, {}),
    torch.float16: (ctypes.c_uint16, 0x7FFF, 2, {}),
    torch.bfloat16: (ctypes.c_uint16, 0x7FFF, 2, {}),
}

_FORMATS = {torch.float32: ("I", "f"), torch.float64: ("Q", "d"), torch.float16: ("H", "e")}
"""How `struct` names the bits of a type, and its values."""

WINDOWS = 1_024
"""So many addresses are remembered of each type."""

Sample = tuple[int, ...]
Spot = tuple[int, int, int, int, dict[int, Window]]
"""Where a tensor begins, how large it and an element of it are, how to drop an element's sign, and
the windows to read through."""

Pane = tuple[int, Window, int]
"""The address of one element, the window to read it through, and how to drop its sign."""

_compare: Any = system.memory_comparison()


def _window(kind: Any, windows: dict[int, Window], address: int) -> Window:
    # A window is only looked through where a tensor lies right now; it is never the owner.
    if len(windows) >= WINDOWS:
        windows.clear()
    window = windows[address] = kind.from_address(address)
    return window


def local(tensor: Tensor) -> Tensor:
    """Return this rank's shard of a distributed tensor, else the tensor itself."""
    return getattr(tensor, "_local_tensor", tensor)


_PLAIN = frozenset({torch.Tensor, torch.nn.Parameter})


def can_peek(tensor: Tensor) -> bool:
    """Whether single elements can be read through the data pointer."""
    return (
        type(tensor) in _PLAIN
        and tensor.dtype in _BITS
        and tensor.is_cpu
        and tensor.layout is torch.strided
        and tensor.numel() > 0
        and tensor.data_ptr() != 0  # FSDP2 frees what it does not need, and keeps the tensor
    )


def is_zero(gradient: Tensor) -> bool:
    """Whether every element is zero."""
    # As `can_peek`, on the spot: this is asked at every step of a loop that clears by hand.
    if (
        type(gradient) in _PLAIN
        and (bits := _BITS.get(gradient.dtype)) is not None
        and gradient.is_cpu
        and gradient.layout is torch.strided
        and (size := gradient.numel())
        and (start := gradient.data_ptr())
    ):
        kind, magnitude, width, windows = bits
        window = windows.get(start)
        first = (_window(kind, windows, start) if window is None else window).value
        if first & magnitude:
            return False
        # All are zero if the first is, and each is equal to the next.
        if (
            not first
            and _compare is not None
            and gradient.is_contiguous()
            and not _compare(start, start + width, (size - 1) * width)
        ):
            return True
    return _is_zero(local(gradient))


def _is_zero(gradient: Tensor) -> bool:
    if not has_values(gradient):
        return True  # nothing lies there
    if can_peek(gradient):
        kind, magnitude, _, windows = _BITS[gradient.dtype]
        if _window(kind, windows, gradient.data_ptr()).value & magnitude:
            return False
    with OutsideModes(), torch.no_grad():  # the fast path asks, which no guard stands before
        values = gradient.coalesce().values() if gradient.is_sparse else gradient
        return not bool(values.detach().any())


def sample(tensor: Tensor) -> Sample | None:
    """Return the bits of a few elements, to be compared later; None where none can be read."""
    if type(tensor) not in _PLAIN:
        tensor = local(tensor)
    if not can_peek(tensor):
        return None
    kind, _, width, windows = _BITS[tensor.dtype]
    # Of a view with gaps only the first element is surely its own.
    start, last = tensor.data_ptr(), tensor.numel() - 1 if tensor.is_contiguous() else 0
    bits = []
    for at in (start, start + width * (last // 2), start + width * last):
        window = windows.get(at)
        bits.append((_window(kind, windows, at) if window is None else window).value)
    return tuple(bits)


def descended(before: Sample, parameter: Tensor, gradient: Tensor) -> bool:
    """Whether a parameter moved against its gradient since a sample, by one factor: `p -= lr * g`.

    A clamp, an average or a perturbation to a worse point (SAM) moves otherwise.
    """
    after, slopes = sample(parameter), sample(gradient)
    if after is None or slopes is None or gradient.dtype is not parameter.dtype:
        return False
    old, new, slope = (_decode(bits, parameter.dtype) for bits in (before, after, slopes))
    moves = [(now - was, at) for was, now, at in zip(old, new, slope, strict=True)]
    if any(move and not at for move, at in moves):
        return False
    rates = [-move / at for move, at in moves if at]
    return bool(rates) and min(rates) > 0 and max(rates) < 1.25 * min(rates)


def _decode(bits: Sample, dtype: torch.dtype) -> list[float]:
    """Return the values that a sample was taken of."""
    if dtype is torch.bfloat16:  # the upper half of a float32
        bits, dtype = tuple(one << 16 for one in bits), torch.float32
    whole, real = _FORMATS[dtype]
    return list(unpack(real * len(bits), pack(whole * len(bits), *bits)))


def is_one(tensor: Tensor) -> bool:
    """Whether every element is one; a single one is read without an operation of torch's."""
    tensor = local(tensor)
    bits = sample(tensor) if tensor.numel() == 1 else None
    if bits is not None:
        return _decode(bits, tensor.dtype) == [1.0] * len(bits)
    return tensor.is_cpu and has_values(tensor) and bool((tensor == 1).all())


def spot(tensor: Tensor) -> Spot | None:
    """Return where the sample of a tensor lies, if it can be read there as long as it stays."""
    if type(tensor) not in _PLAIN or not can_peek(tensor) or not tensor.is_contiguous():
        return None
    _, magnitude, width, windows = _BITS[tensor.dtype]
    return tensor.data_ptr(), tensor.nbytes, width, magnitude, windows


def peek(at: Spot, parameter: Tensor, gradient: Tensor) -> Sample | None:
    """Return the sample of a parameter that lies where it lay, if its gradient is not zero."""
    start, size, width, magnitude, windows = at
    # A gradient lies on the device of its parameter; `grad_dtype` can give it another type.
    if (
        parameter.data_ptr() == start
        and parameter.nbytes == size
        and type(gradient) is torch.Tensor
        and gradient.layout is torch.strided
        and gradient.dtype is parameter.dtype
    ):
        try:
            if windows[gradient.data_ptr()].value & magnitude:
                # As `sample`: the first, the middle and the last element.
                end = start + size - width
                middle = start + width * ((size // width - 1) // 2)
                return windows[start].value, windows[middle].value, windows[end].value
        except KeyError:
            return None  # nobody has looked there yet: `sample` makes the windows
    return None


def pane(tensor: Tensor) -> Pane | None:
    """Return through what the first element of a tensor is read, unless that element is zero."""
    if not can_peek(tensor):
        return None
    kind, magnitude, _, windows = _BITS[tensor.dtype]
    start = tensor.data_ptr()
    window = windows[start] if start in windows else _window(kind, windows, start)
    return (start, window, magnitude) if window.value & magnitude else None


def is_multiple(before: Tensor, after: Tensor) -> bool:
    """Whether all elements were multiplied by one number; of a single one nobody can tell."""
    rounding = 4 * torch.finfo(after.dtype).eps
    one, other = before.double(), after.double()
    if int(one.count_nonzero()) < 2:
        return False
    largest = one.abs().argmax()
    scaled = one * (other[largest] / one[largest])
    return bool(((other - scaled).abs() <= rounding * scaled.abs()).all())
