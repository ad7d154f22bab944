"""The settings' reference, from the table that checks a settings file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.settings.keys import KEYS
from zerograd.settings.settings import Knowledge, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator


def settings() -> str:
    """Return every key with what holds when it is not set and a line that would be right."""
    return "\n".join(["| key | default | example |", "|---|---|---|", *rows()])


def rows() -> Iterator[str]:
    """Yield the row of each key."""
    defaults = Settings()
    for key, entry in KEYS.items():
        default = shown(getattr(defaults, key.replace("-", "_")))
        yield f"| `{key}` | {default} | `{entry.example}` |"


def shown(value: object) -> str:
    """Return a default as TOML spells it; nothing where nothing is set."""
    if value is None or isinstance(value, Knowledge):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return "`[" + ", ".join(f'"{item}"' for item in value) + "]`"
    return f'`"{value}"`'
