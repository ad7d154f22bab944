"""Settings as the TOML that would set them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.printable import printable, visible
from zerograd.record import values_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.settings import Settings

NOT_SET_BY_KEY = {"folder", "file", "knowledge", "per_file_ignores"}


def settings_text(settings: Settings) -> str:
    """Return what holds, key by key, and which file said so."""
    return "".join(f"{line}\n" for line in settings_lines(settings))


def schema_text() -> str:
    """Return what can be set, as a JSON Schema."""
    from zerograd.settings.schema import settings_schema

    return json.dumps(settings_schema(), indent=2) + "\n"


def settings_lines(settings: Settings) -> Iterator[str]:
    """Yield a comment that names the file, then a line for each key that has a value."""
    yield printable(f"# {settings.file}") if settings.file else "# no settings file"
    for key, value in values_of(settings).items():
        if key not in NOT_SET_BY_KEY and value is not None:
            yield f"{key.replace('_', '-')} = {toml(value)}"
    yield from table("per-file-ignores", dict(settings.per_file_ignores))
    yield from table(
        "knowledge", {key: names for key, names in values_of(settings.knowledge).items() if names}
    )


def table(name: str, values: dict[str, object]) -> Iterator[str]:
    """Yield a table, nothing for an empty one."""
    if values:
        yield f"\n[{name}]"
        yield from (f"{toml(key)} = {toml(value)}" for key, value in values.items())


def toml(value: object) -> str:
    """Return a value as TOML spells it: as JSON does, and with everything hidden escaped."""
    text = json.dumps(str(value) if isinstance(value, Path) else value, ensure_ascii=False)
    return "".join(one if visible(one) == one else f"\\U{ord(one):08x}" for one in text)
