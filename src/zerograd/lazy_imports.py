"""Packages whose names load at first use: a command starts without what it does not need."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def late(package: str, modules: Sequence[str], names: Sequence[str]) -> Callable[[str], object]:
    """Return a package's `__getattr__` that finds its public names in these modules.

    They are tried in order until one has the name: those that cost least come first.
    """

    def load(name: str) -> object:
        if name in names:
            for module in modules:
                found = vars(import_module(f"{package}.{module}"))
                if name in found:
                    vars(import_module(package))[name] = found[name]
                    value: object = found[name]
                    return value
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load
