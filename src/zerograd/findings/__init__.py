"""What lint and watch hand to the reports: findings, with locations and repairs."""

from typing import TYPE_CHECKING

from zerograd.findings.fingerprint import fingerprint
from zerograd.lazy_imports import late

if TYPE_CHECKING:
    from zerograd.findings.finding import Damage, Evidence, Finding
    from zerograd.findings.fix import Edit, Fix
    from zerograd.findings.location import Location
    from zerograd.findings.results import FamilyReach, Reach, Results, Unchecked, Unheard, Withheld
    from zerograd.findings.source import Sources

__all__ = [
    "Damage",
    "Edit",
    "Evidence",
    "FamilyReach",
    "Finding",
    "Fix",
    "Location",
    "Reach",
    "Results",
    "Sources",
    "Unchecked",
    "Unheard",
    "Withheld",
    "fingerprint",
]

if not TYPE_CHECKING:
    _HOMES = ("source", "location", "results", "fix", "finding")
    __getattr__ = late(__name__, _HOMES, __all__)
