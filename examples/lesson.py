"""The lesson of docs/tutorial.md in a terminal: seven small programs, and a guess before each.

    python examples/lesson.py

shows one program after the other, waits for a guess, and runs it. Where nobody types, it goes on.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

TUTORIAL = Path(__file__).parents[1] / "docs" / "tutorial.md"
STEP = re.compile(r"^## (\d\. .*?)\n(.*?)^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def steps() -> list[tuple[str, str, str]]:
    """Return each step's title, what is asked, and its program."""
    return STEP.findall(TUTORIAL.read_text("utf-8"))


def show(title: str, asked: str, program: str) -> None:
    """Show one step, wait for a guess and run the program."""
    print(f"\n=== {title} ===\n{asked}\n{program}")
    if sys.stdin.isatty():
        input("Your guess, then Enter: ")
    print("--- it prints:")
    exec(compile(program, title, "exec"), {"__name__": "__main__"})


if __name__ == "__main__":
    for step in steps():
        show(*step)
