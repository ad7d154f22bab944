"""What lint costs: beside ruff on a large tree, on candidates alone, and as programs grow.

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
from textwrap import indent

from results import write_section

from zerograd.lint.shell.check_file import is_worth_reading

ROOT = Path(__file__).parents[1]
TREE = Path(sysconfig.get_path("purelib"))
BIN = Path(sys.executable).parent

Command = list[str | Path]
Seconds = dict[str, list[float]]
RUFF: Command = [BIN / "ruff", "check", "--no-cache", "--isolated", "--select", "E,F"]
RUFF += ["--exit-zero", "-q"]
LINT: Command = [BIN / "zerograd", "lint", "--isolated", "--no-respect-gitignore"]
LINT += ["--exit-zero", "-q", "--jobs", "1"]

BESIDE = "ruff"
CONTROL = "ruff again (A/A)"
WHOLE = "lint"
ONLY = "lint, candidates only"

RATE = 25
"""Candidates a second of CPU that are asked."""

FILES = (50, 100, 200)
STATEMENTS = (300, 600, 1200)
LOOP = """\
import torch

model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train(batches, log):
    for x, y in batches:
        optimizer.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        if loss > 1:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
{more}

train([], print)
"""
MORE = "log(loss.item(), x.shape, y.shape)\n"


def spent(command: Command, caches: Path) -> tuple[float, float]:
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


def candidates(into: Path, every: int) -> int:
    """Copy the files that lint would analyse into a folder, or some; return how many they are."""
    found = copied = 0
    # Not under its own name: what is called site-packages is excluded.
    tops = {"installed": TREE, "examples": ROOT / "examples", "scripts": ROOT / "tests/scripts"}
    for name, top in tops.items():
        for path in sorted(top.rglob("*.py")):
            if is_worth_reading(path.name, path.read_bytes()):
                found += 1
                if found % every == 0:
                    place = into / name / path.relative_to(top)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    copy(path, place)
                    copied += 1
    return copied


def growing(into: Path) -> dict[str, Path]:
    """Write programs of one, two and four times the size; return them by their size."""
    made = {}
    for count in FILES:
        folder = made[f"{count} files"] = into / f"files-{count}"
        folder.mkdir(parents=True)
        for number in range(count):
            (folder / f"loop_{number}.py").write_text(LOOP.format(more=""), "utf-8")
    for count in STATEMENTS:
        place = made[f"one loop of {count} statements"] = into / f"statements-{count}.py"
        place.write_text(LOOP.format(more=indent(MORE * count, " " * 8)), "utf-8")
    return made


def measured(commands: dict[str, Command], caches: Path, rounds: int) -> tuple[Seconds, float]:
    """Return the seconds of each command, round by round, and the peak of lint's memory in MB."""
    seconds: Seconds = {name: [] for name in commands}
    peak = 0.0
    for turn in range(rounds):
        for name in list(commands)[:: 1 if turn % 2 else -1]:
            took, memory = spent(commands[name], caches)
            seconds[name].append(took)
            peak = max(peak, 0.0 if name in (BESIDE, CONTROL) else memory)
    return seconds, peak


def section(*, quick: bool) -> list[str]:
    """Measure, and return the section's lines."""
    rounds = 1 if quick else 5
    with TemporaryDirectory() as folder:
        only, caches = Path(folder, "only"), Path(folder, "caches")
        count = candidates(only, every=4 if quick else 1)
        commands: dict[str, Command] = {
            BESIDE: [*RUFF, TREE],
            CONTROL: [*RUFF, TREE],
            WHOLE: [*LINT, TREE],
            ONLY: [*LINT, only],
        }
        grown = {name: [*LINT, path] for name, path in growing(Path(folder, "grown")).items()}
        spent([*LINT, ROOT / "examples"], caches)  # writes the byte code
        seconds, peak = measured(commands, caches, rounds)
        longer, _ = measured(grown, caches, rounds)
    return [*beside(seconds, count, rounds), f"Peak memory: {peak:.0f} MB.", "", *growth(longer)]


def beside(seconds: dict[str, list[float]], count: int, rounds: int) -> list[str]:
    """Return the table of a large tree, and of its candidates alone."""
    files = [path.read_bytes() for path in TREE.rglob("*.py")]
    share = sum(is_worth_reading(".py", content) for content in files) / len(files)
    lines = [
        "## Lint",
        "",
        f"{len(files)} installed files, of which {share:.1%} are candidates. {rounds} rounds.",
        "",
        "| run | median ratio to ruff | lowest | highest | seconds | at most |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, each in seconds.items():
        ratios = [own / ruff for own, ruff in zip(each, seconds[BESIDE], strict=True)]
        cells = [f"{value:.2f}" for value in (median(ratios), min(ratios), max(ratios))]
        cells += [f"{median(each):.1f}", "1.00" if name == WHOLE else ""]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    rate = count / median(seconds[ONLY])
    missed = ": missed" if rate < RATE else ""
    return [
        *lines,
        "",
        f"Candidates: {rate:.0f} a second of CPU; at least {RATE} are asked{missed}.",
    ]


def growth(seconds: dict[str, list[float]]) -> list[str]:
    """Return the table of programs of one, two and four times the size."""
    lines = ["| what is linted | seconds | beside half of it |", "|---|--:|--:|"]
    before = None
    for name, each in seconds.items():
        took = median(each)
        half = f"{took / before:.2f}" if before and not name.startswith(first_size()) else ""
        lines.append(f"| {name} | {took:.2f} | {half} |")
        before = took
    return lines


def first_size() -> tuple[str, str]:
    """Return how the smallest program of each kind is called."""
    return f"{FILES[0]} files", f"one loop of {STATEMENTS[0]} "


def main() -> None:
    """Measure, print and write the section."""
    lines = section(quick="--quick" in sys.argv)
    print(*lines, sep="\n")
    write_section("lint", lines)


if __name__ == "__main__":
    main()
