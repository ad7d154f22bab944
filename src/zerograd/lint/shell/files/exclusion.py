"""The patterns of `exclude`, prepared so that a walk matches only the last name of each path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.settings.globs import WILDCARD, compiled, relative_parts

if TYPE_CHECKING:
    from pathlib import Path

    from zerograd.settings import Settings


class Exclusion:
    """Tells what to leave out below a folder that is not left out itself.

    `settings.excluded` means the same for a single path; asking it at every file of a large tree
    would compare all the names above the file again and again.
    """

    def __init__(self, settings: Settings) -> None:
        patterns = [*settings.exclude, *settings.extend_exclude]
        anchored = [one.strip("/") for one in patterns if "/" in one.rstrip("/")]
        names = [one.rstrip("/") for one in patterns if "/" not in one.rstrip("/")]
        self.folder = settings.folder
        self.literal_places = frozenset(one for one in anchored if not WILDCARD.search(one))
        self.places = [compiled(one) for one in anchored if WILDCARD.search(one)]
        self.literal = frozenset(name for name in names if not WILDCARD.search(name))
        self.wild = [compiled(name) for name in names if WILDCARD.search(name)]

    def covers(self, name: str, path: Path) -> bool:
        """Tell whether a pattern covers this file or folder itself."""
        if name in self.literal or any(pattern.fullmatch(name) for pattern in self.wild):
            return True
        if not (self.places or self.literal_places):
            return False
        place = "/".join(relative_parts(path, self.folder))
        return place in self.literal_places or any(
            pattern.fullmatch(place) for pattern in self.places
        )
