"""Which files lint looks at: those that were named, and the sources in folders that were."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.lint.files.exclusion import Exclusion
from zerograd.lint.files.git import ignored_under
from zerograd.lint.shown import shown
from zerograd.record import field, record
from zerograd.settings import excluded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zerograd.settings import Settings

SUFFIXES = (".py", ".ipynb")


@record(eq=False)
class Found:
    """The files to lint, each once and in order, and what stood in the way of finding more."""

    files: dict[str, bool] = field(default_factory=dict)
    """Path as shown -> whether the user named the file itself."""

    notes: list[str] = field(default_factory=list)


def find_files(paths: Iterable[Path], settings: Settings) -> Found:
    """Return the files that these paths mean; reading tells whether a named one exists."""
    found = Found()
    for path in paths:
        if settings.force_exclude and excluded(path, settings):
            continue
        if path.is_dir():
            for file in sorted(Walk(path, settings, found.notes).files()):
                found.files.setdefault(file, False)
        else:
            found.files[shown(path)] = True
    return found


class Walk:
    """One folder, walked once: links to folders already seen are not followed again."""

    def __init__(self, top: Path, settings: Settings, notes: list[str]) -> None:
        self.top = top.absolute()
        self.exclusion = Exclusion(settings)
        self.respect_gitignore = settings.respect_gitignore
        self.notes = notes
        self.ignored = self._ignored(self.top)
        self.seen: set[tuple[int, int]] = set()

    def _ignored(self, folder: Path) -> frozenset[str]:
        if not self.respect_gitignore:
            return frozenset()
        return frozenset(map(str, ignored_under(folder)))

    def files(self) -> Iterator[str]:
        """Yield the sources below the folder."""
        todo = [str(self.top)] if self._is_new(str(self.top)) else []
        while todo:
            for entry in self._entries(todo.pop()):
                if self._is_left_out(entry):
                    continue
                if is_folder(entry):
                    if self._is_new(entry.path):
                        self._enter(entry.path)
                        todo.append(entry.path)
                elif entry.name.endswith(SUFFIXES) and not is_broken(entry):
                    yield shown(entry.path)

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.notes.append(f"cannot look into {shown(folder)}: {error.strerror}")
            return []

    def _is_left_out(self, entry: os.DirEntry[str]) -> bool:
        if not (entry.name.endswith(SUFFIXES) or is_folder(entry)):
            return True
        is_ignored = entry.path in self.ignored
        return is_ignored or self.exclusion.covers(entry.name, Path(entry.path))

    def _is_new(self, folder: str) -> bool:
        """Tell whether this folder was not met yet, under any name: links may go in circles."""
        try:
            status = os.stat(folder)  # noqa: PTH116  for 10,000 files
        except OSError as error:
            self.notes.append(f"cannot look into {shown(folder)}: {error.strerror}")
            return False
        key = (status.st_dev, status.st_ino)
        is_new = key not in self.seen
        self.seen.add(key)
        return is_new

    def _enter(self, folder: str) -> None:
        """Ask a repository inside this one, such as a submodule, for its own ignores."""
        if os.path.lexists(f"{folder}/.git"):
            self.ignored |= self._ignored(Path(folder))


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Tell whether an entry is a folder or a link to one; a link in a circle is neither."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def is_broken(entry: os.DirEntry[str]) -> bool:
    """Tell whether an entry is a link that leads nowhere, as editors leave them as locks."""
    return entry.is_symlink() and not Path(entry.path).exists()
