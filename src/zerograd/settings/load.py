"""Find the settings file, read it, and lay the command line over it."""

from __future__ import annotations

import codecs
import re
from functools import partial
from typing import TYPE_CHECKING, Any

from zerograd.bounded_read import read_regular
from zerograd.errors import SettingsError
from zerograd.record import replace
from zerograd.settings.keys import check
from zerograd.settings.place import Place, shown
from zerograd.settings.settings import Settings
from zerograd.settings.trust import is_ours

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

OWN_FILE = "zerograd.toml"
SHARED_FILE = "pyproject.toml"
PROJECT_FILES = (OWN_FILE, SHARED_FILE)
TABLE = "tool.zerograd"

LARGE_FILE = 200_000
"""Bytes; a larger file is no settings file."""

# tomllib's time grows with the square of a key's parts: two minutes for 50,000.
DEEP_KEY = re.compile(rb"(?:\.[^.\n=,{}\[\]]*+){1000}")


def load_settings(
    start: Path,
    *,
    config: Path | None = None,
    isolated: bool = False,
    command_line: Mapping[str, object] | None = None,
    called: Callable[[str], Place] = Place,
) -> Settings:
    """Return the settings that hold in the folder `start`.

    `config` names the file instead of looking for it, `isolated` reads none. What
    `command_line` has, spelled as in a file, goes over the file; None and () are not given.
    `called` says what errors call a key of it: an option, unless it came from elsewhere.
    """
    file = None if isolated else config or find_file(start)
    settings = from_file(file.absolute()) if file else Settings()
    given = {key: value for key, value in (command_line or {}).items() if value not in (None, ())}
    return over(settings, check(given, called))


def find_file(start: Path) -> Path | None:
    """Return the nearest settings file, looking upwards from a folder; a stranger's is none."""
    start = start.absolute()
    for folder in (start, *start.parents):
        own, shared = folder / OWN_FILE, folder / SHARED_FILE
        if own.is_file() and is_ours(own, start):
            return own
        if has_table(shared) and is_ours(shared, start):
            return shared
    return None


def has_table(file: Path) -> bool:
    """Tell whether a pyproject.toml speaks of zerograd at all."""
    # Looking at the bytes first keeps a stranger's broken pyproject.toml from stopping anyone.
    if not file.is_file() or b"zerograd" not in read_bytes(file):
        return False
    return own_table(file) is not None


def from_file(file: Path) -> Settings:
    """Return the settings of one file."""
    table = own_table(file)
    if table is None:
        raise SettingsError(f"{shown(file)} has no [{TABLE}] table; add one, or name another file")
    name = TABLE if file.name == SHARED_FILE else ""
    values = check(table, partial(Place, table=name, file=file))
    return replace(Settings(folder=file.parent, file=file), **values)


def own_table(file: Path) -> Mapping[str, object] | None:
    """Return what a file says to zerograd: all of it, or a pyproject.toml's [tool.zerograd]."""
    document = read_toml(file)
    if file.name != SHARED_FILE:
        return document
    tool = document.get("tool", {})
    table = tool.get("zerograd") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise SettingsError(f"{shown(file)}: zerograd must be a table; write [{TABLE}]")
    return table


def read_toml(file: Path) -> dict[str, object]:
    """Return the file's document, or say in one sentence why there is none."""
    # Imported here: most runs of a single file meet no settings file.
    import tomllib

    content = read_bytes(file)
    if len(content) > LARGE_FILE:
        raise SettingsError(
            f"{shown(file)} is larger than 200 kB; write what is for zerograd into a {OWN_FILE}"
        )
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise SettingsError(f"{shown(file)} is UTF-16; save it as UTF-8")
    if DEEP_KEY.search(content):
        raise SettingsError(f"{shown(file)} has a key of more than 1,000 parts; shorten it")
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise SettingsError(f"{shown(file)} is no UTF-8 text: byte {error.start} is not") from error
    except RecursionError as error:
        raise SettingsError(f"{shown(file)} is not valid TOML: nested too deeply") from error
    except ValueError as error:
        raise SettingsError(f"{shown(file)} is not valid TOML: {error}") from error


def read_bytes(file: Path) -> bytes:
    """Return what is in the file, as far as a settings file goes, or say why it cannot be read."""
    try:
        return read_regular(file, LARGE_FILE)
    except OSError as error:
        raise SettingsError(f"cannot read {shown(file)}: {error.strerror}") from error


def over(settings: Settings, given: dict[str, Any]) -> Settings:
    """Lay checked values of the command line over a file's.

    `--select` takes the place of the file's select and extend-select; the file's ignores stay,
    but for those that the command line names itself.
    """
    line = replace(Settings(select=()), **given)
    chosen = {*line.select, *line.extend_select}
    kept = tuple(code for code in settings.ignore if code not in chosen)
    extended = () if "select" in given else settings.extend_select
    return replace(
        settings,
        **given
        | {
            "extend_select": (*extended, *line.extend_select),
            "extend_exclude": (*settings.extend_exclude, *line.extend_exclude),
            "ignore": (*kept, *line.ignore),
        },
    )
