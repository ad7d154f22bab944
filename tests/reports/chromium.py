"""A real browser for the tests and the pictures: the system's Chromium, driven by playwright."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# As root there is no sandbox; the rest keeps the browser from talking to anybody by itself.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

PATIENCE = 120_000
"""Milliseconds; a machine may be busy with other things for minutes."""


def chromium() -> str | None:
    """Return where the browser is, if there is one."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def missing() -> str:
    """Return why pages cannot be opened here, or nothing."""
    try:
        import playwright  # noqa: F401  only asked for
    except ModuleNotFoundError:
        return "no playwright: pip install -c constraints.txt --group browser"
    return "" if chromium() else "no Chromium: apt-get install chromium"


def wait_until_drawn(page: Page) -> None:
    """Wait for the plots of a report."""
    # Not `wait_for_function`: from its second look on it evaluates text inside the page, which the
    # page's own policy forbids.
    page.wait_for_selector("html[data-plots]", state="attached", timeout=PATIENCE)


@contextmanager
def opened() -> Iterator[Browser]:
    """Yield a running browser with a fresh profile."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=list(FLAGS), timeout=PATIENCE
        )
        try:
            yield browser
        finally:
            browser.close()
