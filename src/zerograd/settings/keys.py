"""The keys that a settings file may have, and how the value of each is checked."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from zerograd.printable import printable
from zerograd.record import values_of
from zerograd.rules.lookup import code_prefix, suggestion
from zerograd.settings.globs import CLASS, WILDCARD, compiled
from zerograd.settings.place import Place, unknown
from zerograd.settings.settings import FORMATS, Knowledge

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping


MOST_WILD = 1_000
"""Patterns with wildcards that one key may have: each is compared with each file of a tree."""


def check(table: Mapping[str, object], place: Callable[[str], Place]) -> dict[str, Any]:
    """Return the table's values checked, under the names that `Settings` has for them."""
    values = {}
    for key, value in table.items():
        if key not in KEYS:
            raise unknown_key(key, list(KEYS), place(key))
        values[key.replace("-", "_")] = KEYS[key].read(value, place(key), KEYS[key].example)
    return values


def unknown_key(key: str, known: list[str], place: Place) -> Exception:
    """Return the error for a key that does not exist, with the nearest that does."""
    where = f" in [{place.table}]" if place.table else ""
    if key == "tool":
        return place.error("the keys stand here by themselves, without [tool.zerograd] above them")
    return place.error(f"unknown key {key!r}{where}; {unknown(key, known, 'keys')}")


def flag(value: object, place: Place, example: str) -> bool:
    """Check a switch."""
    if not isinstance(value, bool):
        raise place.wrong_type(value, "true or false", example)
    return value


def texts(value: object, place: Place, example: str) -> tuple[str, ...]:
    """Check a list of strings."""
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise place.wrong_type(value, "a list of strings", example)
    return tuple(value)


def rules(value: object, place: Place, example: str) -> tuple[str, ...]:
    """Check a list of rules and return their codes, or the beginnings of codes."""
    codes = []
    for text in texts(value, place, example):
        code = code_prefix(text)
        if code is None:
            raise place.error(f"unknown rule {text!r} in {place}; {suggestion(text)}")
        codes.append(code)
    return tuple(codes)


def patterns(value: object, place: Place, example: str) -> tuple[str, ...]:
    """Check a list of path patterns."""
    return tuple(pattern(text, place) for text in not_too_many(texts(value, place, example), place))


def not_too_many(globs: Collection[str], place: Place) -> Collection[str]:
    """Return patterns of which not too many have wildcards; plain names cost nothing."""
    wild = sum(WILDCARD.search(text) is not None for text in globs)
    if wild > MOST_WILD:
        raise place.error(
            f"{place} has {wild:,} patterns with *, ? or []; at most {MOST_WILD:,} are compared "
            f"with each file, name the folders above them"
        )
    return globs


def pattern(text: str, place: Place) -> str:
    """Check one path pattern; a leading `./` says what a leading `/` says: from here."""
    if ".." in text.split("/"):
        raise place.error(f"{place} has {text!r}; a pattern cannot leave its folder by ..")
    if not text.strip("/") or text.strip("/") == ".":
        raise place.error(f"{place} has the empty pattern {text!r}; name a file or folder")
    if any(mark in CLASS.sub("", text) for mark in "{[!"):
        raise place.error(
            f"{place} has {text!r}; a pattern knows only *, **, ? and [a-z], write several"
        )
    try:
        compiled(text.strip("/"))
    except re.error:
        raise place.error(
            f"{place} has {text!r}; a range between [ and ] begins with its smaller end, as [a-z]"
        ) from None
    return text[1:] if text.startswith("./") else text


def path(value: object, place: Place, example: str) -> Path:
    """Check a path, which counts from the settings file's folder."""
    if not isinstance(value, str):
        raise place.wrong_type(value, "a path", example)
    if not value or "\0" in value:
        raise place.error(f"{place} has {value!r}, which is no path; write {example}")
    return place.folder / value


def written_path(value: object, place: Place, example: str) -> Path:
    """Check the path of a file that is written; out of its folder only the command line leads.

    A settings file comes with a tree that nobody may have vetted.
    """
    found = path(value, place, example)
    real = Path(os.path.realpath(found))
    if place.file and not real.is_relative_to(os.path.realpath(place.folder)):
        raise place.error(
            f"{place} has {value!r}, which leads out of {place.folder}; "
            f"name a file below that folder, or pass --{place.key}"
        )
    return found


def report_format(value: object, place: Place, example: str) -> str:
    """Check the name of a report format."""
    if not isinstance(value, str):
        raise place.wrong_type(value, "the name of a format", example)
    if value not in FORMATS:
        hint = unknown(value, list(FORMATS), "formats")
        raise place.error(f"unknown format {value!r} in {place}; {hint}")
    return value


def per_file_ignores(
    value: object, place: Place, example: str
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Check a table of patterns and the rules ignored in the files that they cover."""
    if not isinstance(value, dict):
        raise place.wrong_type(value, "a table of patterns and rules", example)
    return tuple(
        (
            pattern(glob, place),
            rules(codes, place.inside(quoted(glob)), f'{quoted(glob)} = ["ZG1"]'),
        )
        for glob, codes in ((glob, value[glob]) for glob in not_too_many(value, place))
    )


def quoted(text: str) -> str:
    """Return a text of the user's in double quotes, with what is hidden in it made visible."""
    return f'"{printable(text)}"'


def knowledge(value: object, place: Place, example: str) -> Knowledge:
    """Check the table of what the user's own functions do."""
    if not isinstance(value, dict):
        raise place.wrong_type(value, "a table", example)
    known = list(values_of(Knowledge()))
    for key in value:
        if key not in known:
            raise unknown_key(key, known, place.inside(key))
    return Knowledge(
        **{key: dotted_names(names, place.inside(key)) for key, names in value.items()}
    )


def dotted_names(value: object, place: Place) -> tuple[str, ...]:
    """Check a list of dotted names."""
    names = texts(value, place, f'{place.key} = ["mylib.trainer.zero_all"]')
    for name in names:
        if not all(part.isidentifier() for part in name.split(".")):
            raise place.error(f"{name!r} in {place} is no dotted name like mylib.trainer.zero_all")
    return names


class Key(NamedTuple):
    """How one key's value is checked, a line that would be right, and what it does."""

    read: Callable[[object, Place, str], object]
    example: str
    meaning: str


KEYS = {
    "select": Key(
        rules,
        'select = ["ZG1", "missing-zero"]',
        "Only these rules: codes, their beginnings or names.",
    ),
    "extend-select": Key(
        rules,
        'extend-select = ["zero-in-place"]',
        "These rules too, also in preview or as hints.",
    ),
    "ignore": Key(rules, 'ignore = ["missing-zero"]', "All but these rules."),
    "per-file-ignores": Key(
        per_file_ignores,
        'per-file-ignores = { "tests" = ["ZG1"] }',
        "Rules that are ignored in the files that a pattern covers.",
    ),
    "exclude": Key(
        patterns,
        'exclude = ["third_party"]',
        "Patterns of paths that are left out, in place of the default ones.",
    ),
    "extend-exclude": Key(
        patterns,
        'extend-exclude = ["third_party"]',
        "Patterns of paths that are left out besides.",
    ),
    "force-exclude": Key(
        flag,
        "force-exclude = true",
        "Leave out excluded files also when they are named, as pre-commit does.",
    ),
    "respect-gitignore": Key(
        flag,
        "respect-gitignore = false",
        "Leave out what git ignores; true unless set.",
    ),
    "hints": Key(flag, "hints = true", "Report hints too."),
    "preview": Key(flag, "preview = true", "Report the findings of rules in preview too."),
    "fix": Key(flag, "fix = true", "Write safe repairs at every run."),
    "unsafe-fixes": Key(
        flag,
        "unsafe-fixes = true",
        "Repairs that change what is computed are written too.",
    ),
    "format": Key(report_format, 'format = "concise"', "How to report."),
    "baseline": Key(
        written_path,
        'baseline = "zerograd-baseline.json"',
        "A file of findings that are known, and not reported again.",
    ),
    "project-root": Key(path, 'project-root = "."', "Where imports and callers are looked up."),
    "knowledge": Key(
        knowledge,
        'knowledge = { clears = ["mylib.trainer.zero_all"] }',
        "What your own functions do to gradients, each by its dotted name.",
    ),
}
