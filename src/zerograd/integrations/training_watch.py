"""Watch one training that a framework runs, and say at its end what was found.

The callbacks of the frameworks differ in when they are called and in how they log. All of them own
a `TrainingWatch` and tell it when a training begins and ends.
"""

from __future__ import annotations

import atexit
from inspect import signature
from threading import get_ident
from typing import TYPE_CHECKING, Any

from zerograd.errors import UnknownArgumentError
from zerograd.watch import watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from zerograd.findings import Finding
    from zerograd.watch.api.watching import Watching

    Say: TypeAlias = Callable[[str], object]


_last_begun: dict[tuple[str | None, int], TrainingWatch] = {}
"""What watches the training of each framework and thread, while it watches."""


class TrainingWatch:
    """One `zerograd.watch()` at a time, from the begin of a training to its end.

    `options` are those of `zerograd.watch()`. `strict=True` raises `FaultError` at the end, after
    the findings were said. Where `framework` tells nobody of a training that raised, its next one
    on the same thread, whoever watches that, shows that the one before has ended.
    """

    def __init__(self, options: dict[str, Any], *, framework: str | None = None) -> None:
        refuse_unknown(options)
        self.options = options
        self.framework = framework
        self._forget()

    @property
    def is_watching(self) -> bool:
        """Whether a training goes on that this one watches."""
        return self._watching is not None

    def _forget(self) -> None:
        self._watching: Watching | None = None
        self._say: Say = print
        self.findings: list[Finding] = []
        """What the last training that ended has shown."""

    def begin(self, say: Say, optimizers: Iterable[Any] = ()) -> None:
        """Watch from here on; what was found is said by `say`, in the framework's own way.

        `optimizers` are those that the framework has built by now, wrapped or not.
        """
        self.break_off()  # a training before this one that never came to its end
        if self.framework is not None:
            _last_begun.get(self._place, self).break_off()
            _last_begun[self._place] = self
        self._say = say
        self._watching = watch(**self.options, report=False)
        self._watching.meet(*filter(is_optimizer, map(unwrapped, optimizers)))
        # A training that raises tells most frameworks' callbacks nothing.
        atexit.register(self.break_off)

    def end(self) -> None:
        """Watch no more, judge the whole training, and say what was found."""
        watching = self._taken()
        if watching is None:
            return
        try:
            watching.stop()
        finally:
            self._tell(watching)

    def break_off(self) -> None:
        """Watch no more and say what was found so far; what only an end shows is not judged."""
        watching = self._taken()
        if watching is not None:
            watching.abandon()
            self._tell(watching)

    def _taken(self) -> Watching | None:
        watching, self._watching = self._watching, None
        atexit.unregister(self.break_off)
        if _last_begun.get(self._place) is self:
            del _last_begun[self._place]
        return watching

    @property
    def _place(self) -> tuple[str | None, int]:
        return self.framework, get_ident()

    def _tell(self, watching: Watching) -> None:
        # Imported here: these know torch's versions and the reports, and most trainings are right.
        from zerograd.reports.words import counted_findings
        from zerograd.watch.process import child
        from zerograd.watch.report.console_report import text_of

        self.findings = watching.findings
        # Under `zerograd watch` the report of the whole run says it.
        if self.findings and not child.is_reported():
            found = counted_findings(tuple(self.findings))
            self._say(f"zerograd found {found}:\n{text_of(self.findings)}")

    def __getstate__(self) -> dict[str, Any]:
        """Copy and pickle the options alone: frameworks save trainers with their callbacks."""
        return {"options": self.options, "framework": self.framework}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.options, self.framework = state["options"], state["framework"]
        self._forget()


def unwrapped(optimizer: Any) -> Any:
    """Return torch's optimizer from inside a wrapper of Accelerate's kind."""
    return getattr(optimizer, "optimizer", optimizer)


def is_optimizer(candidate: Any) -> bool:
    """Tell whether this is one of torch's: an engine of DeepSpeed's, for one, is not."""
    # Imported here: the module is also read where torch is not installed.
    from torch.optim import Optimizer

    return isinstance(candidate, Optimizer)


def say_nothing(text: str) -> None:
    """Say nothing: the first process of several does."""


def refuse_unknown(options: dict[str, Any]) -> None:
    """Raise when the callback is made, not when training begins, for options that do not exist."""
    known = set(signature(watch).parameters) - {"report"}
    for name in options:
        if name not in known:
            listed = ", ".join(sorted(known))
            raise UnknownArgumentError(f"zerograd.watch() has no option {name!r}; it has {listed}")
