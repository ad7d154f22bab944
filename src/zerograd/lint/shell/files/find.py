"""Which files lint looks at: those that were named, and the sources in folders that were."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.lint.program.display_paths import shown
from zerograd.lint.shell.files.exclusion import Exclusion
from zerograd.lint.shell.files.root import repository_root
from zerograd.record import field, record
from zerograd.settings import excluded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zerograd.lint.shell.files.git import Ignored
    from zerograd.settings import Settings

SUFFIXES = (".py", ".ipynb")


@record(eq=False)
class Found:
    """The files to lint, each once and in order, and what stood in the way of finding more."""

    files: dict[str, bool] = field(default_factory=dict)
    """Path as shown -> whether the user named the file itself."""

    notes: list[str] = field(default_factory=list)


def find_files(paths: Iterable[Path], settings: Settings, opened: Iterable[Path] = ()) -> Found:
    """Return the files that these paths mean; reading tells whether a named one exists.

    Links are followed within the folder that was named and within `opened`, the project.
    """
    found = Found()
    for path in paths:
        if settings.force_exclude and excluded(path, settings):
            continue
        if path.is_dir():
            for file in sorted(Walk(path, settings, found.notes, opened).files()):
                found.files.setdefault(file, False)
        else:
            found.files[shown(path)] = True
    return found


class Walk:
    """One folder, walked once: links to folders already seen are not followed again."""

    def __init__(
        self, top: Path, settings: Settings, notes: list[str], opened: Iterable[Path] = ()
    ) -> None:
        self.top = top.absolute()
        self.exclusion = Exclusion(settings)
        self.respect_gitignore = settings.respect_gitignore
        self.notes = notes
        self.bounds = tuple(
            os.path.realpath(folder).rstrip(os.sep) + os.sep for folder in (self.top, *opened)
        )
        self.outward: list[str] = []
        """Links that lead out of them."""

        self.seen: set[tuple[int, int]] = set()

    def files(self) -> Iterator[str]:
        """Yield the sources below the folder."""
        top = str(self.top)
        todo = [(top, self._ignored(top, repository_root(self.top)))] if self._is_new(top) else []
        while todo:
            folder, ignored = todo.pop()
            for entry in self._entries(folder):
                if self._is_left_out(entry, ignored):
                    continue
                if is_folder(entry):
                    if self._is_new(entry.path):
                        todo.append((entry.path, self._inside(entry, ignored)))
                elif not is_broken(entry):
                    yield shown(entry.path)
        self._tell_outward()

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.notes.append(f"cannot look into {shown(folder)}: {error.strerror}")
            return []

    def _is_left_out(self, entry: os.DirEntry[str], ignored: Ignored | None) -> bool:
        is_source, is_inner = entry.name.endswith(SUFFIXES), is_folder(entry)
        if not (is_source or is_inner):
            return True
        if self.exclusion.covers(entry.name, Path(entry.path)):
            return True
        if ignored and ignored.covers(entry.path, entry.name, is_folder=is_inner):
            return True
        return entry.is_symlink() and self._leads_out(entry)

    def _leads_out(self, entry: os.DirEntry[str]) -> bool:
        """Tell whether a link leads out of the project, to a whole disk perhaps; remember it."""
        target = os.path.realpath(entry.path)
        if f"{target}{os.sep}".startswith(self.bounds) or is_broken(entry):
            return False
        self.outward.append(entry.path)
        return True

    def _tell_outward(self) -> None:
        if not self.outward:
            return
        first, *others = map(shown, self.outward)
        if others:
            links = f"{first} and {len(others)} other link{'s' * (len(others) > 1)} lead"
            self.notes.append(
                f"{links} out of the project and were not followed; name them to lint them"
            )
        else:
            self.notes.append(
                f"{first} leads out of the project and was not followed; name it to lint it"
            )

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

    def _ignored(self, folder: str, root: Path | None) -> Ignored | None:
        """Return what the repository of this root ignores in a folder."""
        if root is None or not self.respect_gitignore:
            return None
        # Imported here: to lint a file takes no patterns.
        from zerograd.lint.shell.files.git import Repository

        return Repository(str(root), self.notes, SUFFIXES).ignored(folder)

    def _inside(self, entry: os.DirEntry[str], ignored: Ignored | None) -> Ignored | None:
        """Return what is ignored in a folder; a repository in it, a submodule say, has its own."""
        if os.path.lexists(f"{entry.path}/.git"):
            return self._ignored(entry.path, Path(entry.path))
        return ignored.inside(entry.path, entry.name) if ignored else None


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Tell whether an entry is a folder or a link to one; a link in a circle is neither."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def is_broken(entry: os.DirEntry[str]) -> bool:
    """Tell whether an entry is a link that leads nowhere, as editors leave them as locks."""
    return entry.is_symlink() and not Path(entry.path).exists()
