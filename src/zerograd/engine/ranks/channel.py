"""The few numbers that ranks tell each other, on a process group of the engine's own.

Every message has the same form and size: a sum over the ranks of two numbers, of which one tells
the occasion, so that ranks that make different calls learn that of each other. Collectives of
different kinds or sizes that meet wait forever, or hand one rank the other's numbers; for the same
reason no message uses the group on which DDP and FSDP2 reduce gradients.

Ranks of one machine leave their numbers in shared memory; over several machines they are summed by
gloo. Two numbers, because gloo cuts a row into pieces and sends each one by itself: a message of
two costs a third of the processor time of one of thirteen.

The numbers lie on the host, whatever device the model is on: to send them and to read them stalls
no device. Their size, and with it the cost of a message, does not grow with the ranks.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import torch
import torch.distributed as dist

from zerograd.engine.ranks.mailbox import GoneError, Mailbox, mailbox
from zerograd.engine.refusals import refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import timedelta

    from torch.distributed import ProcessGroup

    from zerograd.errors import LifecycleError


class Occasion(Enum):
    """When ranks talk, in words."""

    EPOCH = "begins batches()"
    FIRST_DEPOSIT = "makes its first deposit"
    FIRST_REDUCTION = "has its first reduction behind it"
    FLUSH = "ends batches() or calls flush()"
    CLOSE = "closes a window"


OCCASIONS = list(Occasion)
UNREDUCED, ON_DEVICE = 2, 1
"""Added to the number of CLOSE, the last: it was not reduced, its count is known on a device."""

HIGHEST = len(OCCASIONS) - 1 + UNREDUCED + ON_DEVICE
EXACT = 2**53
"""Whole numbers up to this are summed exactly."""


class Answer(NamedTuple):
    """What all ranks have told."""

    total: float
    """The sum of their numbers."""

    unreduced: int = 0
    """How many close a window that was not reduced."""

    on_device: bool = False
    """Whether some count is known on a device only."""


class TalkGroup:
    """The engine's group beside one group of models: engines over the same ranks share it."""

    def __init__(self, beside: ProcessGroup, ranks: Sequence[int]) -> None:
        backend = _host_backend(beside)
        self.group: ProcessGroup = dist.new_group(
            list(ranks),
            timeout=_timeout(beside),
            backend=backend,
            # Else all ranks of the job would have to take part, whatever they train.
            use_local_synchronization=True,
        )
        own = list(ranks).index(dist.get_rank())
        self._mailbox = mailbox(self.group, own, len(ranks)) if backend == "gloo" else None
        self._last: Message | None = None

    def send(self, occasion: Occasion, call: RankCall, number: float) -> Message:
        """Send a message, after the one before has arrived everywhere."""
        if self._last is not None:
            self._last.wait()
        if self._mailbox is not None:
            self._last = LeftMessage(occasion, call, number, self._mailbox, self.timeout)
        else:
            self._last = SummedMessage(occasion, call, number, self.group)
        return self._last

    def timeout(self) -> float:
        """Return how many seconds this group waits for a rank by now."""
        given = _timeout(self.group)
        return math.inf if given is None else given.total_seconds()


_talk_groups: WeakKeyDictionary[ProcessGroup, dict[tuple[int, ...], TalkGroup]] = (
    WeakKeyDictionary()
)


class Message(ABC):
    """Two numbers that are on their way to the other ranks, and their sums on the way back."""

    def __init__(self, occasion: Occasion, call: RankCall) -> None:
        self._occasion = occasion
        self._call = call
        self._sums: tuple[float, float] | None = None

    def wait(self) -> tuple[float, float]:
        """Wait until all ranks have told theirs; return the sums."""
        if self._sums is None:
            try:
                self._sums = self._received()
            except RuntimeError as error:
                raise left_alone(self._occasion, error) from error
        return self._sums

    def answer(self) -> Answer:
        """Wait for all ranks, and return what they told; raise if they make different calls."""
        total, code = self.wait()
        return self._call.answered(total, int(code))

    @abstractmethod
    def _received(self) -> tuple[float, float]:
        """Wait, and return the sums."""


class LeftMessage(Message):
    """One that is left in the memory of a machine for its other ranks."""

    def __init__(
        self,
        occasion: Occasion,
        call: RankCall,
        number: float,
        box: Mailbox,
        timeout: Callable[[], float],
    ) -> None:
        super().__init__(occasion, call)
        self._box, self._timeout = box, timeout
        self._message = box.leave(number, call.code)

    def _received(self) -> tuple[float, float]:
        return self._box.sums(self._message, self._timeout)


class SummedMessage(Message):
    """One that gloo sums over the ranks."""

    def __init__(
        self, occasion: Occasion, call: RankCall, number: float, group: ProcessGroup
    ) -> None:
        super().__init__(occasion, call)
        self._row = torch.tensor((number, call.code), dtype=torch.float64)
        try:
            self._work: Any = group.allreduce([self._row])
        except RuntimeError as error:
            raise left_alone(occasion, error) from error

    def _received(self) -> tuple[float, float]:
        self._work.wait()
        total, code = self._row.tolist()
        return total, code


class RankCall:
    """One kind of call of one rank: its number, which is told so that its sum shows any other.

    With the number k its square is told, and k times the rank's place: where the ranks make two
    kinds of calls, the three sums say which is the other one, of how many ranks, and of which.

    Ranks 0 and 1 of 4 at k = 3, the others at k = 4: sums of 14, 50 and 23. From 3 on every rank
    that is 2 and 14 too much: 14 / 2 = 3 + 4, so the other is 4, and two ranks make it.
    """

    def __init__(self, number: int, ranks: Sequence[int], place: int) -> None:
        size = len(ranks)
        self._number, self._ranks = number, ranks
        self._numbers, self._squares = HIGHEST * size + 1, HIGHEST**2 * size + 1
        places = HIGHEST * size * (size - 1) // 2 + 1
        self._knows_places = self._numbers * self._squares * places < EXACT
        inner = number**2 + self._squares * number * place * self._knows_places
        self.code = number + self._numbers * inner

    def answered(self, total: float, code: int) -> Answer:
        """Return what all ranks told, or raise what their calls are."""
        own, size = self._number, len(self._ranks)
        rest, numbers = divmod(code, self._numbers)
        places, squares = divmod(rest, self._squares)
        more, more_squares = numbers - own * size, squares - own**2 * size
        if not more and not more_squares:
            return _told(total, {own: size})
        both, remainder = divmod(more_squares, more) if more else (0, 1)
        other = both - own
        count = more // (other - own) if not remainder and other != own else 0
        if not (0 <= other <= HIGHEST and 0 < count < size):
            raise _scattered(own)
        if _occasion(other) is _occasion(own):
            return _told(total, {own: size - count, other: count})
        of_other = (places - own * size * (size - 1) // 2) // (other - own)
        groups = [
            (size - count, size * (size - 1) // 2 - of_other, own),
            (count, of_other, other),
        ]
        raise self._parted(sorted(groups, key=lambda one: (one[0], -one[1])))

    def _parted(self, groups: list[tuple[int, int, int]]) -> LifecycleError:
        """Return what is said where ranks are at different occasions, the fewer of them first."""
        few, many = (
            f"{self._who(count, places)} {_occasion(number).value}"
            for count, places, number in groups
        )
        return refused("ranks-call-apart", few=few, many=many)

    def _who(self, count: int, places: int) -> str:
        if count > 1:
            return f"each of {count} ranks"
        return f"rank {self._ranks[places]}" if self._knows_places else "one rank"


def _occasion(number: int) -> Occasion:
    return OCCASIONS[min(number, len(OCCASIONS) - 1)]


def _told(total: float, counts: dict[int, int]) -> Answer:
    """Return an answer of ranks at one occasion, so many of each number."""
    closing = {number - len(OCCASIONS) + 1: count for number, count in counts.items()}
    unreduced = sum(count for flags, count in closing.items() if flags >= UNREDUCED)
    return Answer(total, unreduced, any(flags > 0 and flags % 2 for flags in closing))


def _scattered(number: int) -> LifecycleError:
    return refused("ranks-call-in-several-ways", occasion=_occasion(number).value)


class RankChannel:
    """What the ranks of one model tell each other."""

    def __init__(self, group: ProcessGroup, ranks: Sequence[int]) -> None:
        self._beside = group
        self._ranks = tuple(ranks)
        place = self._ranks.index(dist.get_rank())
        self._calls = [RankCall(number, self._ranks, place) for number in range(HIGHEST + 1)]
        self.size = len(ranks)

    def start(
        self,
        occasion: Occasion,
        number: float = 0,
        *,
        unreduced: bool = False,
        on_device: bool = False,
    ) -> Message:
        """Send a message, and go on."""
        kind = OCCASIONS.index(occasion) + UNREDUCED * unreduced + ON_DEVICE * on_device
        return self._talk.send(occasion, self._calls[kind], number)

    def tell(self, occasion: Occasion, number: float = 0) -> float:
        """Send a message and wait for its answer: the sum of all ranks' numbers."""
        return self.start(occasion, number).answer().total

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
        """The engine's process group over these ranks."""
        return self._talk.group

    @property
    def _talk(self) -> TalkGroup:
        """The engine's group over these ranks, made when they first talk."""
        beside = _talk_groups.setdefault(self._beside, {})
        if self._ranks not in beside:
            beside[self._ranks] = TalkGroup(self._beside, self._ranks)
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
    return isinstance(error, dist.DistError | GoneError) or "gloo" in str(error).partition("]")[0]


def left_alone(occasion: Occasion, error: RuntimeError) -> LifecycleError:
    """Return what is said where another rank does not answer."""
    why = str(error).strip().partition("\n")[0].rpartition("] ")[2].rstrip(".")
    return refused("rank-without-answer", occasion=occasion.value, why=why)
