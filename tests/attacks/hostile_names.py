"""Names that try to move the cursor, to turn text around and to forge lines, and a check on text.

A name is hostile in every way that a file system allows: `FORGED` begins a line of its own if a
line end of any kind comes through, the rest is what terminals obey.
"""

from __future__ import annotations

import unicodedata

FORGED = "planted-by-a-name"

HOSTILE = f"a\x1b[2J\x9b31m\x07\x7f\u202e\u2066\u200b\u2028{FORGED}\r{FORGED}\n{FORGED}\udcff"
"""The last character is what Python makes of a byte that is no UTF-8."""

HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def obeyed(text: str) -> list[str]:
    """Return what a terminal would obey in a text: hidden characters, and lines that are forged."""
    hidden = {one for one in text if unicodedata.category(one) in HIDDEN and one not in "\n\t"}
    forged = {line for line in text.split("\n") if line.lstrip().startswith(FORGED)}
    return sorted(map(repr, hidden | forged))
