"""What the HTML report costs: recording beside watching alone, and the page in a browser.

    PYTHONPATH=tests/reports python benchmarks/report.py

Recording is measured early, when every step is measured, and late, when few still are.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import torch
from chromium import PATIENCE, missing, opened, wait_until_drawn
from measure import compare, timed
from run_samples import million, page_run

from watch import perceptron, tiny
from zerograd import hooks
from zerograd.reports import View, find_report
from zerograd.rules import find_rule
from zerograd.watch.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from measure import Block
    from playwright.sync_api import CDPSession

    from watch import Loop
    from zerograd.findings import Results

CASES = {"tiny MLP": (tiny, 60, 60), "5 M MLP": (perceptron, 2, 12)}
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
        hooks.subscribe(session.observer)
        if session._meter is not None:  # noqa: SLF001  paused with the rest, between the blocks
            hooks.subscribe(session._meter)  # noqa: SLF001
        try:
            return timed(loop.step)(steps)
        finally:
            session.silence()

    return block


def recording() -> None:
    """Print what recording costs beside watching."""
    for name, (make, steps, rounds) in CASES.items():
        variants = {
            "recorded, early": partial(listened, make, record=True),
            "recorded, late": partial(listened, make, record=True, late=True),
        }
        watched = partial(listened, make, record=False)
        for ratio in compare(watched, variants, steps=steps, rounds=rounds):
            print(
                f"{name:10} {ratio.variant:30} {ratio.median:5.2f} ({ratio.p5:.2f} to "
                f"{ratio.p95:.2f}), quiet {ratio.quiet:.2f}"
            )


def page(name: str, results: Results, folder: Path) -> None:
    """Print how large a page is, and the CPU time until it is there and until it is drawn."""
    file = folder / "page.html"
    file.write_text("".join(find_report("html").render(results, View(title="train.py"))))
    with opened() as browser:
        for _ in range(3):
            shown = browser.new_page()
            clock = shown.context.new_cdp_session(shown)
            clock.send("Performance.enable", {"timeDomain": "threadTicks"})
            shown.goto(file.as_uri(), timeout=PATIENCE)
            there = seconds(clock)
            wait_until_drawn(shown)
            elements = shown.evaluate("document.querySelectorAll('*').length")
            print(
                f"{name:10} {file.stat().st_size / 2**20:5.2f} MB, {elements:,} elements; "
                f"there after {there:.2f} s, plots after {seconds(clock):.2f} s (CPU)"
            )
            shown.close()


def seconds(clock: CDPSession) -> float:
    """Return the CPU time of the page's own thread: a busy machine stretches it less."""
    measured = clock.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in measured if one["name"] == "TaskDuration"))


def main() -> None:
    """Print both tables."""
    torch.set_num_threads(1)
    recording()
    if missing():
        print(f"no pages: {missing()}")
        return
    with TemporaryDirectory() as folder:
        page("40 steps", page_run(find_rule("missing-zero"), Path(folder)), Path(folder))
        page("1,000,000", million(), Path(folder))


if __name__ == "__main__":
    main()
