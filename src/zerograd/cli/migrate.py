"""`zerograd lint --migrate`: show how the plain loops of a file read with the engine."""

from __future__ import annotations

import sys
import tokenize
from difflib import unified_diff
from typing import TYPE_CHECKING

from zerograd.errors import UnreadableError
from zerograd.lint.repair.migration import migrated
from zerograd.printable import printable

if TYPE_CHECKING:
    from pathlib import Path


def show(path: Path) -> int:
    """Write the difference, and never the file."""
    try:
        with tokenize.open(path) as stream:
            source = stream.read()
        now = migrated(source)
    except (OSError, SyntaxError, ValueError, RecursionError) as error:
        raise UnreadableError(f"cannot read {path}: {error}") from error
    if now is None:
        sys.stdout.write(
            f"no plain loop in {path}: the migration guide has the others, docs/guides/migrate.md\n"
        )
        return 0
    after = f"{path} with zerograd.Gradients"
    lines = unified_diff(source.splitlines(), now.splitlines(), str(path), after, lineterm="", n=1)
    sys.stdout.writelines(f"{printable(line)}\n" for line in lines)
    return 0
