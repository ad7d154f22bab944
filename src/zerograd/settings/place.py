"""Where a value was set, so that a sentence about it can say so."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zerograd.errors import SettingsError
from zerograd.printable import printable
from zerograd.rules.lookup import nearest
from zerograd.system import here

if TYPE_CHECKING:
    from pathlib import Path

KINDS = {
    bool: "a boolean",
    dict: "a table",
    float: "a number",
    int: "a number",
    list: "a list",
    str: "a string",
}


class Place(NamedTuple):
    """One key of one settings file, or one option of the command line."""

    key: str
    table: str = ""
    """`tool.zerograd`, or empty where the keys stand at the top of the file."""

    file: Path | None = None
    """None for the command line."""

    def __str__(self) -> str:
        if self.file is None:
            return f"--{self.key}"
        return f"[{self.table}] {self.key}" if self.table else self.key

    @property
    def folder(self) -> Path:
        """Where relative paths count from."""
        return self.file.parent if self.file else here()

    def inside(self, key: str) -> Place:
        """Return the place of a key in the table that stands here."""
        table = f"{self.table}.{self.key}" if self.table else self.key
        return self._replace(key=key, table=table)

    def error(self, sentence: str) -> SettingsError:
        """Return the error that says this sentence about this place's file."""
        return SettingsError(f"{shown(self.file)}: {sentence}" if self.file else sentence)

    def wrong_type(self, value: object, expected: str, example: str) -> SettingsError:
        """Return the error for a value of another type than expected."""
        return self.error(f"{self} must be {expected}, not {kind(value)}; write {example}")


def unknown(text: str, known: list[str], plural: str) -> str:
    """Return the end of a sentence about an unknown word: the nearest known, or all of them."""
    near = nearest(text, known)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"the {plural} are {', '.join(known)}"


def kind(value: object) -> str:
    """Name a TOML value's type for a sentence; of a list, the first thing that is no string."""
    if isinstance(value, list):
        strangers = [item for item in value if not isinstance(item, str)]
        return f"a list that holds {kind(strangers[0])}" if strangers else "a list"
    return KINDS.get(type(value), "a date or time")


def shown(path: Path) -> str:
    """Return the path as a person in the working directory would type it."""
    folder = here()
    return printable(str(path.relative_to(folder) if path.is_relative_to(folder) else path))
