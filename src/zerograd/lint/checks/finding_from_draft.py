"""From a draft to a finding: its location, and its evidence in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.findings import Evidence, Finding
from zerograd.rules import named_rule

if TYPE_CHECKING:
    from zerograd.lint.checks.evidence.case import Draft


def finding_of(draft: Draft) -> Finding:
    """Return a draft with its places in the source."""
    evidence = tuple(
        Evidence(what, place.module.source.locate(place.node)) for what, place in draft.evidence
    )
    return Finding(
        rule=named_rule(draft.rule),
        severity=draft.severity,
        location=draft.spot.module.source.locate(draft.spot.node),
        message=draft.message,
        help=draft.help,
        evidence=evidence,
    )
