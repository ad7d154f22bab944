"""What lint would repair of what a run found: the report of a run shows it as a diff."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.record import replace

if TYPE_CHECKING:
    from zerograd.findings import Finding, Fix, Results
    from zerograd.settings import Settings

MOST = 16
"""Files that are read for their repairs."""


def with_repairs(results: Results, settings: Settings) -> Results:
    """Return the same findings, with the repairs that lint offers on the same lines."""
    paths = sorted({finding.location.path for finding in results.findings})
    fixes = repairs([path for path in paths if Path(path).is_file()][:MOST], settings)
    repaired = [
        finding if finding.fix else replace(finding, fix=fixes.get(key(finding)))
        for finding in results.findings
    ]
    return replace(results, findings=tuple(repaired))


def repairs(paths: list[str], settings: Settings) -> dict[tuple[str, str, int], Fix]:
    """Return what lint would repair in these files, by rule and line."""
    if not paths:
        return {}
    # Imported here: most runs are right, and the analysis takes longer to load than to run.
    from zerograd.lint.shell.check_file import Checker, Job
    from zerograd.lint.shell.files.root import project_root

    root = project_root([Path(path) for path in paths], settings)
    checker = Checker(Job(root=root.folder, knowledge=settings.knowledge, opened=root.opened))
    found = [finding for path in paths for finding in checker.check(path).findings]
    return {key(finding): finding.fix for finding in found if finding.fix}


def key(finding: Finding) -> tuple[str, str, int]:
    """Return what a finding of lint and one of watch have in common."""
    return finding.rule.code, finding.location.path, finding.location.line
