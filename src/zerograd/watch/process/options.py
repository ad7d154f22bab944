"""The user's choices that a watched process needs, and how its environment carries them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from zerograd.record import field, record
from zerograd.settings import Settings

LISTS = ("select", "extend_select", "ignore")
FLAGS = ("hints", "preview")


@record(frozen=True, kw_only=True)
class ProcessOptions:
    """The user's choices, as far as they matter while the script runs."""

    settings: Settings = field(default_factory=Settings)
    fail_fast: bool = False
    """Raise at the first error."""

    max_steps: int | None = None
    """End the script cleanly after so many steps."""

    quiet: bool = False
    """Say nothing while the script runs."""

    record: bool = False
    """Keep a history, for the HTML report."""

    refresh: float = 0.0
    """Take a snapshot after so many seconds too; 0 for steps 1, 2, 4, 8, ... alone."""

    prove: bool = False
    """Compare every window with the gradient of its whole batch."""


def to_text(options: ProcessOptions) -> str:
    """Return options as one environment variable can hold them."""
    settings = options.settings
    return json.dumps(
        {
            **{name: getattr(settings, name) for name in (*LISTS, *FLAGS)},
            "per_file_ignores": settings.per_file_ignores,
            "folder": str(settings.folder),
            "fail_fast": options.fail_fast,
            "max_steps": options.max_steps,
            "quiet": options.quiet,
            "record": options.record,
            "refresh": options.refresh,
            "prove": options.prove,
        }
    )


def from_text(text: str) -> ProcessOptions:
    """Return the options that a text was made of."""
    given = json.loads(text)
    values: dict[str, Any] = {name: tuple(given[name]) for name in LISTS}
    values |= {name: given[name] for name in FLAGS}
    settings = Settings(
        **values,
        per_file_ignores=tuple((file, tuple(codes)) for file, codes in given["per_file_ignores"]),
        folder=Path(given["folder"]),
    )
    return ProcessOptions(
        settings=settings,
        fail_fast=given["fail_fast"],
        max_steps=given["max_steps"],
        quiet=given["quiet"],
        record=given["record"],
        refresh=given["refresh"],
        prove=given["prove"],
    )
