"""The project around a file: imports, base classes and callers, looked up when needed."""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from zerograd.bounded_read import read_regular
from zerograd.errors import UnreadableError
from zerograd.lint.analysis_budget import UnseenError
from zerograd.lint.knowledge.shipped import shipped
from zerograd.lint.program.decoding import decode
from zerograd.lint.program.display_paths import shown
from zerograd.lint.program.event_words import EVENT_WORDS
from zerograd.lint.program.import_lines import (
    INSTALLED,
    LARGE_FILE,
    content_of,
    imports_under,
    passes_on,
)
from zerograd.lint.program.module import Module
from zerograd.lint.program.notebook_source import readable
from zerograd.lint.program.prefilter import is_candidate
from zerograd.lint.program.source_file import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from zerograd.lint.knowledge import KnowledgeTable
    from zerograd.lint.program.import_lines import ImportLines, Imports

T = TypeVar("T")

KEPT_MODULES = 64
"""Parsed files kept from one analysis to the next: a tree costs about 50 times its file."""

KEPT_TEXT = 4_000_000
"""Characters of source in them, however few they are."""

MOST_LOADED = 64
"""Other files of the project in which the names of one are looked up; the most seen was 8."""

MOST_LOADED_TEXT = 2_000_000
"""Bytes of source in them."""

MOST_MODULES = 2 * KEPT_MODULES
"""Parsed files kept while one is analysed."""

MOST_IMPORTERS = 8
PACKAGES = 3
"""Packages that pass a name on, one to the next, before it is given up."""

WORTH_READING = re.compile(
    "|".join(item.defines for item in EVENT_WORDS if item.defines).encode()
).search
"""What a file must mention for its definitions to matter to somebody else's loop."""


class Project:
    """Every module under a root, parsed when first asked for and forgotten when space runs out.

    Paths are those that findings show: relative to the working directory where possible.
    """

    def __init__(
        self,
        root: Path | None = None,
        knowledge: KnowledgeTable | None = None,
        sources: Iterable[Source] = (),
        dull: Collection[str] = (),
        opened: Sequence[Path] = (),
        lines: ImportLines | None = None,
    ) -> None:
        self.root = root.absolute() if root is not None else None
        self.opened = tuple(opened or filter(None, [self.root]))
        """The folders whose files may be read besides those that are given."""

        self.knowledge = knowledge or shipped()
        self._given = {shown(source.path): source for source in sources}
        self._stems = {_stem(path) for path in self._given}
        """What sources that need not exist as files are imported as."""

        self._passing: set[str] = set()
        """Files whose text is at hand only while they are analysed."""

        self._dull = dull
        """Paths of files that are known to run nothing that touches a gradient."""

        self._modules: OrderedDict[str, Module | None] = OrderedDict()
        self._kept_text = 0
        """Characters of source in the parsed modules."""

        self._replaced: list[Module | None] = []
        """Left out while a file was analysed: somebody may be reading them until it is done."""

        self._worth: dict[tuple[str, bool], bool] = {}
        self._imported: Imports | None = None
        self._lines = lines
        """Import lines that are kept from one project to the next."""

        self._asked: set[str] = set()
        self._asked_text = 0
        """What the names of the file that is analysed led to."""

        self._homes: dict[str, str] = {}
        self._starts: dict[str, list[str]] = {}
        self._listed: dict[str, frozenset[str]] = {}
        self._places: dict[tuple[str, str], str | None] = {}

    def module(self, source: Source) -> Module:
        """Return the parsed module of a source; raises SyntaxError."""
        path = shown(source.path)
        if not os.path.isfile(path):  # noqa: PTH113
            self._stems.add(_stem(path))
        elif path not in self._given:
            self._passing.add(path)
        self._given[path] = source
        found = self._modules.get(path)
        # What another file imported before was read from the same bytes, as a rule.
        if found is None or found.source != source:
            found = Module(source, self.dotted(source.path))
            self._keep(path, found)
        return found

    def with_source(self, source: Source) -> Project:
        """Return the same project with another text in one of its files."""
        others = [item for item in self._given.values() if item.path != source.path]
        changed = Project(self.root, self.knowledge, [*others, source], self._dull, self.opened)
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
        if path is None or not (passes_on(path) or self._holds(path, WORTH_READING)):
            return None
        if path not in self._asked:
            self._count(path)
        return self.at(path)

    def _count(self, path: str) -> None:
        """Count a file that another one's names lead to; raises UnseenError when it is too much.

        Whether it is parsed already does not matter: the order of files decides nothing.
        """
        self._asked.add(path)
        self._asked_text += os.path.getsize(path) if os.path.isfile(path) else 0  # noqa: PTH202, PTH113
        if len(self._asked) > MOST_LOADED:
            raise UnseenError(f"the project's budget of {MOST_LOADED} modules for one file")
        if self._asked_text > MOST_LOADED_TEXT:
            raise UnseenError(f"the project's budget of {MOST_LOADED_TEXT:,} bytes for one file")

    def candidate(self, name: str, importer: Module) -> str | None:
        """Return the path of the project's module of a dotted name, if it may touch a gradient."""
        path = self._locate(name, importer)
        return path if path is not None and self._holds(path, is_candidate) else None

    def package(self, name: str, importer: Module) -> str | None:
        """Return the path of a package's `__init__.py`, which may pass on what others define."""
        path = self._locate(name, importer)
        return path if path is not None and passes_on(path) else None

    def importers(self, path: str) -> list[str]:
        """Return the paths of the files that import the one of this path, in order.

        Those that import it from a package which passes it on come after the package. What many
        import is a library: it is judged as it stands, and nobody is listed.
        """
        found = dict.fromkeys(self._importers(path))
        for _ in range(PACKAGES):
            packages = [other for other in found if passes_on(other)]
            found |= dict.fromkeys(other for item in packages for other in self._importers(item))
        return [other for other in found if other != path]

    def _importers(self, path: str) -> list[str]:
        if _is_installed(self._home(path)):
            return []
        stem = self.dotted(path).rpartition(".")[2]
        paths = {
            other: None
            for other, name in self._imports.get(stem, ())
            if other != path and self._found(name, self._home(other)) == path
        }
        return list(paths) if len(paths) <= MOST_IMPORTERS else []

    def _home(self, path: str) -> str:
        """Return the folder from which a file's imports start."""
        # Paths are strings here: imports are looked up by the ten thousand, and pathlib is slow.
        if path not in self._homes:
            self._homes[path] = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120
        return self._homes[path]

    @property
    def _imports(self) -> Imports:
        if self._imported is None:
            given = {
                path: source.text.encode("utf-8", "replace")
                for path, source in self._given.items()
                if not source.cells
            }
            if self._lines is None:
                self._imported = imports_under(self.opened, self._dull, given)
            else:
                self._imported = self._lines.under(self.opened, given)
        return self._imported

    def at(self, path: str) -> Module | None:
        """Return the parsed module of a path; None when it cannot be read or parsed."""
        if path in self._modules:
            self._modules.move_to_end(path)
        else:
            self._keep(path, self._load(path))
        return self._modules[path]

    def glance(self, path: str, look: Callable[[Module], T]) -> T | None:
        """Return what one look at a module tells; where space is short it is not kept for that."""
        is_kept = path in self._modules
        module = self.at(path)
        if module is None:
            return None
        told = look(module)
        if not is_kept and self._is_over(KEPT_MODULES, KEPT_TEXT):
            self._forget(path, module)
        return told

    def _forget(self, path: str, module: Module) -> None:
        if self._modules.get(path) is module:
            self._drop(path)
            module.release()

    def _load(self, path: str) -> Module | None:
        try:
            source = self._given.get(path)
            if source is None:
                content = read_regular(path, LARGE_FILE)
                if len(content) > LARGE_FILE:
                    return None
                source = Source(str(Path(path).absolute()), decode(content).source)
            return self._read(source, path)
        except (OSError, UnreadableError, SyntaxError, ValueError, RecursionError, UnseenError):
            return None

    def _read(self, source: Source, path: str) -> Module:
        """Return a module, of a text that is not valid as much as can be read; or SyntaxError."""
        try:
            return Module(source, self.dotted(path))
        except SyntaxError:
            read = readable(source)
            if read is None:
                raise
            return Module(read, self.dotted(path))

    def _keep(self, path: str, module: Module | None) -> None:
        if path in self._modules:
            self._replaced.append(self._drop(path))
        self._modules[path] = module
        self._kept_text += len(module.source.text) if module is not None else 0
        while len(self._modules) > MOST_MODULES:
            self._replaced.append(self._drop(next(iter(self._modules))))

    def _drop(self, path: str) -> Module | None:
        module = self._modules.pop(path)
        self._kept_text -= len(module.source.text) if module is not None else 0
        return module

    def release(self, module: Module) -> None:
        """After a module's analysis, give back what only that needed, and the oldest modules."""
        self._asked.clear()
        self._asked_text = 0
        if module.key in self._modules:
            self._modules.move_to_end(module.key)
        # What a body resolved may lead into a module that is taken apart now.
        leaves = any(self._replaced) or self._is_over(KEPT_MODULES, KEPT_TEXT)
        for other in self._modules.values():
            if other is not None and other.frames:
                other.release_frames(body=leaves or other is module)
        self._take_apart(KEPT_MODULES, KEPT_TEXT)
        # A text for every file of a large tree, between trees long gone, holds their memory too.
        for path in self._passing:
            del self._given[path]
        self._passing.clear()

    def close(self) -> None:
        """Give back everything."""
        self._take_apart(0, 0)

    def _is_over(self, modules: int, text: int) -> bool:
        """Tell whether more modules, or larger ones, are kept than these."""
        return len(self._modules) > modules or self._kept_text > text

    def _take_apart(self, modules: int, text: int) -> None:
        while self._modules and self._is_over(modules, text):
            self._replaced.append(self._drop(next(iter(self._modules))))
        for module in filter(None, self._replaced):
            module.release()
        self._replaced.clear()

    def _holds(self, path: str, wanted: Callable[[bytes], object]) -> bool:
        """Tell whether a file's bytes make it worth parsing, whether it is being linted or not."""
        key = (path, wanted is is_candidate)
        if key not in self._worth:
            given = self._given.get(path)
            content = given.text.encode(errors="replace") if given is not None else content_of(path)
            self._worth[key] = bool(wanted(content))
        return self._worth[key]

    def _locate(self, name: str, importer: Module) -> str | None:
        """Return the file of a dotted name, as the importer would find it."""
        return self._found(name, self._home(importer.path))

    def _found(self, name: str, here: str) -> str | None:
        key = (here, name)
        if key not in self._places:
            self._places[key] = self._search(name.split("."), here)
        return self._places[key]

    def _search(self, parts: list[str], here: str) -> str | None:
        for folder in self._folders(here):
            if not self._may_hold(folder, parts):
                continue
            base = os.path.join(folder, *parts)  # noqa: PTH118
            for path in (base + ".py", base + "/__init__.py"):
                if self._is_own_file(path) or shown(path) in self._given:
                    return shown(path)
        return self._search_above(parts)

    def _search_above(self, parts: list[str]) -> str | None:
        """Follow a name that begins above what may be read and leads into it, as a package's do."""
        for folder in self._above:
            base = os.path.join(folder, *parts)  # noqa: PTH118
            for path in (base + ".py", base + "/__init__.py"):
                if path.startswith(self._prefixes) and self._is_own_file(path):
                    return shown(path)
        return None

    def _is_own_file(self, path: str) -> bool:
        """Tell whether a file is there, and no link on the way to it leads out of the project."""
        return os.path.isfile(path) and os.path.realpath(path).startswith(self._homes_of_files)  # noqa: PTH113

    @cached_property
    def _homes_of_files(self) -> tuple[str, ...]:
        """How the true paths of files begin that may be read."""
        homes = (os.path.realpath(folder) for folder in self.opened)
        return tuple(f"{home.rstrip(os.sep)}{os.sep}" for home in homes)

    @cached_property
    def _above(self) -> list[str]:
        """The folders from the root down to those that may be read."""
        parents = [parent for folder in self.opened for parent in folder.parents]
        inside = [str(folder) for folder in parents if self._is_below_root(folder)]
        return list(dict.fromkeys(inside))

    def _is_below_root(self, folder: Path) -> bool:
        return self.root is not None and folder.is_relative_to(self.root)

    @cached_property
    def _prefixes(self) -> tuple[str, ...]:
        """How the paths of files begin that may be read."""
        return tuple(f"{str(folder).rstrip(os.sep)}{os.sep}" for folder in self.opened)

    def _may_hold(self, folder: str, parts: list[str]) -> bool:
        """Tell by one look into a folder whether an import may start there."""
        if folder not in self._listed:
            try:
                self._listed[folder] = frozenset(os.listdir(folder))  # noqa: PTH208
            except OSError:
                self._listed[folder] = frozenset()
        listed = self._listed[folder]
        return parts[0] in listed or f"{parts[0]}.py" in listed or parts[-1] in self._stems

    def _folders(self, here: str) -> list[str]:
        """Where an import may start: the importer's folder, those around it, the root."""
        if here not in self._starts and _is_installed(here):
            self._starts[here] = []
        elif here not in self._starts:
            places, home = [here], Path(here)
            inside = [
                parent for parent in home.parents if f"{parent}{os.sep}".startswith(self._prefixes)
            ]
            roots = [place for folder in self.opened for place in (folder, folder / "src")]
            places += map(str, [*inside, *roots])
            self._starts[here] = list(dict.fromkeys(places))
        return self._starts[here]


def _is_installed(folder: str) -> bool:
    """Tell whether a folder belongs to an installed package: nothing is looked up in those."""
    return not INSTALLED.isdisjoint(Path(folder).parts)


def _stem(path: str) -> str:
    """`train` of `train.py` and of `train/__init__.py`."""
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    return parts[-1]
