"""Records an engine's windows, for its HTML report and for TensorBoard, where that is asked for.

It hears of each closed window as `on_step` does: while what was spent still lies in `.grad`.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

from zerograd.engine.call import where
from zerograd.engine.norms import total_norm, values
from zerograd.history import History, Kind, OptimizerCourse, Parameter
from zerograd.hooks.report_versions import versions
from zerograd.record import replace

if TYPE_CHECKING:
    from zerograd.engine.books import EngineBooks
    from zerograd.engine.call import Call
    from zerograd.engine.options import EngineOptions
    from zerograd.engine.step import Step


class Recording:
    """What an engine did so far, in bounded memory."""

    def __init__(self, options: EngineOptions, record: Any, place: str) -> None:
        name = " + ".join(type(optimizer).__name__ for optimizer in options.optimizers)
        self._course = OptimizerCourse(name, place)
        self._writer: Any = None if record is True else record
        self._clips = options.clip_norm is not None or options.clip_value is not None
        self._on_step = options.on_step
        self._books: EngineBooks | None = None
        self._reached: set[int] = set()
        self._places: dict[Call | None, str] = {}
        self._skipped = 0
        self._began = monotonic()

    def listening(self, options: EngineOptions) -> EngineOptions:
        """Return the same options, with us told of every step before the user is."""
        return replace(options, on_step=self.closed)

    def begin(self, books: EngineBooks) -> None:
        """Learn whose windows these are."""
        self._books = books

    def closed(self, step: Step) -> None:
        """Keep a window that has just been spent, or skipped."""
        skipped = step.is_skipped
        self._skipped += skipped
        measured = self._measure(step, skipped=skipped)
        self._note(step, skipped=skipped)
        if self._writer is not None:
            self._write(step, measured)
        if self._on_step is not None:
            self._on_step(step)

    def _note(self, step: Step, *, skipped: bool) -> None:
        assert self._books is not None
        place = self._place(self._books.window.last)
        for _ in range(step.micro_batches):
            self._course.note(Kind.DEPOSIT, place)
        if self._clips and not skipped:
            self._course.note(Kind.CLIP, place)
        self._course.note(Kind.SKIP if skipped else Kind.SPEND, place)
        self._course.note(Kind.CLEAR, place)
        self._course.close()

    def _measure(self, step: Step, *, skipped: bool) -> dict[str, float]:
        """Measure as often as the report can show it; for TensorBoard, at every step."""
        assert self._books is not None
        course, books = self._course, self._books
        if self._writer is None and not course.spent.wants(course.step):
            return {}
        found: dict[str, float] = {}
        if books.scaler is not None:
            found["scale"] = books.scaler.get_scale()
            course.scale.add(course.step, found["scale"])
        if skipped:
            return found
        reached = [one for one in books.accounts.parameters if one.grad is not None]
        self._reached.update(map(id, reached))
        if reached:
            found["norm"] = float(total_norm(values(reached)))
            course.spent.add(course.step, found["norm"])
        if step.norm is not None:
            found["unclipped"] = step.norm
            course.unclipped.add(course.step, step.norm)
        return found

    def _write(self, step: Step, measured: dict[str, float]) -> None:
        scalars = {**measured, "micro_batches": step.micro_batches, "skipped": self._skipped}
        for name, value in scalars.items():
            self._writer.add_scalar(f"gradients/{name}", value, step.index)

    def _place(self, call: Call | None) -> str:
        place = self._places.get(call)
        if place is None:
            place = self._places[call] = where(call)
        return place

    def history(self) -> History:
        """Return what is known so far."""
        return History(
            lanes=(self._course.lane(),),
            parameters=tuple(self._parameters()),
            facts=versions(monotonic() - self._began),
        )

    def _parameters(self) -> list[Parameter]:
        """Return the model's parameters by name, if the engine was told of the model."""
        assert self._books is not None
        accounts = self._books.accounts
        if accounts.model is None:
            return []
        model = type(accounts.model).__name__
        return [
            Parameter(
                name=f"{model}.{name}",
                size=parameter.numel(),
                owned=id(parameter) in accounts.ids,
                reached=id(parameter) in self._reached,
                frozen=not parameter.requires_grad,
            )
            for name, parameter in accounts.model.named_parameters()
        ]
