"""The settings as a JSON Schema, with which editors complete and check a zerograd.toml."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zerograd.record import values_of
from zerograd.rules.lookup import by_name
from zerograd.settings import keys
from zerograd.settings.settings import FORMATS, Knowledge

if TYPE_CHECKING:
    from collections.abc import Callable

    Json = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
DOTTED = r"^[^\W\d]\w*(\.[^\W\d]\w*)*$"


def settings_schema() -> Json:
    """Return what a zerograd.toml may hold, or the table [tool.zerograd] of a pyproject.toml."""
    return {
        "$schema": DIALECT,
        "title": "zerograd",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            name: {"description": key.meaning, "examples": [example(key)], **SHAPES[key.read]()}
            for name, key in keys.KEYS.items()
        },
    }


def example(key: keys.Key) -> object:
    """Return the value in the line that shows how a key is written."""
    import tomllib

    (value,) = tomllib.loads(key.example).values()
    return value


def rules() -> Json:
    """Return a list of rules: names to complete, codes or their beginnings."""
    code = {"type": "string", "pattern": r"^[zZ][gG]\d{0,3}$"}
    return {"type": "array", "items": {"anyOf": [{"enum": [*by_name()]}, code]}}


def per_file_ignores() -> Json:
    """Return a table of patterns and rules."""
    return {"type": "object", "additionalProperties": rules()}


def patterns() -> Json:
    """Return a list of path patterns."""
    return {"type": "array", "items": {"type": "string", "minLength": 1}}


def knowledge() -> Json:
    """Return the table of what the user's own functions do."""
    names = {"type": "array", "items": {"type": "string", "pattern": DOTTED}}
    kinds = values_of(Knowledge())
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": dict.fromkeys(kinds, names),
    }


SHAPES: dict[Callable[..., object], Callable[[], Json]] = {
    keys.rules: rules,
    keys.per_file_ignores: per_file_ignores,
    keys.patterns: patterns,
    keys.flag: lambda: {"type": "boolean"},
    keys.report_format: lambda: {"enum": [*FORMATS]},
    keys.path: lambda: {"type": "string", "minLength": 1},
    keys.written_path: lambda: {"type": "string", "minLength": 1},
    keys.knowledge: knowledge,
}
"""What each way of checking a value accepts."""
