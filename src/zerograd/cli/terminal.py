"""Whether stdout is a terminal that wants colour, tables and rendered Markdown."""

from __future__ import annotations

import os
import sys

TOO_SIMPLE = {"dumb", "unknown"}


def wants_rich() -> bool:
    """Tell whether to draw with rich; plain text, which costs less to start, otherwise.

    A terminal whose encoding lacks rich's lines and bullets gets plain text too.
    """
    if os.environ.get("FORCE_COLOR"):
        return True
    encoding = sys.stdout.encoding.lower().replace("-", "")
    return sys.stdout.isatty() and os.environ.get("TERM") not in TOO_SIMPLE and encoding == "utf8"
