"""What lint costs: beside ruff on a large tree, and on candidates alone.

    python benchmarks/lint.py [--quick]

prints its section and writes it into benchmarks/RESULTS.md. CPU time of whole processes, each
with one thread; every round runs each command once, in an order that is reversed from round to
round, and the ratio is taken within the round. The second ruff is the A/A control.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from shutil import copy
from statistics import median
from tempfile import TemporaryDirectory

from zerograd.lint.check import is_worth_reading

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_name("RESULTS.md")
TITLE = "## Lint\n"
TREE = Path(sysconfig.get_path("purelib"))
BIN = Path(sys.executable).parent
RUFF: list[str | Path] = [
    BIN / "ruff",
    "check",
    "--no-cache",
    "--isolated",
    "--select",
    "E,F",
    "--exit-zero",
    "-q",
]
LINT: list[str | Path] = [
    BIN / "zerograd",
    "lint",
    "--isolated",
    "--no-respect-gitignore",
    "--exit-zero",
    "-q",
]
LINT += ["--jobs", "1"]
CONTROL = "ruff (A/A control)"


def spent(command: list[str | Path], caches: Path) -> tuple[float, float]:
    """Run a command; return its seconds of CPU and its peak memory in MB."""
    # An installed command has its byte code; some shells forbid to write it.
    environment = {name: value for name, value in os.environ.items() if "BYTECODE" not in name}
    environment |= {"RAYON_NUM_THREADS": "1", "PYTHONPYCACHEPREFIX": str(caches)}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} ended with status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def candidates(into: Path) -> int:
    """Copy every file that lint would analyse into a folder; return how many they are."""
    count = 0
    for top in (TREE, ROOT / "examples", ROOT / "tests/scripts"):
        for path in sorted(top.rglob("*.py")):
            if is_worth_reading(path.name, path.read_bytes()):
                place = into / top.name / path.relative_to(top)
                place.parent.mkdir(parents=True, exist_ok=True)
                copy(path, place)
                count += 1
    return count


def section(rounds: int) -> str:
    """Measure, and return the section as Markdown."""
    with TemporaryDirectory() as folder:
        only, caches = Path(folder, "only"), Path(folder, "caches")
        count = candidates(only)
        commands: dict[str, list[str | Path]] = {
            "ruff": [*RUFF, TREE],
            CONTROL: [*RUFF, TREE],
            "lint": [*LINT, TREE],
            "lint, candidates only": [*LINT, only],
        }
        spent([*LINT, str(ROOT / "examples")], caches)
        runs = [
            {
                name: spent(commands[name], caches)
                for name in list(commands)[:: 1 if turn % 2 else -1]
            }
            for turn in range(rounds)
        ]
    files = sum(1 for _ in TREE.rglob("*.py"))
    lines = [
        TITLE,
        f"{files} installed files and {count} candidates alone, {rounds} rounds, CPU time.\n",
        "| run | median ratio to ruff | seconds | MB |",
        "|---|--:|--:|--:|",
    ]
    for name in commands:
        ratio = median(run[name][0] / run["ruff"][0] for run in runs)
        seconds = median(run[name][0] for run in runs)
        peak = max(run[name][1] for run in runs)
        lines.append(f"| {name} | {ratio:.2f} | {seconds:.1f} | {peak:.0f} |")
    rate = count / median(run["lint, candidates only"][0] for run in runs)
    lines.append(f"\nAsked: lint at most 1.00; candidates at least 25 a second: {rate:.0f}.")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, print and write the section in the place of the last one."""
    found = section(1 if "--quick" in sys.argv else 5)
    print(found)
    before = RESULTS.read_text("utf-8").partition(TITLE)[0].rstrip()
    RESULTS.write_text(f"{before}\n\n{found}", "utf-8")


if __name__ == "__main__":
    main()
