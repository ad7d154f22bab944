"""Which findings the user wants to see, and in which files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.settings.globs import covers
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from zerograd.rules import Rule
    from zerograd.settings.settings import Settings


def selected(rule: Rule, severity: Severity, settings: Settings, *, happened: bool = False) -> bool:
    """Tell whether a finding of this rule and severity is wanted.

    The longer code wins (`select = ["ZG4"]`, `ignore = ["ZG402"]`), between equals `ignore`
    does. A hint or a rule in preview must be asked for: all of them, or this one by name. What
    `happened` in a run is no guess about a source: there only hints are held back by preview.
    """
    chosen = longest(rule, (*settings.select, *settings.extend_select))
    if chosen <= longest(rule, settings.ignore):
        return False
    named = chosen == len(rule.code)
    if severity is Severity.HINT and not (settings.hints or named):
        return False
    certain = happened and severity is not Severity.HINT
    return certain or rule.is_stable or settings.preview or named


def ignored_in(path: Path, rule: Rule, settings: Settings) -> bool:
    """Tell whether `per-file-ignores` ignores this rule in this file."""
    return any(
        longest(rule, codes) and covers(pattern, path, settings.folder)
        for pattern, codes in settings.per_file_ignores
    )


def excluded(path: Path, settings: Settings) -> bool:
    """Tell whether this path, or a folder that it lies in, is left out."""
    patterns = (*settings.exclude, *settings.extend_exclude)
    return any(covers(pattern, path, settings.folder) for pattern in patterns)


def longest(rule: Rule, codes: Iterable[str]) -> int:
    """Return how specifically these codes name the rule: 0 for not at all, 5 for its own code."""
    return max((len(code) for code in codes if rule.code.startswith(code)), default=0)
