"""The object that `zerograd.watch()` returns: it watches this program until it is stopped."""

from __future__ import annotations

import atexit
from functools import wraps
from threading import RLock
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar, cast

import torch

from zerograd.errors import ArgumentError, FaultError, ZerogradError
from zerograd.findings import Unheard
from zerograd.hooks import torch_parts as capabilities
from zerograd.printable import say
from zerograd.system import in_forked_children
from zerograd.watch.process.gather_journals import broken_off, results
from zerograd.watch.process.script_end import keep_interrupted, uncaught
from zerograd.watch.process.session import Session
from zerograd.watch.process.stopping import Limits, sentence
from zerograd.watch.report.early_notices import EarlyNotices
from zerograd.watch.report.run_summary import seen_by
from zerograd.watch.report.tested_versions import untested

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from types import TracebackType

    from zerograd.findings import Finding, Results
    from zerograd.history import Tracker
    from zerograd.settings import Settings

P = ParamSpec("P")
R = TypeVar("R")

_running: list[Watching] = []
"""Those that listen, the outermost first."""


class FindingListener(Protocol):
    """Somebody to tell what was found."""

    def first(self, finding: Finding) -> None:
        """Hear of a finding while a long run goes on."""

    def report(self, results: Results) -> None:
        """Hear everything, at the end."""

    def broken(self, sentence: str) -> None:
        """Hear that there is nothing to report, because of a mistake of ours."""


class Watching:
    """Listening from the call on. It ends with `stop`, with a `with` block, or with the program.

    >>> import zerograd
    >>> with zerograd.watch(report=False) as watching:
    ...     pass
    >>> watching.findings
    []
    """

    def __init__(
        self,
        settings: Settings,
        tells: FindingListener,
        *,
        strict: bool = False,
        fail_fast: bool = False,
        record: bool = False,
        track: Tracker | None = None,
    ) -> None:
        self._tells = tells
        self._strict = strict
        limits = Limits(fail_fast=fail_fast)
        self._notices = EarlyNotices(tells.first)
        self._session = Session(
            settings,
            limits=limits,
            on_first=self._first,
            on_progress=self._notices.progress,
            record=record,
            track=track,
        )
        self._inside = 0
        self._lock = RLock()
        self._told: set[tuple[str, object]] = set()

    @property
    def findings(self) -> list[Finding]:
        """What was found so far, in the order of the source."""
        return self._session.findings

    @property
    def is_running(self) -> bool:
        """Whether it still listens."""
        return self._session.running

    @property
    def is_inside(self) -> bool:
        """Whether a `with` block or a decorated function will end it."""
        return self._inside > 0

    def start(self) -> None:
        """Begin to listen: once more after `stop`, with nothing found yet."""
        with self._lock:
            if self not in _running:
                self._session.begin_anew()
                self._session.internal_error = None
                self._told.clear()
                self._notices.begin()
                self._session.start()
                _running.append(self)
                atexit.register(self._program_ends)

    def meet(self, *optimizers: torch.optim.Optimizer) -> None:
        """Know optimizers that were built before; else each is met at its first step."""
        for optimizer in optimizers:
            self._session.meet(optimizer)

    def stop(self) -> None:
        """Listen no more, and report; `strict` raises when something was found."""
        if self._end(None) and self._strict and self.findings:
            raise FaultError("\n".join(map(sentence, self.findings)))

    def abandon(self) -> None:
        """Listen no more, judge nothing, and say nothing."""
        with self._lock:
            self._session.silence()
            self._forget()

    def report_news(self) -> None:
        """Report what happened since the last report, if anything did."""
        news = self._news()
        if news:
            self._report(news)
        self._session.begin_chapter()

    def _news(self) -> list[Finding]:
        news = [finding for finding in self.findings if _key(finding) not in self._told]
        self._told.update(map(_key, news))
        return news

    def _end(self, error: BaseException | None) -> bool:
        """Stop and report; return False if that was done before."""
        with self._lock:
            if self not in _running:
                return False
            self._session.stop(error)
            self._forget()
            is_first = not self._told
            news = self._news()
        if news or is_first:
            self._report(news)
        self._track()
        return True

    def _track(self) -> None:
        """Hand what was found to the tracker, if there is one."""
        tracking = self._session.tracking
        if tracking is not None:
            # Imported here: it loads the reports.
            from zerograd.watch.report.console_report import text_of

            findings = self.findings
            tracking.findings(findings, text_of(findings))

    def _report(self, findings: list[Finding]) -> None:
        try:
            if self._session.internal_error is None:
                self._tells.report(self._results(findings))
        except ZerogradError:  # a report that cannot be written where it was wanted
            raise
        except Exception as mistake:
            self._session.fail(mistake)
        words = self._session.internal_words()
        if words is not None:
            self._tells.broken(broken_off(f"a bug of ours: {words}"))

    def _forget(self) -> None:
        if self in _running:
            _running.remove(self)
        atexit.unregister(self._program_ends)

    def _program_ends(self) -> None:
        try:
            self._end(uncaught())
        except ZerogradError as error:
            say(str(error))
        keep_interrupted()

    def _first(self, finding: Finding) -> None:
        self._told.discard(_key(finding))
        # Of nested stretches only the outermost speaks while they run.
        if _running[:1] == [self]:
            self._notices.found(finding)

    def _results(self, findings: list[Finding]) -> Results:
        recorder = self._session.recorder
        history = None if recorder is None else recorder.history()
        seen, rules = seen_by(self._session.fast_path), tuple(capabilities.unheard())
        unheard = Unheard(str(torch.__version__), rules) if rules else None
        return results(findings, seen, self._notes(), history, unheard)

    def _notes(self) -> Iterator[str]:
        note = untested(str(torch.__version__))
        if note:
            yield note

    # -- as a `with` block

    def __enter__(self) -> Watching:
        """Return itself; it listens already."""
        with self._lock:
            self.start()
            self._inside += 1
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Report when the outermost block ends; what ended it passes through."""
        with self._lock:
            self._inside -= 1
            if self._inside:
                return
        if error is None:
            self.stop()
        else:
            self._end(error)

    # -- as a decorator

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Watch every call of this function, each by itself."""
        from inspect import isasyncgenfunction, isclass, iscoroutinefunction, isgeneratorfunction

        if isclass(function) or isgeneratorfunction(function) or isasyncgenfunction(function):
            self.abandon()
            raise ArgumentError(
                f"zerograd.watch decorates functions, and {function.__qualname__} is a class or "
                f"a generator; write `with zerograd.watch():` around the lines inside it"
            )
        if not seen_by(self._session.fast_path).is_anything:
            # `@zerograd.watch()` began when the function was defined, and means its calls.
            self.abandon()
        if iscoroutinefunction(function):
            return cast("Callable[P, R]", self._around_coroutine(function))
        return self._around_function(function)

    def _around_function(self, function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def watched(*args: P.args, **kwargs: P.kwargs) -> R:
            with self:
                return function(*args, **kwargs)

        return watched

    def _around_coroutine(self, function: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
        @wraps(function)
        async def watched(*args: P.args, **kwargs: P.kwargs) -> R:
            with self:
                return await function(*args, **kwargs)

        return watched


def running() -> tuple[Watching, ...]:
    """Return all that listen now, the outermost first."""
    return tuple(_running)


def _key(finding: Finding) -> tuple[str, object]:
    return finding.rule.code, finding.location


def _leave_to_the_parent() -> None:
    """Be silent in a forked child: `zerograd watch` follows children, a call does not."""
    for watching in running():
        watching.abandon()


in_forked_children(_leave_to_the_parent)
