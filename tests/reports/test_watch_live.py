"""`zerograd watch --live`: a real browser follows a script while it trains."""

from __future__ import annotations

import re
import subprocess
import urllib.error
import urllib.request
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from chromium import PATIENCE, missing, opened
from warm_python import warm_python

from zerograd.cli.main import main
from zerograd.cli.watch_live import PageServer
from zerograd.watch.process.refreshing import Refreshing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page

TRAINING = """
import pathlib, time
import torch

model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
while not pathlib.Path("enough").exists():
    model(torch.ones(4, 3)).square().mean().backward()
    optimizer.step()
    time.sleep(0.02)
"""


@pytest.fixture
def training(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    (tmp_path / "train.py").write_text(TRAINING)
    options = ["--live", "--every", "0.5", "--html", "run.html", "-q"]
    run = subprocess.Popen(
        [warm_python(), "-m", "zerograd", "watch", *options, "train.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    yield run
    (tmp_path / "enough").touch()
    run.communicate(timeout=60)


def address_of(run: subprocess.Popen[str]) -> str:
    assert run.stderr is not None
    return run.stderr.readline().split()[-1]


def steps_shown(page: Page) -> int:
    told = re.search(r"([\d,]+) steps", page.locator(".notes").inner_text())
    assert told is not None
    return int(told[1].replace(",", ""))


def status(address: str, **headers: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


@pytest.mark.skipif(bool(missing()), reason=missing() or "there is one")
def test_a_browser_follows_a_script_while_it_trains(
    training: subprocess.Popen[str], tmp_path: Path
) -> None:
    address = address_of(training)
    asked: list[str] = []
    complaints: list[Any] = []
    with opened() as browser:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: complaints.append(error))
        page.goto(address)
        page.wait_for_selector("#overview:not([hidden])")  # more than twenty steps
        page.get_by_role("button", name="Whole run").click()
        kept = page.locator("#lanes").get_attribute("data-to")
        before = steps_shown(page)

        page.locator(".notes").filter(has_not_text=f"{before:,} steps").wait_for()
        later = page.locator("#lanes").get_attribute("data-to")
        after = steps_shown(page)
        is_running = training.poll() is None
        written = (tmp_path / "run.html").read_text(encoding="utf-8")
        (tmp_path / "enough").touch()
        page.wait_for_selector("html:not([data-live])")

        assert is_running
        assert after > before
        assert kept == later  # where one looked, one still looks
        assert page.locator('article[data-rule="missing-zero"]').count() == 1
    assert "missing-zero" in written
    assert "data-live" not in written
    assert {url for url in asked if not url.startswith(address)} <= {
        url for url in asked if url.startswith(("data:", "blob:"))
    }
    assert complaints == []
    assert training.wait(60) == 0


def test_only_who_knows_the_address_is_answered() -> None:
    server = PageServer()
    server.show("<p>the page", "7")
    Thread(target=server.serve_forever, daemon=True).start()
    address, root = server.address, server.address.rsplit("/", 2)[0]

    answered = {
        "the page": status(address),
        "its version": status(f"{address}version"),
        "nothing": status(root),
        "a guess": status(f"{root}/{'x' * 22}/"),
        "another file": status(f"{address}train.py"),
        "another name of this machine": status(address, Host="elsewhere.example"),
    }
    server.shutdown()
    server.server_close()

    assert address.startswith("http://127.0.0.1:")
    assert answered == {
        "the page": 200,
        "its version": 200,
        "nothing": 404,
        "a guess": 404,
        "another file": 404,
        "another name of this machine": 404,
    }


def test_a_run_that_nobody_looks_at_is_never_due() -> None:
    assert not Refreshing(0.0).is_due()


def test_a_snapshot_that_takes_long_is_followed_by_a_longer_pause() -> None:
    now = [0.0]
    refreshing = Refreshing(2.0, lambda: now[0])
    due = []

    for now[0], since in ((2.0, 2.0), (3.9, None), (4.0, 3.0), (50.0, None), (54.0, None)):
        due.append(refreshing.is_due())
        if since is not None:
            refreshing.written(since)

    # After one second of writing fifty pass.
    assert due == [True, False, True, False, True]


def test_every_needs_something_to_draw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.py").write_text("")

    exit_status = main(["watch", "--every", "5", str(tmp_path / "train.py")])

    assert exit_status == 2
    assert "--every is for --live or --html; add one of them" in capsys.readouterr().err
