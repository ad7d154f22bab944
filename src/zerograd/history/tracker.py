"""What an experiment tracker is to the engine and to watch: something to call with scalars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, SupportsFloat

from zerograd.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping


class Tracker(Protocol):
    """Called with a step and named scalars; any function with two parameters will do.

    A scalar is a number, or a tensor with one element that is still on its device: `float(scalar)`
    reads it, and waits for the device. One that also has a method `report(text)` is given the
    findings of a watched run as text, when the run ends.
    """

    def __call__(self, step: int, scalars: Mapping[str, SupportsFloat], /) -> object:
        """Take the scalars of a step."""


def refuse_no_tracker(track: object) -> None:
    """Raise for what cannot be called with a step and its scalars."""
    if track is not None and not callable(track):
        raise ArgumentError(
            f"track is called with a step and a dict of scalars, and {type(track).__name__} cannot "
            "be called; zerograd.integrations.trackers has adapters for TensorBoard and others"
        )
