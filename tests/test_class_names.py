"""A class name means one thing in the whole of `src`; what means two is listed with the reason."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SOURCE = Path(__file__).parents[1] / "src" / "zerograd"

MEANT_TWICE = {
    "Step": "the engine's public answer to a step, and the event of a step in a ledger",
    "ZerogradCallback": "what each framework's users add to it: Lightning, Transformers, skorch",
    "Window": "the engine's window that users iterate over, and a ledger's record of one",
}


def classes(files: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the files in which each class is defined."""
    homes = defaultdict(list)
    for path, text in files.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(path)
    return homes


def repeated(files: Mapping[str, str]) -> dict[str, list[str]]:
    return {name: homes for name, homes in classes(files).items() if len(homes) > 1}


def ours() -> dict[str, str]:
    return {
        path.relative_to(SOURCE).as_posix(): path.read_text("utf-8")
        for path in sorted(SOURCE.rglob("*.py"))
    }


def test_a_class_name_is_unique_unless_it_is_listed() -> None:
    assert {
        name: homes for name, homes in repeated(ours()).items() if name not in MEANT_TWICE
    } == {}


def test_every_listed_name_is_still_repeated() -> None:
    assert set(MEANT_TWICE) <= set(repeated(ours()))


def test_a_repeated_name_would_be_noticed() -> None:
    files = {"one.py": "class Change: ...", "two.py": "class Change: ...\nclass Other: ..."}

    assert repeated(files) == {"Change": ["one.py", "two.py"]}
