"""In a notebook: a report after each cell, with the cell's own lines."""

from __future__ import annotations

import linecache
import sys
from collections import defaultdict
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import zerograd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SETUP = """
import torch, zerograd
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
watching = zerograd.watch(preview=True)
"""
TRAIN = """
for _ in range(3):
    model(torch.ones(4, 3)).mean().backward()
    optimizer.step()
"""
CLEARED = """
for _ in range(3):
    model.zero_grad()
    model(torch.ones(4, 3)).mean().backward()
    optimizer.step()
"""


class Notebook:
    """As much of IPython's shell as a watched notebook touches."""

    def __init__(self) -> None:
        self.callbacks: dict[str, list[Callable[..., None]]] = defaultdict(list)
        self.events = SimpleNamespace(callbacks=self.callbacks, register=self._register)
        self.compile = SimpleNamespace(_filename_map={})
        self.names: dict[str, Any] = {}

    def _register(self, event: str, callback: Callable[..., None]) -> None:
        self.callbacks[event].append(callback)

    def run(self, source: str) -> None:
        """Run a cell as a kernel does: its source is known to linecache, and in no file."""
        number = len(self.compile._filename_map) + 1
        name = f"/tmp/ipykernel_1/{number}.py"
        self.compile._filename_map[name] = number
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        self._run(name)

    def run_again(self, number: int) -> None:
        """Run a cell once more: a kernel names a cell after its source, so the name stays."""
        self._run(f"/tmp/ipykernel_1/{number}.py")

    def _run(self, name: str) -> None:
        source = "".join(linecache.getlines(name))
        exec(compile(source, name, "exec"), self.names)
        for callback in self.callbacks["post_run_cell"]:
            callback(None)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Notebook]:
    shell = Notebook()
    ipython = ModuleType("IPython")
    vars(ipython)["get_ipython"] = lambda: shell
    monkeypatch.setitem(sys.modules, "IPython", ipython)

    yield shell

    shell.names["watching"].stop()


def test_a_cell_is_reported_when_it_ends_with_its_own_lines(
    notebook: Notebook, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook.run(SETUP)
    notebook.run(TRAIN)

    out, err = capsys.readouterr()
    assert err == ""
    assert "In [2]:3:5: ZG101 missing-zero: " in out
    assert "    3 | model(torch.ones(4, 3)).mean().backward()\n" in out


def test_what_was_reported_is_not_reported_again(
    notebook: Notebook, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook.run(SETUP)
    notebook.run(TRAIN)
    capsys.readouterr()

    notebook.run("print('nothing new')")

    assert capsys.readouterr().out == "nothing new\n"


def test_running_the_first_cell_again_replaces_the_watch(notebook: Notebook) -> None:
    notebook.run(SETUP)
    first = notebook.names["watching"]

    notebook.run(SETUP)

    assert not first.is_running
    assert notebook.names["watching"].is_running


def test_a_block_within_a_cell_leaves_the_notebooks_watch_alone(notebook: Notebook) -> None:
    notebook.run(SETUP)

    notebook.run("with zerograd.watch(report=False):\n    pass\n")

    assert notebook.names["watching"].is_running


def test_outside_of_a_notebook_nothing_is_registered() -> None:
    with zerograd.watch(report=False) as watching:
        pass

    assert not watching.is_running


def test_a_cell_that_is_run_again_is_reported_again_with_its_own_counts(
    notebook: Notebook, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook.run(SETUP)
    notebook.run(TRAIN)
    capsys.readouterr()

    notebook.run_again(2)

    out = capsys.readouterr().out
    assert "= happened: 3 times, steps 4 to 6\n" in out


def test_a_cell_that_is_run_again_and_is_right_now_is_not_reported_again(
    notebook: Notebook, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook.run(SETUP)
    notebook.run(TRAIN)
    capsys.readouterr()

    notebook.run(CLEARED)
    notebook.run_again(3)

    assert capsys.readouterr().out == ""
