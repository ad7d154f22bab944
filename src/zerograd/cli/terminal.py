"""Write to stdout, and tell whether it is a terminal that wants colour and rendered Markdown."""

from __future__ import annotations

import os
import sys

TOO_SIMPLE = {"dumb", "unknown"}


def show(text: str) -> None:
    """Write lines to stdout.

    `click.echo` would send UTF-8 to a stream that says it is ASCII; `main` has told ours to write
    `?` for what they lack.
    """
    sys.stdout.write(f"{text}\n")


def wants_rich() -> bool:
    """Tell whether to draw with rich; plain text, which costs less to start, otherwise.

    A terminal whose encoding lacks rich's lines and bullets gets plain text too.
    """
    if os.environ.get("FORCE_COLOR"):
        return True
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return sys.stdout.isatty() and os.environ.get("TERM") not in TOO_SIMPLE and encoding == "utf8"
