"""Count what was seen of a run: the last line of every report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.record import record, values_of

if TYPE_CHECKING:
    from zerograd.watch.fast_path.one_group import FastPath


@record(frozen=True)
class RunSummary:
    """Counts of one process, or of several together."""

    optimizers: int = 0
    steps: int = 0
    backwards: int = 0
    parameters: int = 0
    processes: int = 1

    def __add__(self, other: RunSummary) -> RunSummary:
        one, two = values_of(self), values_of(other)
        return RunSummary(**{name: one[name] + two[name] for name in one})

    @property
    def is_anything(self) -> bool:
        """Whether there was anything to watch."""
        return bool(self.optimizers or self.steps or self.backwards)

    def sentence(self) -> str:
        """Return it in words: "2 optimizers, 100 steps, 14 parameters, 1 process"."""
        counts = {
            "optimizer": self.optimizers,
            "step": self.steps,
            "backward": self.backwards,
            "parameter": self.parameters,
            "process": self.processes,
        }
        return ", ".join(_plural(count, noun) for noun, count in counts.items())


def _plural(count: int, noun: str) -> str:
    ending = "es" if noun.endswith("s") else "s"
    return f"{count:,} {noun}{'' if count == 1 else ending}"


def seen_by(fast_path: FastPath) -> RunSummary:
    """Return what an observer has seen, or the fast path in its place."""
    fast_path.cache.catch_up()
    observer = fast_path.observer
    return RunSummary(
        optimizers=observer.poster.registry.optimizers.count,
        steps=observer.steps.count,
        backwards=observer.deposits.count,
        parameters=observer.poster.registry.parameters.count,
    )
