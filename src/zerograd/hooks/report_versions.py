"""The versions that a run ran with, for the head of a report."""

from __future__ import annotations

import platform

import torch


def versions(seconds: float) -> tuple[tuple[str, str], ...]:
    """Return names and versions, and how long it took."""
    # Only where the script has used one: to ask for its name would start it.
    used = torch.cuda.is_initialized()  # type: ignore[no-untyped-call]  # torch's own has no types
    device = torch.cuda.get_device_name() if used else "CPU"
    return (
        ("ran for", duration(seconds)),
        ("on", device),
        ("torch", str(torch.__version__)),
        ("Python", platform.python_version()),
    )


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration(0.84), duration(75), duration(7384)
    ('0.8 s', '1 min 15 s', '2 h 3 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"
