"""The project around a file: imports, base classes and callers, looked up when needed."""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING

from zerograd.lint.knowledge.shipped import shipped
from zerograd.lint.module import Module
from zerograd.lint.prefilter import is_candidate
from zerograd.lint.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zerograd.lint.knowledge import Knowledge

KEPT_MODULES = 48
"""Parsed files kept at once: a tree costs about 200 times its file."""

LARGE_FILE = 1_000_000
IMPORT = re.compile(rb"^[ \t]*(?:from|import)\s(?:[^\n(]*\([^)]*\)|[^\n]*)", re.M)
WORD = re.compile(rb"[A-Za-z_]\w*")
SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages", "build", "dist"})


class Project:
    """Every module under a root, parsed when first asked for and forgotten when space runs out."""

    def __init__(
        self, root: Path | None = None, knowledge: Knowledge | None = None,
        sources: Iterable[Source] = (),
    ) -> None:
        self.root = root
        self.knowledge = knowledge or shipped()
        self._given = {source.path: source for source in sources}
        self._modules: OrderedDict[str, Module | None] = OrderedDict()
        self._candidates: dict[str, bool] = {}
        self._imported: dict[str, frozenset[str]] | None = None
        self._places: dict[str, Path | None] = {}

    def module(self, source: Source) -> Module:
        """The parsed module of a source; raises SyntaxError."""
        found = self._modules.get(source.path)
        if found is None or found.source is not source:
            found = Module(source, self.dotted(source.path))
            self._keep(source.path, found)
        return found

    def dotted(self, path: str) -> str:
        """The dotted name of a path, counted from the root."""
        place = Path(path)
        if self.root is not None and place.is_absolute() and place.is_relative_to(self.root):
            place = place.relative_to(self.root)
        parts = list(place.with_suffix("").parts)
        if parts and parts[-1] == "__init__":
            parts.pop()
        return ".".join(part for part in parts if part not in ("/", ".."))

    def imported(self, name: str, importer: Module) -> Module | None:
        """The project's own module of a dotted name, as one of its files would import it."""
        path = self._locate(name, importer)
        if path is None:
            return None
        key = str(path)
        if key in self._modules:
            self._modules.move_to_end(key)
            return self._modules[key]
        return self._load(path)

    def candidate(self, name: str, importer: Module) -> Module | None:
        """The project's module of a dotted name, if it may touch a gradient."""
        path = self._locate(name, importer)
        if path is None:
            return None
        key = str(path)
        if key not in self._candidates:
            self._candidates[key] = self._may_touch(path)
        return self.imported(name, importer) if self._candidates[key] else None

    def _may_touch(self, path: Path) -> bool:
        try:
            return path.stat().st_size <= LARGE_FILE and is_candidate(path.read_bytes())
        except OSError:
            return str(path) in self._given

    def _load(self, path: Path) -> Module | None:
        module: Module | None = None
        try:
            if path.stat().st_size <= LARGE_FILE:
                source = self._given.get(str(path)) or Source(str(path), path.read_text("utf-8"))
                module = Module(source, self.dotted(str(path)))
        except (OSError, SyntaxError, ValueError, RecursionError):
            module = None
        self._keep(str(path), module)
        return module

    def _keep(self, path: str, module: Module | None) -> None:
        self._modules[path] = module
        self._modules.move_to_end(path)
        while len(self._modules) > KEPT_MODULES:
            self._modules.popitem(last=False)

    def _locate(self, name: str, importer: Module) -> Path | None:
        """The file of a dotted name: beside the importer, in a parent of it, or under the root."""
        here = Path(importer.path).parent
        key = f"{here}:{name}"
        if key not in self._places:
            self._places[key] = self._search(name.split("."), here)
        return self._places[key]

    def _search(self, parts: list[str], here: Path) -> Path | None:
        places = [here]
        if self.root is not None:
            root = self.root
            if here.is_relative_to(root) or not here.is_absolute():
                places += [parent for parent in here.parents if parent.is_relative_to(root)]
            places += [root, root / "src"]
        for place in places:
            base = place.joinpath(*parts)
            for path in (base.with_suffix(".py"), base / "__init__.py"):
                if str(path) in self._given or path.is_file():
                    return path
        return None

    def importers(self, module: Module) -> list[Module]:
        """The project's modules that import this one, in order of their paths."""
        stem = module.name.rpartition(".")[2]
        found = []
        for path, words in self._imports().items():
            if stem in words and path != module.path and Path(path) != Path(module.path):
                other = self._modules.get(path) or self._load(Path(path))
                if other is not None and self._names(other, module):
                    found.append(other)
        return found

    def _names(self, other: Module, module: Module) -> bool:
        """Tell whether one of a module's imports leads to another module."""
        wanted = Path(module.path)
        for origin in other.imports.values():
            for name in (origin, origin.rpartition(".")[0]):
                if name and self._locate(name, other) == wanted:
                    return True
        return False

    def _imports(self) -> dict[str, frozenset[str]]:
        """Path -> the words of its import lines, for files that may run what touches gradients."""
        if self._imported is None:
            self._imported = {}
            for path in self._files():
                try:
                    content = path.read_bytes()
                except OSError:
                    continue
                if b"torch" in content or is_candidate(content):
                    self._imported[str(path)] = _import_words(content)
        return self._imported

    def _files(self) -> Iterable[Path]:
        """Every Python file under the root, in order."""
        if self.root is None:
            return
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders
                                if name not in SKIPPED and not name.startswith("."))
            yield from (Path(folder, name) for name in sorted(names) if name.endswith(".py"))


def _import_words(content: bytes) -> frozenset[str]:
    lines = IMPORT.findall(content)
    return frozenset(intern(word.decode()) for line in lines for word in WORD.findall(line))
