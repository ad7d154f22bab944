"""Decide whose settings file is trusted: one above a project may be a stranger's, as in /tmp."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from zerograd import system

if TYPE_CHECKING:
    from pathlib import Path

ROOT = 0


def is_ours(file: Path, start: Path) -> bool:
    """Tell whether a file at or above `start` may say something about it.

    What lies in `start` belongs to it, unless everybody may write there. Further up a file must be
    the user's own, root's, or belong to whom `start` belongs to, as in a container that runs as
    root on somebody's checkout: anybody may write a /tmp/zerograd.toml that has files repaired, or
    a /tmp/.git. Windows tells no owners.
    """
    if not system.has_owners():
        return True
    try:
        if file.parent == start and not start.stat().st_mode & stat.S_IWOTH:
            return True
        return file.lstat().st_uid in (system.user_number(), ROOT, start.stat().st_uid)
    except OSError:
        return False
