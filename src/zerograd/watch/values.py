"""Look at values without disturbing anything: whether they are zero, whether they changed.

A look at one element through the data pointer costs a fifth of a microsecond; most questions end
there. Only when it says "maybe" is the whole tensor asked, which on a device waits for it.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from torch import Tensor

_BITS: dict[torch.dtype, tuple[Any, int]] = {
    # how to read one element, and how to drop its sign: -0.0 is zero too
    torch.float32: (ctypes.c_uint32, 0x7FFF_FFFF),
    torch.float64: (ctypes.c_uint64, 0x7FFF_FFFF_FFFF_FFFF),
    torch.float16: (ctypes.c_uint16, 0x7FFF),
    torch.bfloat16: (ctypes.c_uint16, 0x7FFF),
}

Sample = tuple[int, ...]


def local(tensor: Tensor) -> Tensor:
    """Return this rank's shard of a distributed tensor, else the tensor itself."""
    return getattr(tensor, "_local_tensor", tensor)


def can_peek(tensor: Tensor) -> bool:
    """Whether single elements can be read through the data pointer."""
    return (
        tensor.device.type == "cpu"
        and tensor.layout is torch.strided
        and tensor.dtype in _BITS
        and tensor.numel() > 0
        and tensor.data_ptr() != 0  # FSDP2 frees what it does not need, and keeps the tensor
        and type(tensor) in (torch.Tensor, torch.nn.Parameter)
    )


def is_zero(gradient: Tensor) -> bool:
    """Whether every element is zero."""
    gradient = local(gradient)
    if gradient.is_meta:
        return True  # it has no value, so nothing lies there
    if can_peek(gradient):
        read, magnitude = _BITS[gradient.dtype]
        if read.from_address(gradient.data_ptr()).value & magnitude:
            return False
    with torch.no_grad():
        values = gradient.coalesce().values() if gradient.is_sparse else gradient
        return not bool(values.detach().any())


def sample(tensor: Tensor) -> Sample | None:
    """Return the bits of a few elements, to be compared later; None where none can be read."""
    tensor = local(tensor)
    if not can_peek(tensor):
        return None
    read, _ = _BITS[tensor.dtype]
    start, width, last = tensor.data_ptr(), tensor.itemsize, _last(tensor)
    return tuple(read.from_address(start + width * at).value for at in {0, last // 2, last})


def _last(tensor: Tensor) -> int:
    # Of a view with gaps only the first element is surely its own.
    return tensor.numel() - 1 if tensor.is_contiguous() else 0


def is_multiple(before: Tensor, after: Tensor) -> bool:
    """Whether all elements were multiplied by one number; of a single one nobody can tell."""
    rounding = 4 * torch.finfo(after.dtype).eps
    one, other = before.double(), after.double()
    if int(one.count_nonzero()) < 2:
        return False
    largest = one.abs().argmax()
    scaled = one * (other[largest] / one[largest])
    return bool(((other - scaled).abs() <= rounding * scaled.abs()).all())
