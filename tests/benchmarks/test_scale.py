"""docs/explanation/scale.md says what benchmarks/scale.py counts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
COUNTED = """
import scale
print(scale.PAGE.read_text("utf-8").partition(scale.BEGIN)[2].partition(scale.END)[0].strip())
print("=====")
print("\\n".join(scale.lines()))
"""


def test_the_page_about_scale_has_what_is_counted() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", COUNTED],
        cwd=ROOT / "benchmarks",
        capture_output=True,
        text=True,
        check=True,
    )

    page, counted = ran.stdout.split("=====\n")
    assert page.strip() == counted.strip()
    assert "| to a window: DDP | nothing | nothing | nothing |" in counted
