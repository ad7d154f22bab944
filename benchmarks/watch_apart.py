"""What watching costs where every variant has a process of its own, TrainCheck among them.

Toggling in one process might flatter or harm somebody; here nothing is shared. Each process trains
with benchmarks/watched_script.py, which writes down what its own steps cost.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shutil import copy
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from watched_loops import Case

BIN = Path(sys.executable).parent
SCRIPT = Path(__file__).with_name("watched_script.py")
TURNS = 3
"""So many processes of each kind, in turn."""

SLOW = (5, 4)
"""Steps and rounds for a peer that takes a hundred times as long."""

COMMANDS: dict[str, list[str | Path]] = {
    "bare": [sys.executable, SCRIPT.name],
    "zerograd watch": [BIN / "zerograd", "watch", SCRIPT.name],
    "bare again (A/A control)": [sys.executable, SCRIPT.name],
}
TRAINCHECK: list[str | Path] = [
    BIN / "traincheck-collect",
    *("--pyscript", SCRIPT.name, "--models-to-track", "model", "--output-dir", "trace"),
]


def apart(cases: Mapping[str, Case], *, quick: bool) -> list[str]:
    """Return the table of ratios between processes; a quick run has only the first case."""
    lines = ["", "### in separate processes", ""]
    lines += ["| model | A/A control | zerograd watch | TrainCheck, full |", "|---|--:|--:|--:|"]
    for name, case in list(cases.items())[: 1 if quick else None]:
        control, cost = _ratios(name, case, quick=quick)
        first = name == next(iter(cases))
        peer = _traincheck(name) if first and not quick else ""
        lines.append(f"| {name} | {control:.2f} | {cost:.2f} | {peer} |")
    lines += ["", _about_traincheck(quick=quick)]
    print("\n".join(lines), flush=True)
    return lines


def _ratios(name: str, case: Case, *, quick: bool) -> tuple[float, float]:
    """Return what a second bare process and a watched one cost beside the first: medians."""
    found = []
    rounds = case.rounds // 5 if quick else case.rounds
    for turn in range(1 if quick else TURNS):
        order = list(COMMANDS)[:: -1 if turn % 2 else 1]
        fast = {one: _fast(COMMANDS[one], name, case.steps, rounds) for one in order}
        base, cost, control = (fast[one] for one in COMMANDS)
        found.append((control / base, cost / base))
    return median(control for control, _ in found), median(cost for _, cost in found)


def _traincheck(name: str) -> str:
    """Return what TrainCheck costs, tracing everything as it does by default."""
    if not Path(TRAINCHECK[0]).exists():
        return "not installed"
    slow, bare = (_fast(command, name, *SLOW) for command in (TRAINCHECK, COMMANDS["bare"]))
    return f"{slow / bare:.0f}"


def _about_traincheck(*, quick: bool) -> str:
    try:
        known = f"TrainCheck {version('traincheck')}"
    except PackageNotFoundError:
        return "TrainCheck is not installed: `pip install --group bench`."
    if quick:
        return f"{known} is left out of a quick run: it takes a minute to start."
    return f"{known} traces a run and checks it afterwards; only the tracing is measured."


def _fast(command: list[str | Path], name: str, steps: int, rounds: int) -> float:
    """Return the time of a process's fast blocks."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "times.json")
        copy(SCRIPT, folder)  # TrainCheck leaves its own version beside the script
        environment = os.environ | {
            "WATCHED": f"{name};{steps};{rounds};{file}",
            "PYTHONPATH": str(SCRIPT.parent),
        }
        subprocess.run(command, check=True, capture_output=True, cwd=folder, env=environment)
        times = json.loads(file.read_text("utf-8"))
    return float(quantiles(times, n=20)[0])
