"""Measure lint on a frozen list: how many real bugs it finds, or what it says of training files.

    python ecosystem/blind.py ecosystem/blind/bugs-a.jsonl CHECKOUTS
    python ecosystem/blind.py ecosystem/blind/files-1.jsonl CHECKOUTS

CHECKOUTS has a folder for each line, at its commit: `A001` for a bug, `owner+name` for a
repository. A bug counts as found where a finding of an acceptable rule stands on one of its
lines; loud findings on training files are listed, to be read one by one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from zerograd.rules import CATALOGUE

OPTIONS = ("lint", "--isolated", "--format", "json", "--quiet", "--preview", "--hints", ".")
STABLE = {rule.code for rule in CATALOGUE if rule.is_stable}
FOUND = ("loud by default", "loud with --preview", "with hints")

Row = dict[str, Any]


def main(arguments: list[str]) -> int:
    """Lint each checkout once and print the table."""
    if len(arguments) != 2:
        print("usage: blind.py LIST.jsonl CHECKOUTS", file=sys.stderr)
        return 2
    rows = [json.loads(line) for line in Path(arguments[0]).read_text("utf-8").splitlines()]
    checkouts = Path(arguments[1])
    if "acceptable_rules" in rows[0]:
        print("\n".join(table(rows, [levels_of(row, checkouts) for row in rows])))
    else:
        print("\n".join(line for row in rows for line in told_of(row, checkouts)))
        print(f"training files: {sum(row['distinct_training_files'] for row in rows)}")
    return 0


def levels_of(row: Row, checkouts: Path) -> set[str]:
    """Lint the checkout of one bug, and tell where it would be seen."""
    levels = found_at(row, linted(checkouts / row["id"]))
    print(row["id"], row["family"], *sorted(levels), flush=True)
    return levels


def linted(folder: Path) -> list[Row]:
    """Return all findings of one checkout, hints and preview included."""
    command = [sys.executable, "-m", "zerograd", *OPTIONS]
    answer = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if not answer.stdout.strip():
        raise SystemExit(f"lint failed in {folder}: {answer.stderr.strip()}")
    findings: list[Row] = json.loads(answer.stdout)["findings"]
    return findings


def found_at(row: Row, findings: list[Row]) -> set[str]:
    """Return at which levels a bug is found: of `FOUND`, those that show a finding of it."""
    lines = {row["line"], *(row.get("also_lines") or ())}
    levels: set[str] = set()
    for finding in findings:
        right = not {finding["code"], finding["name"]}.isdisjoint(row["acceptable_rules"])
        # A line of a notebook's file is none of a cell's.
        here = finding["cell"] is not None or finding["line"] in lines
        if right and here and finding["path"] == row["path"]:
            loud = finding["severity"] != "hint"
            default = loud and finding["code"] in STABLE
            levels |= set(FOUND[0 if default else 1 if loud else 2 :])
    return levels


def table(rows: list[Row], levels: list[set[str]]) -> list[str]:
    """Spell the result by family, as a Markdown table."""
    families = Counter(row["family"] for row in rows)
    lines = [f"| family | bugs | {' | '.join(FOUND)} |", "|---|--:|--:|--:|--:|"]
    for family, size in [*families.most_common(), ("all", len(rows))]:
        mine = [
            seen for row, seen in zip(rows, levels, strict=True) if family in (row["family"], "all")
        ]
        counts = [sum(name in seen for seen in mine) for name in FOUND]
        told = " | ".join(f"{count} ({count / size:.0%})" for count in counts)
        lines.append(f"| {family} | {size} | {told} |")
    return lines


def told_of(row: Row, checkouts: Path) -> list[str]:
    """Return a line for each loud finding of one repository."""
    found = [item for item in linted(checkouts / row["repo"].replace("/", "+")) if is_loud(item)]
    return [
        f"{'default' if item['code'] in STABLE else 'preview'} {item['severity']} "
        f"{item['code']} {row['repo']} {place(item)}: {item['message']}"
        for item in found
    ]


def is_loud(finding: Row) -> bool:
    """Tell whether a finding is more than a hint."""
    return bool(finding["severity"] != "hint")


def place(finding: Row) -> str:
    """`train.py:12`, `course.ipynb:cell 3:12`."""
    cell = "" if finding["cell"] is None else f"cell {finding['cell']}:"
    return f"{finding['path']}:{cell}{finding['line']}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
