"""`pytest --zerograd`: every test runs under watch, and what is found fails it.

pytest loads this at every start, in every project that has zerograd installed: it imports nothing
but pytest until it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.watch.api.watching import Watching

MARKER = (
    "zerograd_allow(*rules): allow these gradient faults in a test, as `zerograd.allow` does for "
    "a stretch of code."
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer `--zerograd`; its other choices come from [tool.zerograd] and the options here."""
    group = parser.getgroup("zerograd", "gradient faults")
    group.addoption(
        "--zerograd", action="store_true", help="Watch every test's gradients; faults fail it."
    )
    group.addoption("--zerograd-select", metavar="RULES", default="", help="Only these rules.")
    group.addoption("--zerograd-ignore", metavar="RULES", default="", help="All but these rules.")
    group.addoption(
        "--zerograd-hints", action="store_true", default=None, help="Hints fail a test too."
    )
    group.addoption(
        "--zerograd-preview", action="store_true", default=None, help="Rules in preview too."
    )


def pytest_configure(config: pytest.Config) -> None:
    """Know the marker; listen to tests only when asked."""
    config.addinivalue_line("markers", MARKER)
    if config.getoption("--zerograd"):
        from zerograd.integrations.pytest_each import EachTest, settings_of

        config.pluginmanager.register(EachTest(settings_of(config)), "zerograd-each-test")


@pytest.fixture
def zerograd_watching(request: pytest.FixtureRequest) -> Iterator[Watching]:
    """Watch one test, which itself says what it expects: `assert not zerograd_watching.findings`.

    With `--zerograd` too: a test that uses this is not failed by what it finds.
    """
    from zerograd.integrations.pytest_each import settings_of, watch_one

    yield from watch_one(settings_of(request.config), request.node)
