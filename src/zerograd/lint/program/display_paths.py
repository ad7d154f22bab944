"""Paths as a reader types them: the analysis counts in absolute ones, findings do not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from zerograd.record import replace

if TYPE_CHECKING:
    from pathlib import Path

    from zerograd.findings import Finding, Location


def shown(path: Path | str) -> str:
    """Return a path from the working directory where it is below it, with `/`."""
    # String work, because a large tree has tens of thousands of them.
    absolute = os.path.abspath(path)  # noqa: PTH100
    here = os.getcwd().rstrip(os.sep) + os.sep  # noqa: PTH109
    return absolute.removeprefix(here).replace(os.sep, "/")


def shown_location(location: Location) -> Location:
    """Return a location with its path as a reader types it."""
    return replace(location, path=shown(location.path))


def shown_finding(finding: Finding) -> Finding:
    """Return a finding and its witness with their paths as a reader types them."""
    evidence = tuple(
        replace(step, location=shown_location(step.location)) for step in finding.evidence
    )
    return replace(finding, location=shown_location(finding.location), evidence=evidence)
