"""Read what the scripts under tests/scripts expect of lint and watch."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zerograd.rules import Rule

SCRIPTS = Path(__file__).parents[1] / "scripts"
IDIOMS = SCRIPTS / "idioms"
FRAMEWORKS = SCRIPTS / "frameworks"

# In a notebook the comment is followed by the rest of a JSON string.
EXPECTATION = re.compile(r"# (ZG\d{3})((?: lint| watch)+)(?:\\n)?[\"\],}]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Expectation:
    """One finding that a line must get."""

    file: Path
    line: int
    """In a notebook, the physical line of the file."""

    code: str
    halves: frozenset[str]
    """Who must report it: `lint`, `watch` or both."""


@dataclass(frozen=True, slots=True)
class Script:
    """One program: a file, a notebook or a folder with a `main.py`."""

    path: Path

    @property
    def broken(self) -> bool:
        """Whether it has the fault, by its name."""
        return self.path.name.startswith("broken_")

    @property
    def files(self) -> tuple[Path, ...]:
        """The sources that it consists of."""
        return tuple(sorted(self.path.glob("*.py"))) if self.path.is_dir() else (self.path,)

    @property
    def expectations(self) -> tuple[Expectation, ...]:
        """Every finding that it must get, in the order of its lines."""
        return tuple(expected for file in self.files for expected in read_expectations(file))


def scripts_of(rule: Rule) -> tuple[Script, ...]:
    """Return every program in the folder of this rule."""
    paths = sorted(path for path in (SCRIPTS / rule.module).glob("*") if path.name != "__pycache__")
    return tuple(Script(path) for path in paths)


def read_expectations(file: Path) -> tuple[Expectation, ...]:
    """Return the expectations written in one file."""
    # Some files are undecodable on purpose; their comments are ASCII all the same.
    text = file.read_text("ascii", errors="replace")
    return tuple(
        Expectation(
            file=file,
            line=text.count("\n", 0, found.start()) + 1,
            code=found[1],
            halves=frozenset(found[2].split()),
        )
        for found in EXPECTATION.finditer(text)
    )
