"""Be told when the script imports torch, and not a moment earlier.

Importing torch ourselves would be a change: a script may set `OMP_NUM_THREADS` or
`CUDA_VISIBLE_DEVICES` first, and torch reads them while it is imported.
"""

from __future__ import annotations

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


def when_imported(name: str, then: Callable[[], None]) -> None:
    """Call `then` once the module of this name is there: now, or right after its import."""
    if name in sys.modules:
        then()
    else:
        sys.meta_path.insert(0, _Arrival(name, then))


class _Arrival(MetaPathFinder):
    """Finds nothing itself: asks the other finders and wraps the loader they name."""

    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self.name = name
        self.then = then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Answer only for the awaited module, and only once."""
        if fullname != self.name or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _ThenLoader(spec.loader, self.then)
        return spec


class _ThenLoader(Loader):
    """The module's own loader, and a call when it has finished."""

    def __init__(self, own: Loader, then: Callable[[], None]) -> None:
        self.own = own
        self.then = then

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave creation to the module's own loader."""
        return self.own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Put the own loader back, so that nobody sees us, then execute and tell."""
        module.__loader__ = self.own
        if module.__spec__ is not None:
            module.__spec__.loader = self.own
        self.own.exec_module(module)
        self.then()
