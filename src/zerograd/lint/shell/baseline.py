"""The findings that were there before: known by fingerprint, and not reported again."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from zerograd.bounded_read import read_regular
from zerograd.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from zerograd.findings import Finding

VERSION = 1
LARGE_FILE = 20_000_000
"""Bytes; of 100,000 findings. What is longer is cut, and then no baseline."""

REWRITE = "`zerograd lint --write-baseline` writes a new one"


def new_findings(findings: Iterable[Finding], known: Counter[str]) -> tuple[list[Finding], int]:
    """Return the findings that a baseline does not have, and how many of its own are gone."""
    left = Counter(known)
    fresh = []
    for finding in findings:
        if left[finding.fingerprint] > 0:
            left[finding.fingerprint] -= 1
        else:
            fresh.append(finding)
    return fresh, left.total()


def read_baseline(file: Path) -> Counter[str]:
    """Return how often a baseline has each fingerprint."""
    try:
        document = json.loads(read_regular(file, LARGE_FILE))
        return Counter({entry["fingerprint"]: int(entry["count"]) for entry in entries(document)})
    except OSError as error:
        raise SettingsError(
            f"cannot read the baseline {file}: {error.strerror}; {REWRITE}"
        ) from error
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise SettingsError(f"{file} is no baseline of zerograd; {REWRITE}") from error


def entries(document: Any) -> list[dict[str, Any]]:
    """Return a baseline's entries, if it is of a version that this zerograd knows."""
    if document["version"] != VERSION:
        raise ValueError(document["version"])
    found: list[dict[str, Any]] = document["findings"]
    return found


def baseline_text(findings: Iterable[Finding]) -> str:
    """Return the baseline that has all these findings; code and path are for its readers."""
    counts: Counter[tuple[str, str, str]] = Counter(
        (finding.location.path, finding.rule.code, finding.fingerprint) for finding in findings
    )
    listed = [
        {"fingerprint": mark, "count": count, "code": code, "path": path}
        for (path, code, mark), count in sorted(counts.items())
    ]
    return json.dumps({"version": VERSION, "findings": listed}, indent=2) + "\n"
