"""Draws the pictures of README and docs from real runs: `make screenshots`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from chromium import PATIENCE, missing, opened, wait_until_drawn

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HERE = Path(__file__).parent
IMAGES = HERE / "images"
SCHEMES = ("light", "dark")
SIZE = {"width": 1160, "height": 760}


def page_of(browser: Browser, file: Path, scheme: str) -> Page:
    """Open a report and wait until it is drawn."""
    page = browser.new_page(viewport=SIZE, color_scheme=scheme, reduced_motion="reduce")
    page.set_default_timeout(PATIENCE)
    page.goto(file.as_uri())
    wait_until_drawn(page)
    return page


def save(page: Page, name: str, selector: str) -> None:
    """Keep a picture of one part of a page."""
    page.locator(selector).first.screenshot(path=IMAGES / f"{name}.png", animations="disabled")
    print(f"docs/images/{name}.png")


def report(folder: Path) -> Path:
    """Watch the loop of the README and return its report."""
    shutil.copy(HERE / "forgotten.py", folder / "train.py")
    command = [sys.executable, "-m", "zerograd", "watch", "-q", "--isolated", "--html", "run.html"]
    subprocess.run([*command, "train.py"], cwd=folder, check=True, capture_output=True)
    return folder / "run.html"


def explained(folder: Path) -> Path:
    """Run both loops of a page and return what was drawn."""
    command = [sys.executable, "-m", "zerograd", "explain", "missing-zero", "--run"]
    subprocess.run(
        [*command, "--html", "explained.html"], cwd=folder, check=True, capture_output=True
    )
    return folder / "explained.html"


def draw(folder: Path) -> None:
    """Draw every picture in light and dark."""
    run, page = report(folder), explained(folder)
    with opened() as browser:
        for scheme in SCHEMES:
            shown = page_of(browser, run, scheme)
            head = {"x": 0, "y": 0, "width": SIZE["width"], "height": 1345}
            shown.screenshot(path=IMAGES / f"report-{scheme}.png", full_page=True, clip=head)
            print(f"docs/images/report-{scheme}.png")
            both = page_of(browser, page, scheme)
            save(both, f"ledgers-{scheme}", "#lanes")
            save(both, f"norms-{scheme}", "#figures figure.wide")


if __name__ == "__main__":
    if missing():
        sys.exit(f"zerograd: no pictures: {missing()}")
    IMAGES.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="zerograd-pictures-") as temporary:
        draw(Path(temporary))
