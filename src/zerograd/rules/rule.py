"""What a rule is: pure data that lint, watch, the engine and the docs share."""

from __future__ import annotations

from enum import Flag, StrEnum, auto
from typing import TYPE_CHECKING

from zerograd.record import record

if TYPE_CHECKING:
    from zerograd.severity import Severity

HOME: str | None = None
"""Where the documentation is published; None until it is. Every address of ours begins with it."""


class SeenBy(Flag):
    """Which of the three verbs sees the fault."""

    LINT = auto()
    """Where the source shows it."""

    WATCH = auto()
    """When it happens in a run."""

    ENGINE = auto()
    """The engine makes it impossible or refuses it."""


SELDOM = 1
"""False findings of a rule that the bed of public files may show while it is trusted."""


class Status(StrEnum):
    """Whether a rule has earned its place."""

    STABLE = "stable"
    PREVIEW = "preview"


class Repair(StrEnum):
    """How a rule's repair reaches the source."""

    SAFE = "safe"
    """`--fix` writes it: what is computed stays the same."""

    UNSAFE = "unsafe"
    """`--fix --unsafe-fixes` writes it: what is computed changes, which is the point."""

    DISPLAY = "display-only"
    """Shown in words or as a diff, never written."""


@record(frozen=True, kw_only=True)
class Rule:
    """One way that training goes wrong without an error."""

    code: str
    """Stable id, never reused: `ZG101`."""

    name: str
    """Reads well after "allow" and names the fault: `missing-zero`."""

    severity: Severity
    """The highest that a finding of this rule can have."""

    seen: SeenBy
    """Who sees it."""

    fault: str
    """What goes wrong, in one sentence without a full stop."""

    at: str
    """The line that a finding stands on, the same in lint and watch."""

    repair: Repair = Repair.DISPLAY
    """How its repair reaches the source."""

    real: int = 0
    """Real bugs that it found in public code."""

    false: int = 0
    """False findings that the ecosystem check still knows of."""

    @property
    def section(self) -> int:
        """The catalogue's chapter: 1 for ZG101."""
        return int(self.code[2])

    @property
    def is_stable(self) -> bool:
        """Whether it found a real bug and is seldom wrong; rules on files always are.

        In all blind measurements together no more than one false finding in 1,000 unseen files:
        of the bed that counts `false`, which has more than 3,000, at most `SELDOM`.
        """
        return self.section == 0 or (self.real >= 1 and self.false <= SELDOM)

    @property
    def status(self) -> Status:
        """Stable once it has earned that, until then in preview."""
        return Status.STABLE if self.is_stable else Status.PREVIEW

    @property
    def module(self) -> str:
        """The name as Python spells it: `missing_zero`."""
        return self.name.replace("-", "_")

    @property
    def url(self) -> str | None:
        """Where the page is published, if it is; `zerograd explain` shows it anywhere."""
        return None if HOME is None else f"{HOME}/rules/{self.name}.html"
