"""Call back when the script imports torch, and not earlier.

Importing torch ourselves would change the run: a script may set `OMP_NUM_THREADS` or
`CUDA_VISIBLE_DEVICES` first, and torch reads them while it is imported.
"""

from __future__ import annotations

import sys
from importlib.abc import Loader, MetaPathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


def when_imported(name: str, then: Callable[[], None]) -> Callable[[], None]:
    """Call `then` once this module is there: now, or right after its import.

    Returns what to call to wait no longer.
    """
    if name in sys.modules:
        then()
        return lambda: None
    arrival = _Arrival(name, then)
    sys.meta_path.insert(0, arrival)
    return arrival.forget


class _Arrival(MetaPathFinder):
    """Finds nothing itself: asks the other finders and wraps the loader they name.

    It waits until the module is executed, not only found: `find_spec("torch")` is how libraries
    ask whether torch is installed.
    """

    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self.name = name
        self.then = then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Answer for the awaited module only."""
        if fullname != self.name:
            return None
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _ThenLoader(spec.loader, self)
                return spec
        return None

    def forget(self) -> None:
        """Wait no longer."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)


class _ThenLoader(Loader):
    """The module's own loader, and a call when it has finished."""

    def __init__(self, own: Loader, arrival: _Arrival) -> None:
        self.own = own
        self.arrival = arrival

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave creation to the module's own loader."""
        return self.own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Put the own loader back, so that nobody sees us, then execute and tell."""
        module.__loader__ = self.own
        if module.__spec__ is not None:
            module.__spec__.loader = self.own
        self.own.exec_module(module)
        if self.arrival in sys.meta_path:
            self.arrival.forget()
            self.arrival.then()

    def __getattr__(self, name: str) -> object:
        return getattr(self.own, name)
