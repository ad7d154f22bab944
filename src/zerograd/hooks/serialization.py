"""Save with checksums, and tell what a file would need code for, on every torch."""

from __future__ import annotations

import pickle
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from zerograd.hooks.torch_parts import find

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

_get_checksums = find("torch.serialization.get_crc32_options")
_set_checksums = find("torch.serialization.set_crc32_options")
_unsafe_globals = find("torch.serialization.get_unsafe_globals_in_checkpoint")

NAMED = re.compile(r"GLOBAL (\S+) was not an allowed global")
"""How `torch.load` names what it would have to import."""


@contextmanager
def with_checksums() -> Iterator[None]:
    """Let `torch.save` write checksums, whatever the program set; before 2.6 it always does."""
    if _get_checksums is None or _set_checksums is None:
        yield
        return
    before = _get_checksums()
    _set_checksums(compute_crc32=True)
    try:
        yield
    finally:
        _set_checksums(before)


def unsafe_globals(file: BinaryIO) -> list[str]:
    """Return what reading this file back would have to import; empty if it runs no code."""
    if _unsafe_globals is not None:
        return list(_unsafe_globals(file))
    try:
        torch.load(file, map_location="meta", weights_only=True)
    except pickle.UnpicklingError as error:
        named = NAMED.search(str(error))
        return [named[1] if named else "a class of its own"]
    return []
