"""What the HTML report costs: recording beside watching alone, and the page in a browser.

    PYTHONPATH=tests/reports python benchmarks/report.py [--quick]

prints the tables and writes them into benchmarks/RESULTS.md. Recording is measured early, when
every step is measured, and late, when few still are.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import torch
from chromium import PATIENCE, missing, opened, wait_until_drawn
from measure import compare, timed
from results import write_section
from run_samples import million, page_run
from watched_loops import CASES as LOOPS

from zerograd import hooks
from zerograd.reports import View, find_report
from zerograd.rules import find_rule
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from measure import Block
    from playwright.sync_api import CDPSession, Page
    from watched_loops import Loop

    from zerograd.findings import Results

CASES = {
    "tiny MLP": (LOOPS["tiny MLP"].loop, 60, 60),
    "5 M MLP": (LOOPS["5 M MLP"].loop, 2, 12),
}
LATE = 200_000
"""Steps after which a run is long: it has been measured at one step in fifty."""


def listened(make: Callable[[], Loop], *, record: bool, late: bool = False) -> Block:
    """Build a loop that is listened to while, and only while, its blocks run."""
    session = Session(record=record)
    session.start()
    loop = make()
    for _ in range(50):
        loop.step()
    if late and session.recorder is not None:
        for course in session.recorder.courses.values():
            for step in range(51, LATE):
                course.spent.add(step, 1.0)
                course.loss.add(step, 1.0)
    session.silence()

    def block(steps: int) -> float:
        hooks.subscribe(session.fast_path, session.fail)
        if session._meter is not None:  # noqa: SLF001  paused with the rest, between the blocks
            hooks.subscribe(session._meter)  # noqa: SLF001
        try:
            return timed(loop.step)(steps)
        finally:
            session.silence()

    return block


def recording(*, quick: bool) -> list[str]:
    """Return what recording costs beside watching, as a table."""
    lines = ["| recording beside watching | median | p5 | p95 | quiet |", "|---|--:|--:|--:|--:|"]
    for name, (make, steps, rounds) in CASES.items():
        variants = {
            "recorded, early": partial(listened, make, record=True),
            "recorded, late": partial(listened, make, record=True, late=True),
        }
        watched = partial(listened, make, record=False)
        rounds = max(rounds // 5, 8) if quick else rounds
        for one in compare(watched, variants, steps=steps, rounds=rounds):
            cells = [f"{number:.2f}" for number in (one.median, one.p5, one.p95, one.quiet)]
            lines.append(f"| {name}: {one.variant} | {' | '.join(cells)} |")
    return lines


def pages() -> list[str]:
    """Return how large a page is and what it costs a browser, as a table."""
    if missing():
        return [f"No page was opened: {missing()}."]
    with TemporaryDirectory() as folder:
        short = page("40 steps", page_run(find_rule("missing-zero"), Path(folder)), Path(folder))
        long = page("1,000,000 steps", million(), Path(folder))
    return [
        "| page | MB | elements | CPU seconds until it is there | until its plots are |",
        "|---|--:|--:|--:|--:|",
        short,
        long,
    ]


def page(name: str, results: Results, folder: Path) -> str:
    """Return one row: how large a page is, and the CPU time until it is there and drawn."""
    file = folder / "page.html"
    file.write_text("".join(find_report("html").render(results, View(title="train.py"))))
    with opened() as browser:
        there, drawn, elements = min(opening(browser.new_page(), file) for _ in range(3))
    return (
        f"| {name} | {file.stat().st_size / 2**20:.2f} | {elements:,} | {there:.2f} | {drawn:.2f} |"
    )


def opening(shown: Page, file: Path) -> tuple[float, float, int]:
    """Open a page; return the seconds until it is there and until it is drawn, and its elements."""
    clock = shown.context.new_cdp_session(shown)
    clock.send("Performance.enable", {"timeDomain": "threadTicks"})
    shown.goto(file.as_uri(), timeout=PATIENCE)
    there = seconds(clock)
    wait_until_drawn(shown)
    elements = int(shown.evaluate("document.querySelectorAll('*').length"))
    drawn = seconds(clock)
    shown.close()
    return there, drawn, elements


def seconds(clock: CDPSession) -> float:
    """Return the CPU time of the page's own thread: a busy machine stretches it less."""
    measured = clock.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in measured if one["name"] == "TaskDuration"))


def main() -> None:
    """Measure, print both tables and write them."""
    torch.set_num_threads(1)
    title = ["## The HTML report", ""]
    lines = [*title, *recording(quick="--quick" in sys.argv[1:]), "", *pages()]
    print("\n".join(lines))
    write_section("report", lines)


if __name__ == "__main__":
    main()
