"""Tests, and all that they start, see the same surroundings on a desk, in a terminal and in CI."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

SURROUNDINGS = (
    *("CI", "BUILD_NUMBER", "COLUMNS", "LINES", "TERM"),
    *("FORCE_COLOR", "NO_COLOR", "PY_COLORS"),
    *("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"),
)
"""What CI services and terminals set, and pytest, our reports and argparse shape their words by.

And what containers set: without bytecode each of a thousand processes compiles all of zerograd.
"""

for name in SURROUNDINGS:
    os.environ.pop(name, None)

# A job in the background (`make test &`, nohup) ignores them, and so would all that it starts.
for name, action in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
    if hasattr(signal, name) and signal.getsignal(signal.Signals[name]) is signal.SIG_IGN:
        signal.signal(signal.Signals[name], action)

# One thread, unless `make arithmetic` or a user asks for more: where two workers share two cores
# OpenMP's second thread only spins and takes the other's time. torch reads it when it is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

gc.disable()  # until the tests are collected: what their imports make is no garbage


PREPARED_ONCE = {"test_site.py", "test_distributions.py"}
"""Their tests share a site or a wheel that takes half a minute to build. At the head of a worker's
stretch they stay together; at its end other workers would take some of them, and build it again."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what is prepared once."""
    items.sort(key=lambda item: item.path.name not in PREPARED_ONCE)


def pytest_collection_finish() -> None:
    """Set aside what was imported: torch's modules alone cost 0.3 s at each `gc.collect()`.

    The compiler too, which torch imports when the first optimizer is made: as many objects again.
    """
    if "torch" in sys.modules:
        importlib.import_module("torch._dynamo")
    set_aside_what_was_imported()
    gc.enable()


def pytest_runtest_logfinish() -> None:
    """Set aside what a test imported, if it was a training library or the like."""
    if len(sys.modules) > set_aside["modules"] + 200:
        set_aside_what_was_imported()


set_aside = {"modules": 0}


def set_aside_what_was_imported() -> None:
    gc.collect()
    gc.freeze()
    set_aside["modules"] = len(sys.modules)
