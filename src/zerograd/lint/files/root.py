"""The project around the files: where imports, base classes and callers are looked up."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.lint.files.git import repository_root

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zerograd.settings import Settings


def project_root(paths: Sequence[Path], settings: Settings) -> Path:
    """Return the root that is set, else that of the settings file, the repository, the files."""
    if settings.project_root:
        return settings.project_root.absolute()
    if settings.file:
        return settings.folder
    common = common_folder(paths)
    return repository_root(common) or outside_packages(common)


def settings_start(paths: Sequence[Path]) -> Path:
    """Return where to look for settings: here, unless the files are elsewhere."""
    here, common = Path.cwd(), common_folder(paths)
    return here if common.is_relative_to(here) else common


def common_folder(paths: Sequence[Path]) -> Path:
    """Return the deepest folder that holds all paths."""
    folders = [path if path.is_dir() else path.parent for path in map(Path.absolute, paths)]
    if not folders:
        return Path.cwd()
    try:
        return Path(os.path.normpath(os.path.commonpath(folders)))
    except ValueError:  # on several drives of Windows
        return Path.cwd()


def outside_packages(folder: Path) -> Path:
    """Return the folder that a package is imported from."""
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        folder = folder.parent
    return folder
