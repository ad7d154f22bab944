"""The project around the files: where imports, base classes and callers are looked up.

The rule is written down in docs/reference/settings.md, "Project root": nothing above the paths that
were given is opened unless a project file there says that they belong together.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from zerograd.errors import SettingsError
from zerograd.lint.program.import_lines import holds_home
from zerograd.printable import printable
from zerograd.settings.load import PROJECT_FILES
from zerograd.settings.place import shown
from zerograd.settings.trust import is_ours

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zerograd.settings import Settings


class ProjectRoot(NamedTuple):
    """Where a project's dotted names count from, and how much of it may be read."""

    folder: Path
    opened: tuple[Path, ...]
    """The folders whose files may be read: the root, or without a project file only those given."""


def project_root(paths: Sequence[Path], settings: Settings) -> ProjectRoot:
    """Return the root that is set, else that of the settings file, the repository, the files."""
    common = common_folder(paths)
    folder = set_root(settings) or settings_root(common, settings) or repository_root(common)
    given = tuple(dict.fromkeys(map(folder_of, paths)))
    if folder is None:
        # A package's modules call each other by names that begin above it; there nothing is read.
        return ProjectRoot(outside_packages(common), given)
    # Of a home folder with settings or a `.git` in it only the top is looked through: the folders
    # of the given files are opened too, so that all beside them is.
    opened = dict.fromkeys((*given, folder)) if holds_home(folder) else (folder,)
    return ProjectRoot(folder, tuple(opened))


def set_root(settings: Settings) -> Path | None:
    """Return the root that the settings name; it may not lead out of what they belong to."""
    if settings.project_root is None:
        return None
    root = Path(os.path.normpath(settings.project_root.absolute()))
    limit = repository_root(settings.folder) or settings.folder
    if settings.file and not root.resolve().is_relative_to(limit.resolve()):
        raise SettingsError(
            f"{shown(settings.file)}: project-root leads out of {printable(str(limit))}; "
            "name a folder that lies in it"
        )
    return root


def settings_root(common: Path, settings: Settings) -> Path | None:
    """Return the settings file's folder; a file of another name, by `--config`, is no project's."""
    if settings.file is None or settings.file.name not in PROJECT_FILES:
        return None
    return settings.folder if common.is_relative_to(settings.folder) else None


def repository_root(start: Path) -> Path | None:
    """Return the folder of the repository that a folder lies in; a file `.git` is a worktree's."""
    for folder in (start, *start.parents):
        if (folder / ".git").exists() and is_ours(folder / ".git", start):
            return folder
    return None


def settings_start(paths: Sequence[Path]) -> Path:
    """Return where to look for settings: here, unless the files are elsewhere."""
    here, common = Path.cwd(), common_folder(paths)
    return here if common.is_relative_to(here) else common


def common_folder(paths: Sequence[Path]) -> Path:
    """Return the deepest folder that holds all paths."""
    if not paths:
        return Path.cwd()
    try:
        return Path(os.path.commonpath(list(map(folder_of, paths))))
    except ValueError:  # on several drives of Windows
        return Path.cwd()


def folder_of(path: Path) -> Path:
    """Return a folder, or the one that a file lies in."""
    absolute = path.absolute()
    return Path(os.path.normpath(absolute if absolute.is_dir() else absolute.parent))


def outside_packages(folder: Path) -> Path:
    """Return the folder that a package is imported from."""
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        folder = folder.parent
    return folder
