"""The events of a training run, as they are posted to the ledger.

Places, sources, parameters, optimizers, scalers, feeds and modules are opaque: anything hashable.
Facts that only a run or a source shows (is the loss divided, was the step skipped) are attributes.
Events compare by identity, so that the same object, posted at each step, costs almost nothing:
build an event once per line of the program and post it again and again.

Whoever posts reports a backward inside a backward as part of the outermost, and a step that holds
nothing else as one `Step` when it returns. A step that holds other events (a closure, the steps
of inner optimizers, a clear) is `StepBegins` ... `StepEnds`.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from enum import Enum
from typing import TypeAlias

from zerograd.record import record

Place: TypeAlias = Hashable
Source: TypeAlias = Hashable
Parameters: TypeAlias = frozenset[Hashable]


class Reduction(Enum):
    """How a loss was reduced over its batch."""

    MEAN = "mean"
    SUM = "sum"
    UNKNOWN = "unknown"


class Effect(Enum):
    """What a call of `step` did to the parameters."""

    MOVED = "moved"
    """It changed a parameter."""

    STILL = "still"
    """It spent, but no parameter changed: learning rate 0, convergence, only state."""

    NOTHING = "nothing"
    """Non-zero gradients, a learning rate, and neither parameter nor state changed: no step."""


@record(frozen=True)
class Loop:
    """What the source shows about the loop around a deposit."""

    meant: bool = False
    """A modulo, counter, inner loop or `accumulate()` shows the window as meant."""

    declared: bool = False
    """A name says accumulation: accum, micro, virtual, iter_size, update_freq."""

    per_task: bool = False
    """It runs over tasks, time steps, episodes, agents or heads."""


UNSEEN = Loop()


@record(frozen=True, eq=False)
class Event:
    """Something that happened at a place."""

    place: Place


@record(frozen=True, eq=False)
class Backward(Event):
    """A backward deposits into the parameters that it reached."""

    parameters: Parameters
    source: Source
    """The two innermost frames of the user's, so that a helper does not make all losses one."""

    feed: Hashable = None
    """The loader that the batch came from."""

    drawn: int = 0
    """Batches that were drawn from it, in a row, since the previous deposit."""

    constants: tuple[int, ...] = ()
    """Divisors between loss and reduction, the outermost first; a factor 1/d is d."""

    over_a_sum: bool = False
    """They stand over a sum of several losses, of which they may be part."""

    mean_of: int | None = None
    """The loss is the mean of so many; where a window holds as many deposits, the same constant
    may be the window's divisor."""

    reduction: Reduction = Reduction.UNKNOWN
    loop: Loop = UNSEEN
    scale: float | None = None
    """The loss scale that it carries; None when no scaler touched the loss."""

    synced: bool | None = None
    """Reduced over the ranks; None when there is one rank."""

    sync_place: Place | None = None
    """The context or flag that decided it."""

    bypass: Place | None = None
    """The call of a bare module, past the wrapper that would have reduced its gradients."""

    sixteen_bit: bool = False
    """The sum is kept in a 16-bit `.grad`."""

    tracked: bool = False
    """`create_graph=True`: the gradient itself has a graph."""

    from_leaf: bool = False
    """The root is a leaf itself: nothing lies between it and its own `.grad`."""

    root: Hashable = None
    """The root's identity, where its graph was retained."""

    reaches: tuple[Hashable, ...] = ()
    """Earlier roots that are reachable from this one."""


class Writing(Enum):
    """How something other than backward put a value into `.grad`."""

    ASSIGN = "assign"
    """Another tensor."""

    RESCALE = "rescale"
    """In place, a multiple of what was there."""

    OVERWRITE = "overwrite"
    """In place, anything else."""


@record(frozen=True, eq=False)
class Write(Event):
    """Something other than backward put a non-zero value into `.grad`."""

    parameters: Parameters
    how: Writing
    in_loss: bool = False
    """A factor in the loss itself, or the gradient that its backward was given: no write at all,
    but it may normalise a window as well as a write does."""


@record(frozen=True, eq=False)
class UnequalMeans(Event):
    """The deposits of an open window are means over different numbers of items, weighed alike."""

    optimizer: Hashable
    source: Source
    deposits: int
    """How many deposits were counted."""

    smallest: float
    """The fewest items that one of them is the mean of."""

    largest: float
    separable: bool = True
    """What a step should spend can be computed from the deposits: their terms vary together."""

    reduced: bool = False
    """Ranks reduce in the backward, so that a deposit is not this rank's alone."""


@record(frozen=True, eq=False)
class Clear(Event):
    """Afterwards the gradients are None or zero."""

    parameters: Parameters
    by_name: bool = False
    """`module.zero_grad()`."""

    keeps_graph: bool = False
    """In place and not detached first: `p.grad.zero_()`."""

    assigned: bool = False
    """Another tensor, of zeros, took the place of what was there."""


@record(frozen=True, eq=False)
class Use(Event):
    """A write into parameters that is no update: it uses what lies in their accounts."""

    parameters: Parameters


@record(frozen=True, eq=False)
class ManualUpdate(Event):
    """A write into parameters that depends on their gradients: an anonymous optimizer's step."""

    parameters: Parameters


@record(frozen=True, eq=False)
class Step(Event):
    """An optimizer spends its accounts."""

    optimizer: Hashable
    effect: Effect = Effect.MOVED
    modulo: bool = False
    """It runs under a test with a modulo."""

    condition: Place | None = None
    """The line of that test."""

    kept: Place | None = None
    """The first arithmetic on the loss that its previous step spent, if that graph is alive."""


@record(frozen=True, eq=False)
class StepBegins(Step):
    """A step during which other events happen."""

    closure: bool = False
    """It evaluates a closure, and is judged when the first evaluation returns."""


@record(frozen=True, eq=False)
class Evaluated(Event):
    """The innermost step's closure returned."""

    left_nothing: bool = False
    """No parameter of the optimizer has a gradient: the step is going to change nothing."""


@record(frozen=True, eq=False)
class StepEnds(Event):
    """The innermost step returned."""


@record(frozen=True, eq=False)
class ScalerStep(Step):
    """`scaler.step(optimizer)`, the inner step included."""

    scaler: Hashable = None
    skipped: bool = False
    """It found inf or NaN and did not step."""

    enabled: bool = True


@record(frozen=True, eq=False)
class Unscale(Event):
    """`scaler.unscale_(optimizer)`."""

    optimizer: Hashable
    scaler: Hashable


@record(frozen=True, eq=False)
class ScalerUpdate(Event):
    """`scaler.update()`."""

    scaler: Hashable


@record(frozen=True, eq=False)
class Clip(Event):
    """Gradients are clipped."""

    parameters: Parameters
    measures: bool = False
    """`max_norm=inf`: nothing is clipped."""

    evaluating: bool = False
    """It runs inside a step's closure, whose backward comes after it."""


@record(frozen=True, eq=False)
class SchedulerStep(Event):
    """A learning-rate scheduler advances."""

    optimizer: Hashable
    planned: bool = False
    """Its schedule is as long as a whole number of epochs, counted in micro-batches."""


@record(frozen=True, eq=False)
class Epoch(Event):
    """A feed starts again."""

    feed: Hashable = None


@record(frozen=True, eq=False)
class Construct(Event):
    """An optimizer is built."""

    optimizer: Hashable
    parameters: Parameters
    repeats: bool = False
    """One parameter is in one of its groups twice."""

    shapes: Hashable = None
    """The shapes of its parameters, to recognise a module that took the place of another."""


@record(frozen=True, eq=False)
class Extend(Event):
    """`optimizer.add_param_group(...)`."""

    optimizer: Hashable
    parameters: Parameters


@record(frozen=True, eq=False)
class Called(Event):
    """An outermost module was called: posted when it is new or its parameters changed."""

    module: Hashable
    leaves: tuple[Collection[Hashable], ...]
    """The parameters of its leaf modules, in the order in which they ran."""

    shapes: Hashable = None


@record(frozen=True, eq=False)
class Unfreeze(Event):
    """`requires_grad` went from False to True."""

    parameters: Parameters


@record(frozen=True, eq=False)
class Dispose(Event):
    """An optimizer, and parameters, no longer exist."""

    optimizer: Hashable = None
    parameters: Parameters = frozenset()
