"""Open a broken loop in a real Visual Studio Code and repair it there; leaves the picture.

code-server is Visual Studio Code's own workbench and extension host, served to a browser. `make
vscode-window` installs it from the npm registry beside the environment, without the programs that
its packages would download from elsewhere (ripgrep), and runs this with the system's Chromium.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from chromium import PATIENCE, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PICTURE = ROOT / "docs/images/vscode.png"
TRIES, BETWEEN = 20, 3_000
"""How often the menu of repairs is asked for, and milliseconds until it is there."""

WINDOW = {"width": 1100, "height": 620}

BROKEN = """\
import torch

model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for inputs, targets in loader:
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
"""
CLEARED = "    optimizer.zero_grad()\n    loss.backward()\n"

SETTINGS = {
    "workbench.colorTheme": "Default Light Modern",
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "window.commandCenter": False,
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "files.autoSave": "off",
}


def main(entry: str) -> None:
    """Show the finding, apply its repair, and check what the file holds afterwards."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        train = home / "project" / "train.py"
        train.parent.mkdir()
        train.write_text(BROKEN, "utf-8")
        with served(entry, home) as port, opened() as browser:
            page = browser.new_page(viewport=WINDOW)
            page.set_default_timeout(PATIENCE)
            page.goto(f"http://127.0.0.1:{port}/?folder={train.parent}")
            show_finding(page)
            page.screenshot(path=str(PICTURE))
            repair(page)
        if CLEARED not in train.read_text("utf-8"):
            sys.exit(f"zerograd: the repair did not arrive in the file:\n{train.read_text()}")
    print(  # noqa: T201  what a make target says
        f"Visual Studio Code showed the finding and wrote its repair: {PICTURE.relative_to(ROOT)}"
    )


def show_finding(page: Page) -> None:
    """Open the file, wait for the squiggle, and open the problems and the menu of repairs."""
    page.wait_for_selector(".monaco-workbench")
    page.get_by_role("treeitem", name="train.py").dblclick()
    page.wait_for_selector(".squiggly-error", state="attached")
    page.keyboard.press("Control+Shift+M")
    page.get_by_text("ZG101").first.wait_for()
    for _ in range(TRIES):
        page.locator(".view-line", has_text="loss.backward").click()
        page.keyboard.press("Control+.")
        page.wait_for_timeout(BETWEEN)
        if page.get_by_text("insert `optimizer.zero_grad()`").first.is_visible():
            return
        page.keyboard.press("Escape")  # the menu is asked for before the window can show it
    sys.exit("zerograd: Visual Studio Code offered no repair")


def repair(page: Page) -> None:
    """Choose the first repair; return once the finding is gone and the file is saved."""
    page.keyboard.press("Enter")
    page.locator(".view-line", has_text="zero_grad").wait_for()
    page.wait_for_selector(".tab.dirty", state="attached")
    page.wait_for_selector(".squiggly-error", state="detached")
    page.keyboard.press("Control+s")
    page.wait_for_selector(".tab.dirty", state="detached")


@contextmanager
def served(entry: str, home: Path) -> Iterator[int]:
    """Yield the port of a code-server with the extension, in a home of its own."""
    folders = ["--user-data-dir", home / "data", "--extensions-dir", home / "extensions"]
    server = ["node", entry, *map(str, folders), "--config", str(home / "config.yaml")]
    zerograd = shutil.which("zerograd", path=str(Path(sys.executable).parent))
    settings = home / "data/User/settings.json"
    settings.parent.mkdir(parents=True)
    command = {"zerograd.command": [zerograd, "server"]}
    settings.write_text(json.dumps(SETTINGS | command), "utf-8")
    vsix = str(HERE / "zerograd.vsix")
    subprocess.run([*server, "--install-extension", vsix], check=True, stdout=subprocess.DEVNULL)
    port = free_port()
    log = (home / "server.log").open("w")
    running = subprocess.Popen(
        [
            *server,
            "--auth",
            "none",
            "--bind-addr",
            f"127.0.0.1:{port}",
            "--disable-telemetry",
            "--disable-update-check",
            "--disable-getting-started-override",
        ],
        stdout=log,
        stderr=log,
    )
    try:
        wait_for(port, running)
        yield port
    finally:
        running.terminate()
        running.wait()
        log.close()


def free_port() -> int:
    """Return a port that nobody serves on."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port


def wait_for(port: int, running: subprocess.Popen[bytes]) -> None:
    """Return once somebody answers."""
    while running.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            continue
        return
    sys.exit("zerograd: code-server ended before it served")


if __name__ == "__main__":
    main(sys.argv[1])
