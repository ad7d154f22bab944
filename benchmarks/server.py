"""What the language server costs: from a letter typed to the findings shown, and its memory.

    PYTHONPATH=tests/server python benchmarks/server.py [--quick]

prints its section and writes it into benchmarks/RESULTS.md. A client types into a file, letter by
letter, and waits for the findings of each; the pause after which a letter is linted, 40 ms, is
part of the time. CPU is that of the server's process, which a busy machine disturbs least.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from editor_client import Editor
from results import write_section

ROOT = Path(__file__).parents[1]
SMALL = """\
import torch

model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for inputs, targets in loader:
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
"""
HELPERS = "".join(
    f"\n\ndef helper_{at}(x):\n    y = x + {at}\n    return y * 2\n" for at in range(75)
)
LARGE = SMALL.replace("\nmodel", f"{HELPERS}\n\nmodel")
HOW = (
    "From a letter typed to the findings shown, in milliseconds, over {letters} letters, with the "
    "pause of 40 ms or twice what a lint takes, in which no other letter came. The first includes "
    "loading the analysis."
)
ASKED = 100
"""Milliseconds for a small file after the first."""

TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(process: int) -> float:
    """Return the CPU time of a process so far, of all its threads."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory(process: int) -> float:
    """Return the megabytes that a process has in memory."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * PAGE / 1e6


def typed(folder: Path, text: str, letters: int) -> tuple[list[float], float, float]:
    """Return milliseconds until the findings of each letter, CPU of one, and of the first."""
    editor = Editor([folder])
    uri = (folder / "bench_train.py").as_uri()
    begun = time.perf_counter()
    editor.open(uri, text)
    editor.diagnostics(uri)
    first = 1e3 * (time.perf_counter() - begun)
    before, waits = cpu_seconds(editor.process.pid), []
    for letter in range(letters):
        begun = time.perf_counter()
        editor.change(uri, f"{text}\n# {'x' * (letter % 60)}\n")
        found = editor.diagnostics(uri)
        waits.append(1e3 * (time.perf_counter() - begun))
        assert [one["code"] for one in found] == ["ZG101"]
    spent = 1e3 * (cpu_seconds(editor.process.pid) - before) / letters
    editor.end()
    return waits, spent, first


def grown(folder: Path, letters: int) -> list[tuple[int, float]]:
    """Return the server's memory while somebody types on, with a second file open."""
    editor = Editor([folder])
    other, uri = (folder / "other.py").as_uri(), (folder / "bench_train.py").as_uri()
    editor.open(other, LARGE)
    editor.diagnostics(other)
    editor.open(uri, SMALL)
    rows = []
    marks = {letters // 20, letters // 4, letters // 2, letters}
    for letter in range(1, letters + 1):
        editor.change(uri, f"{SMALL}\nname_{letter} = {letter}\n")
        editor.diagnostics(uri)
        if letter in marks:
            rows.append((letter, memory(editor.process.pid)))
    editor.end()
    return rows


def row(name: str, measured: tuple[list[float], float, float], asked: str) -> str:
    """Return one line of the table of times."""
    waits, spent, first = measured
    ends = quantiles(waits, n=20)
    times = f"{median(waits):.0f} | {ends[0]:.0f} | {ends[-1]:.0f} | {ends[0]:.0f}"
    return f"| {name} | {times} | {spent:.0f} | {first:.0f} | {asked} |"


def main() -> None:
    """Measure, print, and write the section."""
    letters, day = (40, 400) if "--quick" in sys.argv else (200, 4000)
    with TemporaryDirectory(prefix="zerograd-server-") as place:
        alone = Path(place)
        rows = [
            row("a loop of 8 lines, alone", typed(alone, SMALL, letters), str(ASKED)),
            row(
                "the same among the files of this repository",
                typed(ROOT, SMALL, letters),
                str(ASKED),
            ),
            row("a file of 380 lines, alone", typed(alone, LARGE, letters), ""),
        ]
        sizes = grown(alone, day)
    lines = [
        "## The language server",
        "",
        HOW.format(letters=letters),
        "",
        "| where | median | p5 | p95 | quiet | CPU ms a letter | the first | at most |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
        *rows,
        "",
        "Memory while somebody types on in one file, with another open that is linted each time:",
        "",
        "| letters | MB |",
        "|--:|--:|",
        *(f"| {count:,} | {size:.0f} |" for count, size in sizes),
    ]
    print("\n".join(lines))
    write_section("server", lines)


if __name__ == "__main__":
    main()
