"""The few numbers that ranks tell each other, on a process group of the engine's own.

Every message is the same collective of the same size: a sum over the ranks of one row, with the
occasion in front, so that ranks that make different calls learn that of each other. Collectives of
different kinds or sizes that meet wait forever, or hand one rank the other's numbers; for the same
reason no message uses the group on which DDP and FSDP2 reduce gradients.

The row lies on the host, whatever device the model is on: to build it, to send it and to read it
stalls no device. Its size, and with it the cost of a message, does not grow with the ranks.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import torch
import torch.distributed as dist

from zerograd.errors import LifecycleError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta

    from torch.distributed import ProcessGroup


class Occasion(Enum):
    """When ranks talk, in words."""

    EPOCH = "begins batches()"
    FIRST_DEPOSIT = "makes its first deposit"
    FIRST_REDUCTION = "has its first reduction behind it"
    CLOSE = "closes a window"
    FLUSH = "ends batches() or calls flush()"


OCCASIONS = list(Occasion)
NUMBERS = 3
"""So many are told with each occasion."""

SAME_CALLS = (
    "let all ranks make the same calls: break, flush() and step() at the same micro-batch, and as "
    "many micro-batches; draw from gradients.batches(loader)"
)

_own_groups: WeakKeyDictionary[ProcessGroup, dict[tuple[int, ...], ProcessGroup]] = (
    WeakKeyDictionary()
)
"""The engine's group beside each group of models: engines over the same ranks share it."""


class Message:
    """A row that is on its way to the other ranks, and their sum on its way back."""

    def __init__(self, occasion: Occasion, row: torch.Tensor, work: Any) -> None:
        self._occasion = occasion
        self._row = row
        self._work = work

    def answer(self) -> list[float]:
        """Wait for all ranks, and return the sums of their numbers; raise if they differ."""
        try:
            self._work.wait()
        except RuntimeError as error:
            raise left_alone(self._occasion, error) from error
        sums: list[float] = self._row.tolist()
        kinds = len(OCCASIONS)
        present, places = sums[:kinds], sums[kinds : 2 * kinds]
        if sum(map(bool, present)) > 1:
            raise _parted(present, places)
        return sums[2 * kinds :]


class RankChannel:
    """What the ranks of one model tell each other."""

    def __init__(self, group: ProcessGroup, ranks: Sequence[int]) -> None:
        self._beside = group
        self._ranks = tuple(ranks)
        self._place = dist.get_rank()
        self.size = len(ranks)

    def start(self, occasion: Occasion, *numbers: float) -> Message:
        """Send a message, and go on."""
        kinds = len(OCCASIONS)
        row = [0.0] * (2 * kinds + NUMBERS)
        row[OCCASIONS.index(occasion)] = 1.0
        # The sum of the ranks at an occasion names the rank, where it is alone there.
        row[kinds + OCCASIONS.index(occasion)] = self._place
        row[2 * kinds : 2 * kinds + len(numbers)] = numbers
        tensor = torch.tensor(row, dtype=torch.float64)
        try:
            work = self.group.allreduce([tensor])
        except RuntimeError as error:
            raise left_alone(occasion, error) from error
        return Message(occasion, tensor, work)

    def tell(self, occasion: Occasion, *numbers: float) -> list[float]:
        """Send a message and wait for its answer: the sums of all ranks' numbers."""
        return self.start(occasion, *numbers).answer()

    def largest(self, occasion: Occasion, numbers: Sequence[float]) -> list[float]:
        """Return the largest of each number over all ranks, which have just told this occasion."""
        tensor = torch.tensor(numbers, dtype=torch.float64)
        options = dist.AllreduceOptions()
        options.reduceOp = dist.ReduceOp(dist.ReduceOp.MAX)
        self._wait(occasion, self.group.allreduce([tensor], options))
        every: list[float] = tensor.tolist()
        return every

    def every(self, occasion: Occasion, number: int) -> list[int]:
        """Return this number of every rank, for a sentence: its cost grows with the ranks."""
        own = torch.tensor([number])
        parts = [torch.empty_like(own) for _ in self._ranks]
        self._wait(occasion, self.group.allgather([parts], [own]))
        return [int(part) for part in parts]

    @property
    def group(self) -> ProcessGroup:
        """The engine's group over these ranks, made when they first talk."""
        beside = _own_groups.setdefault(self._beside, {})
        if self._ranks not in beside:
            beside[self._ranks] = dist.new_group(
                list(self._ranks),
                timeout=_timeout(self._beside),
                backend=_host_backend(self._beside),
                # Else all ranks of the job would have to take part, whatever they train.
                use_local_synchronization=True,
            )
        return beside[self._ranks]

    def _wait(self, occasion: Occasion, work: Any) -> None:
        try:
            work.wait()
        except RuntimeError as error:
            raise left_alone(occasion, error) from error


def _host_backend(group: ProcessGroup) -> str:
    """Return the backend that carries tensors of the host: that of the group, or gloo."""
    served = dict(part.split(":") for part in dist.get_backend_config(group).split(","))
    return served.get("cpu", "gloo")


def _timeout(group: ProcessGroup) -> timedelta | None:
    """Return how long the model's own group waits for a rank."""
    try:
        device = torch.device(next(iter(group._device_types)))  # noqa: SLF001  no public way to ask
        options = getattr(group._get_backend(device), "options", None)  # noqa: SLF001
    except AttributeError:
        return None
    return getattr(options, "_timeout", None)


def is_of_ranks(error: RuntimeError) -> bool:
    """Whether torch raised this because another rank did not answer."""
    # gloo raises a bare RuntimeError that begins with the path of its source.
    return isinstance(error, dist.DistError) or "gloo" in str(error).partition("]")[0]


def left_alone(occasion: Occasion, error: RuntimeError) -> LifecycleError:
    """Return what is said where another rank does not answer."""
    why = str(error).strip().partition("\n")[0].rpartition("] ")[2].rstrip(".")
    return LifecycleError(
        f"ranks-diverge: this rank {occasion.value}, and another does not answer: it raised, was "
        f"killed or has fewer windows; {SAME_CALLS} (torch says: {why})",
        code="ZG502",
    )


def _parted(present: Sequence[float], places: Sequence[float]) -> LifecycleError:
    """Return what is said where ranks are at different occasions, the fewest of them first."""
    met = [one for one in zip(present, places, OCCASIONS, strict=True) if one[0]]
    met.sort(key=lambda one: (one[0], -one[1]))
    (few, place, occasion), (many, others, usual) = met[0], met[-1]
    return LifecycleError(
        f"ranks-diverge: {_who(few, place)} {occasion.value} where {_who(many, others)} "
        f"{usual.value}; {SAME_CALLS}",
        code="ZG502",
    )


def _who(count: float, place: float) -> str:
    return f"rank {place:g}" if count == 1 else f"each of {count:g} ranks"
