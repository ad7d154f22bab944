"""The project around a file: imports, base classes and callers, looked up when needed."""

from __future__ import annotations

import os
import re
import stat
from collections import OrderedDict
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING

from zerograd.lint.knowledge.shipped import shipped
from zerograd.lint.module import Module
from zerograd.lint.prefilter import is_candidate
from zerograd.lint.source import Source, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from zerograd.lint.knowledge import Knowledge

KEPT_MODULES = 64
"""Parsed files kept at once: a tree costs about 200 times its file."""

LARGE_FILE = 1_000_000
MOST_IMPORTERS = 8
FROM = re.compile(rb"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n#]*)", re.M)
IMPORT = re.compile(rb"^[ \t]*import[ \t]+([^\n#]*)", re.M)
DOTTED = re.compile(rb"[A-Za-z_][\w.]*")
WORD = re.compile(rb"[A-Za-z_]\w*")
WORTH_READING = re.compile(
    rb"backward|zero_grad|\.grad\b|clip_grad|optim|requires_grad|DataParallel|no_sync|nn\.Module"
    rb"|Module\)"
).search
"""What a file must mention for its definitions to matter to somebody else's loop."""

SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages", "build", "dist"})


class Project:
    """Every module under a root, parsed when first asked for and forgotten when space runs out.

    Paths are those that findings show: relative to the working directory where possible.
    """

    def __init__(
        self,
        root: Path | None = None,
        knowledge: Knowledge | None = None,
        sources: Iterable[Source] = (),
    ) -> None:
        self.root = root.absolute() if root is not None else None
        self.knowledge = knowledge or shipped()
        self._given = {shown(source.path): source for source in sources}
        self._modules: OrderedDict[str, Module | None] = OrderedDict()
        self._worth: dict[tuple[str, bool], bool] = {}
        self._imported: dict[str, list[tuple[str, str]]] | None = None
        self._homes: dict[str, Path] = {}
        self._starts: dict[Path, list[str]] = {}
        self._places: dict[tuple[Path, str], str | None] = {}

    def module(self, source: Source) -> Module:
        """Return the parsed module of a source; raises SyntaxError."""
        path = shown(source.path)
        self._given[path] = source
        found = self._modules.get(path)
        if found is None or found.source is not source:
            found = Module(source, self.dotted(source.path))
            self._keep(path, found)
        return found

    def with_source(self, source: Source) -> Project:
        """Return the same project with another text in one of its files."""
        others = [item for item in self._given.values() if item.path != source.path]
        changed = Project(self.root, self.knowledge, [*others, source])
        changed._imported = self._imported
        return changed

    def dotted(self, path: str) -> str:
        """Return the dotted name of a path, counted from the root."""
        place = Path(path).absolute()
        if self.root is not None and place.is_relative_to(self.root):
            place = place.relative_to(self.root)
        parts = list(place.with_suffix("").parts)
        if parts and parts[-1] == "__init__":
            parts.pop()
        return ".".join(part for part in parts if part != "/")

    def imported(self, name: str, importer: Module) -> Module | None:
        """Return the project's own module of a dotted name, as one of its files would import it."""
        path = self._locate(name, importer)
        if path is None or not self._holds(path, WORTH_READING):
            return None
        return self._at(path)

    def candidate(self, name: str, importer: Module) -> Module | None:
        """Return the project's module of a dotted name, if it may touch a gradient."""
        path = self._locate(name, importer)
        if path is None:
            return None
        return self._at(path) if self._holds(path, is_candidate) else None

    def importers(self, module: Module) -> list[Module]:
        """Return the project's modules that import this one, in order of their paths.

        What many import is a library: it is judged as it stands, and nobody is listed.
        """
        stem = module.name.rpartition(".")[2]
        paths = {
            path: None
            for path, name in self._imports().get(stem, ())
            if path != module.key and self._found(name.split("."), self._home(path)) == module.key
        }
        if len(paths) > MOST_IMPORTERS:
            return []
        found = (self._at(path) for path in paths)
        return [other for other in found if other is not None]

    def _home(self, path: str) -> Path:
        """Return the folder from which a file's imports start."""
        if path not in self._homes:
            self._homes[path] = Path(path).absolute().parent
        return self._homes[path]

    def _at(self, path: str) -> Module | None:
        if path in self._modules:
            self._modules.move_to_end(path)
        else:
            self._keep(path, self._load(path))
        return self._modules[path]

    def _load(self, path: str) -> Module | None:
        try:
            source = self._given.get(path)
            if source is None:
                place = Path(path)
                if place.stat().st_size > LARGE_FILE:
                    return None
                source = Source(path, place.read_text("utf-8"))
            return Module(source, self.dotted(path))
        except (OSError, SyntaxError, ValueError, RecursionError):
            return None

    def _keep(self, path: str, module: Module | None) -> None:
        self._modules[path] = module
        self._modules.move_to_end(path)
        while len(self._modules) > KEPT_MODULES:
            self._modules.popitem(last=False)

    def _holds(self, path: str, wanted: Callable[[bytes], object]) -> bool:
        """Tell whether a file's bytes make it worth parsing."""
        key = (path, wanted is is_candidate)
        if key not in self._worth:
            self._worth[key] = path in self._given or self._answers(path, wanted)
        return self._worth[key]

    def _answers(self, path: str, wanted: Callable[[bytes], object]) -> bool:
        return bool(wanted(_content(Path(path))))

    def _locate(self, name: str, importer: Module) -> str | None:
        """Return the file of a dotted name, as the importer would find it."""
        return self._found(name.split("."), self._home(importer.path))

    def _found(self, parts: list[str], here: Path) -> str | None:
        key = (here, ".".join(parts))
        if key not in self._places:
            self._places[key] = self._search(parts, here)
        return self._places[key]

    def _search(self, parts: list[str], here: Path) -> str | None:
        for place in self._folders(here):
            base = os.path.join(place, *parts)  # noqa: PTH118  # thousands of these: pathlib is slow
            for path in (base + ".py", base + "/__init__.py"):
                if os.path.isfile(path) or shown(path) in self._given:  # noqa: PTH113  # likewise
                    return shown(path)
        return None

    def _folders(self, here: Path) -> list[str]:
        """Where an import may start: the importer's folder, those around it, the root."""
        if here not in self._starts:
            places = [here]
            if self.root is not None:
                places += [parent for parent in here.parents if parent.is_relative_to(self.root)]
                places += [self.root, self.root / "src"]
            self._starts[here] = [str(place) for place in dict.fromkeys(places)]
        return self._starts[here]

    def _imports(self) -> dict[str, list[tuple[str, str]]]:
        """Index the import lines of files that may run what touches gradients.

        A module's last name leads to the files that import something of that name, and how.
        """
        if self._imported is None:
            self._imported = {}
            for path in self._files():
                content = _content(path)
                if b"torch" in content or is_candidate(content):
                    for origin in sorted(_origins(content)):
                        for name in (origin, origin.rpartition(".")[0]):
                            last = intern(name.rpartition(".")[2])
                            self._imported.setdefault(last, []).append((shown(str(path)), name))
        return self._imported

    def _files(self) -> Iterable[Path]:
        """Every Python file under the root, in order."""
        if self.root is None:
            return
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(
                name for name in folders if name not in SKIPPED and not name.startswith(".")
            )
            yield from (Path(folder, name) for name in sorted(names) if name.endswith(".py"))


def _content(path: Path) -> bytes:
    """Return a file's bytes; none of a pipe, which would be waited for, nor of a large file."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGE_FILE:
            return b""
        return path.read_bytes()
    except OSError:
        return b""


def _origins(content: bytes) -> frozenset[str]:
    """Return the dotted names in a file's import lines, relative ones without dots."""
    found: set[str] = set()
    for package, names in FROM.findall(content):
        base = package.decode().lstrip(".")
        found |= {".".join(filter(None, (base, word.decode()))) for word in WORD.findall(names)}
    for names in IMPORT.findall(content):
        found |= {word.decode() for word in DOTTED.findall(names)}
    return frozenset(intern(name) for name in found)
