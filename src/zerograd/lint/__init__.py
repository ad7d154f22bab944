"""`zerograd lint`: finds gradient faults in source, by interpreting it without running it.

The names below are loaded when they are first used: most files never need the interpreter.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zerograd.lint.analysis import Analyser, Analysis
    from zerograd.lint.prefilter import is_candidate
    from zerograd.lint.project import Project
    from zerograd.lint.reach import LoopReach, summary
    from zerograd.lint.source import Cell, Source

HOMES = {
    "Analyser": "analysis",
    "Analysis": "analysis",
    "Cell": "source",
    "LoopReach": "reach",
    "Project": "project",
    "Source": "source",
    "is_candidate": "prefilter",
    "summary": "reach",
}

__all__ = [
    "Analyser",
    "Analysis",
    "Cell",
    "LoopReach",
    "Project",
    "Source",
    "is_candidate",
    "summary",
]


def __getattr__(name: str) -> object:
    """Load the module that a public name lives in."""
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"zerograd.lint.{HOMES[name]}"), name)
