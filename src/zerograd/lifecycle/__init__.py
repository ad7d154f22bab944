"""A gradient is an account: backward deposits, a step spends, zeroing clears."""

from typing import TYPE_CHECKING

from zerograd.lazy_imports import late
from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lifecycle.bookkeeper import Bookkeeper
    from zerograd.lifecycle.events import (
        Backward,
        Called,
        Clear,
        Clip,
        Construct,
        Dispose,
        Effect,
        Epoch,
        Evaluated,
        Event,
        Extend,
        Loop,
        ManualUpdate,
        Parameters,
        Place,
        Reduction,
        ScalerStep,
        ScalerUpdate,
        SchedulerStep,
        Source,
        Step,
        StepBegins,
        StepEnds,
        UnequalMeans,
        Unfreeze,
        Unscale,
        Use,
        Write,
        Writing,
    )
    from zerograd.lifecycle.fault import Fault, Witness
    from zerograd.lifecycle.ledger import Ledger
    from zerograd.lifecycle.tally import Entry, Tally
    from zerograd.lifecycle.transitions import (
        ILLEGAL,
        NOTHING_LIES,
        SCALER_ILLEGAL,
        SCALER_TRANSITIONS,
        TRANSITIONS,
        UNSPENT_LIES,
        Call,
        Move,
        Stage,
        State,
    )

__all__ = [
    "ILLEGAL",
    "NOTHING_LIES",
    "SCALER_ILLEGAL",
    "SCALER_TRANSITIONS",
    "TRANSITIONS",
    "UNSPENT_LIES",
    "Backward",
    "Bookkeeper",
    "Call",
    "Called",
    "Clear",
    "Clip",
    "Construct",
    "Dispose",
    "Effect",
    "Entry",
    "Epoch",
    "Evaluated",
    "Event",
    "Extend",
    "Fault",
    "Ledger",
    "Loop",
    "ManualUpdate",
    "Move",
    "Parameters",
    "Place",
    "Reduction",
    "ScalerStep",
    "ScalerUpdate",
    "SchedulerStep",
    "Severity",
    "Source",
    "Stage",
    "State",
    "Step",
    "StepBegins",
    "StepEnds",
    "Tally",
    "UnequalMeans",
    "Unfreeze",
    "Unscale",
    "Use",
    "Witness",
    "Write",
    "Writing",
]

_HOMES = (
    "transitions",
    "events",
    "fault",
    "tally",
    "bookkeeper",
    "ledger",
)

# Late: lint and the engine ask for verdicts, and start without the books of a run.
if not TYPE_CHECKING:
    __getattr__ = late(__name__, _HOMES, __all__)
