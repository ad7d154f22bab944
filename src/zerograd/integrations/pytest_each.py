"""Each test under watch: from its fixtures to the end of its call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zerograd.errors import ZerogradError
from zerograd.record import replace
from zerograd.rules import find_rule
from zerograd.rules.allowance import allow
from zerograd.settings import load_settings
from zerograd.watch.process.torch_import import when_imported

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from zerograd.findings import Finding
    from zerograd.settings import Settings
    from zerograd.watch.api.watching import Watching
    from zerograd.watch.process.session import Session

FIXTURE = "zerograd_watching"
NOT_WATCHED = "this test was not watched to its end, by a bug of ours"


class EachTest:
    """The hooks that are registered by `--zerograd`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._ears = pytest.StashKey[LateSession]()

    # No wrapper: what is raised here comes after the wrappers of other plugins were entered, whose
    # teardown needs what their set-up made (pytest's own logging raises a KeyError without it).
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Listen from here on: models and optimizers are often built by fixtures."""
        if FIXTURE not in getattr(item, "fixturenames", ()):
            item.stash[self._ears] = LateSession(settings_for(item, self._settings))

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        """Fail the test by what was found; a test that fails by itself says it beside."""
        ears = item.stash.get(self._ears, None)
        if ears is None:
            return (yield)
        try:
            result = yield
        except BaseException as error:
            findings = ears.close(error)
            if findings:
                item.add_report_section("call", "zerograd", told(findings))
            raise
        findings = ears.close()
        if ears.mistake:
            item.warn(pytest.PytestWarning(f"zerograd: {NOT_WATCHED}: {ears.mistake}"))
        if findings:
            pytest.fail(told(findings), pytrace=False)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None]:
        """Leave nothing listening, whatever happened before."""
        if self._ears in item.stash:
            item.stash[self._ears].close()
        return (yield)


class LateSession:
    """A session that begins once torch is there: a test need not use it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._session: Session | None = None
        self._wait_no_longer: Callable[[], None] = when_imported("torch", self._listen)

    def _listen(self) -> None:
        from zerograd.watch.process.session import Session

        self._session = Session(self._settings)
        self._session.start()

    @property
    def mistake(self) -> str | None:
        """What went wrong with us, if anything did."""
        return None if self._session is None else self._session.internal_words()

    def close(self, error: BaseException | None = None) -> list[Finding]:
        """Listen no more and return what was found.

        A test is not a whole run: that nothing was stepped, say, is no fault of it.
        """
        self._wait_no_longer()
        if self._session is None:
            return []
        self._session.stop(error, whole=False)
        return self._session.findings


def settings_of(config: pytest.Config) -> Settings:
    """Return the settings of the project, with pytest's options over them."""
    try:
        return load_settings(
            config.rootpath,
            command_line={
                "select": rules(config, "select"),
                "ignore": rules(config, "ignore"),
                "hints": config.getoption("--zerograd-hints"),
                "preview": config.getoption("--zerograd-preview"),
            },
        )
    except ZerogradError as error:
        raise pytest.UsageError(f"zerograd: {error}") from error


def rules(config: pytest.Config, name: str) -> tuple[str, ...]:
    """Return the rules that an option names."""
    given: str = config.getoption(f"--zerograd-{name}")
    return tuple(item.strip() for item in given.split(",") if item.strip())


def settings_for(item: pytest.Item, settings: Settings) -> Settings:
    """Return the settings of one test: its markers allow rules."""
    try:
        names = [
            name
            for marker in item.iter_markers("zerograd_allow")
            for name in allow(*marker.args).names
        ]
    except ZerogradError as error:
        sentence = str(error).replace("zerograd.allow", "the marker zerograd_allow")
        raise pytest.UsageError(f"{item.nodeid}: {sentence}") from error
    codes = tuple(find_rule(name).code for name in names)
    return replace(settings, ignore=(*settings.ignore, *codes))


def watch_one(settings: Settings, item: pytest.Item) -> Iterator[Watching]:
    """Yield what the fixture gives to its test."""
    from zerograd.watch.api.watching import Watching
    from zerograd.watch.report.console_report import NoReport

    watching = Watching(settings_for(item, settings), NoReport())
    watching.start()
    try:
        yield watching
    finally:
        watching.abandon()


def told(findings: list[Finding]) -> str:
    """Return findings with their code frames."""
    # Imported here: it loads the reports, and most tests find nothing.
    from zerograd.watch.report.console_report import text_of

    return text_of(findings)
