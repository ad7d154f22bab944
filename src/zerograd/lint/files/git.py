"""What git ignores, asked of git itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# The one setting through which listing files could run a program that the repository names.
HARMLESS = ("-c", "core.fsmonitor=false")

IGNORED = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")


def ignored_under(folder: Path) -> frozenset[Path]:
    """Return the files and folders below `folder` that its repository ignores.

    Nothing where there is no repository or no git: `exclude` still holds there.
    """
    # Imported here: linting named files needs no other program.
    import subprocess

    command = ("git", *HARMLESS, "-C", str(folder), *IGNORED)
    try:
        listed = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        return frozenset()
    if listed.returncode:
        return frozenset()
    names = listed.stdout.decode("utf-8", "surrogateescape").split("\0")
    # A folder that is ignored as a whole was named by the user: nothing in it is ignored again.
    return frozenset(folder / name for name in names if name not in ("", "./"))


def repository_root(start: Path) -> Path | None:
    """Return the folder of the repository that a folder lies in; a file `.git` is a worktree's."""
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    return None
