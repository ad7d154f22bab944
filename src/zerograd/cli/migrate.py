"""`zerograd lint --migrate`: show how the plain loops of a file read with the engine."""

from __future__ import annotations

import sys
from difflib import unified_diff
from typing import TYPE_CHECKING

from zerograd.errors import UnreadableError
from zerograd.lint.program.decoding import decode, read_bytes
from zerograd.lint.repair.migration import migrated
from zerograd.printable import printable

if TYPE_CHECKING:
    from pathlib import Path


def show(path: Path) -> int:
    """Write the difference, and never the file."""
    try:
        source = decode(read_bytes(str(path), is_named=True) or b"").content
        now = migrated(source)
    except UnreadableError as error:
        raise UnreadableError(f"{path} {error}") from error
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UnreadableError(f"{path} is no program that can be read: {error}") from error
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
