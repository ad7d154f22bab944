"""`zerograd lint --migrate`: show how the plain loops of a file read with the engine."""

from __future__ import annotations

import sys
from difflib import unified_diff
from typing import TYPE_CHECKING

from zerograd.bounded_read import read_regular
from zerograd.errors import UnreadableError
from zerograd.lint.program.decoding import decode
from zerograd.lint.repair.migration import migrated
from zerograd.printable import printable

if TYPE_CHECKING:
    from pathlib import Path


LARGEST = 1_000_000
"""Bytes of a file that is shown; no program that somebody migrates by hand is longer."""


def show(path: Path) -> int:
    """Write the difference, and never the file."""
    try:
        source = decode(read_regular(path, LARGEST)).content
        now = migrated(source)
    except (OSError, SyntaxError, ValueError, RecursionError) as error:
        raise UnreadableError(f"cannot read {path}: {error}") from error
    if now is None:
        sys.stdout.write(
            f"no plain loop in {printable(str(path))}: "
            "the migration guide has the others, docs/guides/migrate.md\n"
        )
        return 0
    after = f"{path} with zerograd.Gradients"
    lines = unified_diff(source.splitlines(), now.splitlines(), str(path), after, lineterm="", n=1)
    sys.stdout.writelines(f"{printable(line)}\n" for line in lines)
    return 0
