"""What TorchFix and ruff say of the broken programs, for docs/explanation/comparison.md.

    make linters

installs both into an environment of their own, runs them and writes the page's table anew.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/explanation/comparison.md"
BIN = Path(sys.prefix) / "linters/bin"
BEGIN, END = "<!-- begin linters -->\n", "<!-- end linters -->\n"
REMARK = re.compile(r"^\S+:\d+:\d+: (TOR\d+) ", re.MULTILINE)
SHOWN = 3
"""Rules that are named, the most frequent first."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one linter said, by rule."""

    linter: str
    selected: str
    remarks: Counter[str]


def torchfix(programs: list[str]) -> Verdict:
    """Run TorchFix with every rule it has."""
    version = said("torchfix", "--version").split()[-1]
    remarks = REMARK.findall(said("torchfix", "--select", "ALL", *programs))
    return Verdict(f"TorchFix {version}", "all rules", Counter(remarks))


def ruff(programs: list[str]) -> Verdict:
    """Run ruff as it comes, without this project's settings."""
    version = said("ruff", "--version").split()[-1]
    rules = len(json.loads(said("ruff", "rule", "--all", "--output-format", "json")))
    found = said("ruff", "check", "--isolated", "--no-cache", "--output-format", "json", *programs)
    remarks = Counter(one["code"] for one in json.loads(found))
    return Verdict(f"ruff {version}", f"the default ones of {rules} rules", remarks)


def said(tool: str, *arguments: str) -> str:
    """Return what a linter prints; one that found something ends with a status of its own."""
    command = [str(BIN / tool), *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT).stdout


def table(verdicts: list[Verdict], programs: int) -> str:
    """Return the page's table."""
    lines = [f"| linter | selected | remarks on {programs} programs | most of them |"]
    lines.append("|---|---|--:|---|")
    for one in verdicts:
        most = ", ".join(f"{code} {count}" for code, count in one.remarks.most_common(SHOWN))
        lines.append(f"| {one.linter} | {one.selected} | {one.remarks.total()} | {most} |")
    return "\n".join(lines) + "\n"


def with_table(page: str, written: str) -> str:
    """Return the page with its table replaced."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{written}{END}{after}"


def main() -> None:
    """Run both, print the table and write it into the page."""
    paths = sorted((ROOT / "tests/scripts").glob("*/broken_*.py"))
    programs = [str(path.relative_to(ROOT)) for path in paths]
    written = table([torchfix(programs), ruff(programs)], len(programs))
    print(written, end="")
    PAGE.write_text(with_table(PAGE.read_text("utf-8"), written), "utf-8")


if __name__ == "__main__":
    main()
