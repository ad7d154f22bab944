"""What can be set, and what holds when nothing is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.record import field, record
from zerograd.system import here

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = (
    "full",
    "concise",
    "json",
    "sarif",
    "github",
    "html",
    "gitlab",
    "junit",
    "rdjson",
)

EVERYTHING = ("ZG",)

NOT_SOURCES = (
    ".eggs",
    ".git",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    "__pycache__",
    "__pypackages__",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
)


@record(frozen=True, kw_only=True)
class Knowledge:
    """What the user's own functions do to gradients, each by its dotted name."""

    clears: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    deposits: tuple[str, ...] = ()
    clips: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()
    """Calls that touch no gradient, whatever their names suggest."""

    repeated: tuple[str, ...] = ()
    """Functions that a framework calls once a batch: bodies of a loop that cannot be seen."""


@record(frozen=True, kw_only=True)
class Settings:
    """Everything that can be chosen, checked once. Rules are codes or their beginnings."""

    select: tuple[str, ...] = EVERYTHING
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Pairs of a pattern and the rules that are ignored in the files it covers."""

    exclude: tuple[str, ...] = NOT_SOURCES
    extend_exclude: tuple[str, ...] = ()

    force_exclude: bool = False
    """Exclude also what the command line names."""

    respect_gitignore: bool = True
    hints: bool = False
    preview: bool = False
    fix: bool = False
    unsafe_fixes: bool = False
    format: str = "full"
    baseline: Path | None = None
    project_root: Path | None = None
    knowledge: Knowledge = field(default_factory=Knowledge)

    folder: Path = field(default_factory=here)
    """Where patterns count from: the settings file's folder, else the working directory."""

    file: Path | None = None
    """The settings file, if there is one."""
