"""What a command costs to start: its CPU time as a multiple of a bare `python -c pass`.

    python benchmarks/startup.py [--quick]

prints the table and writes it into benchmarks/RESULTS.md. Every round runs each command once, in
an order that is reversed from round to round; the ratio is taken within the round. The second bare
Python is the A/A control: a difference inside its spread is no result.
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path
from shutil import copy, rmtree
from statistics import median, quantiles
from tempfile import mkdtemp
from threading import Thread

from results import write_section

ROOT = Path(__file__).parents[1]

# Alone in a folder of their own, as the first file that somebody tries lint on.
FOLDER = Path(mkdtemp(prefix="zerograd-startup-"))
PLAIN = str(copy(ROOT / "src/zerograd/errors.py", FOLDER))
LOOP = str(copy(ROOT / "tests/scripts/unknown_ignore/correct_other_tools.py", FOLDER))

BARE = [sys.executable, "-c", "pass"]
ZEROGRAD = str(Path(sys.executable).with_name("zerograd"))

# Name, command, whether stdout is a terminal, and the most it may cost where that is promised.
COMMANDS: tuple[tuple[str, list[str], bool, float | None], ...] = (
    ("python -c pass", BARE, False, None),
    ("python -c pass (A/A control)", BARE, False, None),
    ("import zerograd", [sys.executable, "-c", "import zerograd"], False, None),
    ("zerograd --help, piped", [ZEROGRAD, "--help"], False, None),
    ("zerograd rules, piped", [ZEROGRAD, "rules"], False, 7.0),
    ("zerograd rules, on a terminal", [ZEROGRAD, "rules"], True, 14.0),
    ("zerograd lint plain.py, piped", [ZEROGRAD, "lint", PLAIN], False, 8.0),
    ("zerograd lint loop.py, piped", [ZEROGRAD, "lint", LOOP], False, 8.0),
    ("zerograd explain missing-zero, piped", [ZEROGRAD, "explain", "missing-zero"], False, None),
    (
        "zerograd explain missing-zero, on a terminal",
        [ZEROGRAD, "explain", "missing-zero"],
        True,
        None,
    ),
)


def cpu_time(command: list[str], *, terminal: bool) -> float:
    """Run a command and return the seconds of CPU that it took, in user and system together."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    reader = Thread(target=drain, args=(ours,))
    reader.start()
    # An installed command has its byte code; some shells forbid to write it.
    environment = {name: value for name, value in os.environ.items() if "BYTECODE" not in name}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "120"}
    with subprocess.Popen(command, stdout=theirs, env=environment) as process:
        os.close(theirs)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    reader.join()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def drain(descriptor: int) -> None:
    """Read until the other side is closed, which a terminal reports as an error."""
    try:
        while os.read(descriptor, 65536):
            pass
    except OSError:
        return
    finally:
        os.close(descriptor)


def measure(rounds: int) -> dict[str, list[float]]:
    """Return each command's ratios to the bare Python of the same round."""
    ratios: dict[str, list[float]] = {name: [] for name, *_ in COMMANDS}
    for number in range(rounds + 1):
        order = COMMANDS if number % 2 else COMMANDS[::-1]
        times = {name: cpu_time(command, terminal=tty) for name, command, tty, _ in order}
        if number:  # the first round warms the file cache
            for name, seconds in times.items():
                ratios[name].append(seconds / times["python -c pass"])
    return ratios


def table(ratios: dict[str, list[float]], rounds: int) -> list[str]:
    """Return the section's lines."""
    lines = [
        "## What a command costs to start",
        "",
        f"| CPU time beside a bare Python, {rounds} rounds | median | p5 | p95 | at most |",
        "|---|--:|--:|--:|--:|",
    ]
    for name, *_, limit in COMMANDS[1:]:
        low, *_, high = quantiles(ratios[name], n=20)
        cells = [f"{number:.2f}" for number in (median(ratios[name]), low, high)]
        cells.append("" if limit is None else f"{limit:.0f}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Measure, print the table and write it."""
    rounds = 8 if "--quick" in sys.argv[1:] else 30
    try:
        lines = table(measure(rounds), rounds)
    finally:
        rmtree(FOLDER)
    print("\n".join(lines))
    write_section("startup", lines)


if __name__ == "__main__":
    main()
