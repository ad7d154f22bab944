"""Tests, and all that they start, see the same surroundings on a desk, in a terminal and in CI."""

from __future__ import annotations

import os

SURROUNDINGS = (
    *("CI", "BUILD_NUMBER", "COLUMNS", "LINES", "TERM"),
    *("FORCE_COLOR", "NO_COLOR", "PY_COLORS"),
)
"""What CI services and terminals set, and pytest, our reports and argparse shape their words by."""

for name in SURROUNDINGS:
    os.environ.pop(name, None)
