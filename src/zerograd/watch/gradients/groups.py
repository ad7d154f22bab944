"""Group parameters that always move together, and tell what changed since the last look.

`id(p.grad)` is no identity, because ids are reused; a weak reference is. `None`, `del` and the
default `zero_grad()` change the identity, in-place writes change the version counter, and what is
written through `.data` changes nothing but the value: a few elements are remembered for that.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING
from weakref import ref

from zerograd.watch.gradients.values import descended, is_zero, pane, sample, spot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from torch import Tensor

    from zerograd.watch.gradients.values import Pane, Sample, Spot


class GradientChange(Enum):
    """What a look found, compared with the look before."""

    SAME = "same"
    APPEARED = "appeared"
    """It was None and is a tensor."""

    REPLACED = "replaced"
    """It is another tensor."""

    TOUCHED = "touched"
    """It is the same tensor, written in place."""

    REWRITTEN = "rewritten"
    """It is the same tensor, of the same version, with other values, and not all of them zero:
    written through `.data`."""

    VANISHED = "vanished"
    """It was a tensor and is None."""

    GONE = "gone"
    """The parameter itself no longer exists."""


SAME, APPEARED, REPLACED, TOUCHED, REWRITTEN, VANISHED, GONE = GradientChange


class GradientState:
    """One parameter, and its gradient as it was last seen."""

    __slots__ = (
        *("following", "gradient", "key", "pane", "parameter"),
        *("seen", "spot", "value", "version", "was_zero"),
    )

    def __init__(self, key: int, parameter: Tensor) -> None:
        self.key = key
        self.parameter = ref(parameter)
        self.gradient: ref[Tensor] | None = None
        self.version = 0
        self.value: Sample | None = None
        """A few elements of the parameter when its gradient was last deposited."""
        self.was_zero: bool | None = None
        """Whether that deposit was all zeros; None when nobody looked."""
        self.spot: Spot | None = None
        """Where the elements of the parameter lay then, to be read again without asking."""
        self.pane: Pane | None = None
        """Where the first element of its gradient lies, which was not zero when deposited."""
        self.seen: tuple[ref[Tensor], int, Sample] | None = None
        """Which gradient was last read, its version then, and a few of its elements."""
        self.following = self
        """The member of its group whose turn comes after its own."""
        self.look()

    def look(self, expected: GradientChange | None = None) -> GradientChange:
        """Compare with the last look, and remember this one, unless another change was expected."""
        parameter = self.parameter()
        if parameter is None:
            return GONE
        gradient, before = parameter.grad, self.gradient
        if gradient is None:
            change = SAME if before is None else VANISHED
            if expected is None or change is expected:
                self.gradient = self.seen = None
            return change
        version = gradient._version  # noqa: SLF001  torch's only sign of an in-place write
        if before is not None and before() is gradient:
            change = TOUCHED if version != self.version else self._reread(gradient, version)
        else:
            change = APPEARED if before is None else REPLACED
        if expected is None or change is expected:
            if change is APPEARED or change is REPLACED:
                self.gradient = ref(gradient)
            self.version = version
            if change is not SAME:
                self.seen = None  # out of date: a large model has thousands of these
            if change is REWRITTEN:
                self.read_gradient()
        return change

    def _reread(self, gradient: Tensor, version: int) -> GradientChange:
        """Compare a gradient that no counter shows as written with its elements as last read."""
        seen = self.seen
        # The fast path goes on to other gradients and versions without reading them.
        if seen is None or seen[1] != version or seen[0] is not self.gradient:
            return SAME
        # Zeros are a clear, which is asked of every gradient that held something.
        return SAME if sample(gradient) == seen[2] or is_zero(gradient) else REWRITTEN

    def read_gradient(self) -> None:
        """Keep a few elements of the gradient, to see later whether somebody wrote past torch."""
        gradient = self.gradient() if self.gradient is not None else None
        read = None if gradient is None else sample(gradient)
        if gradient is None or read is None or self.gradient is None:
            self.seen = None
        else:
            self.seen = self.gradient, gradient._version, read  # noqa: SLF001  as in `look`

    def forget_old_reading(self) -> None:
        """Drop what was read of a gradient that is gone, or was written since by torch."""
        seen, parameter = self.seen, self.parameter()
        gradient = None if parameter is None else parameter.grad
        if seen is not None and (
            gradient is None or seen[0]() is not gradient or seen[1] != gradient._version  # noqa: SLF001  as in `look`
        ):
            self.seen = None

    def holds_zero(self) -> bool:
        """Whether there is no value in the gradient."""
        # Not as last seen: of a calm group only one member was looked at.
        parameter = self.parameter()
        gradient = None if parameter is None else parameter.grad
        return gradient is None or is_zero(gradient)

    def remember_value(self) -> None:
        """Keep a few elements of the parameter, to see later whether somebody wrote to it."""
        parameter = self.parameter()
        self.value = None if parameter is None else sample(parameter)

    def remember_deposit(self, *, closely: bool) -> None:
        """Keep what tells later whether the deposit was cleared, or used, by hand."""
        if not closely:
            self.value = self.was_zero = self.spot = self.pane = None
            return
        parameter = self.parameter()
        gradient = self.gradient() if self.gradient is not None else None
        self.value = None if parameter is None else sample(parameter)
        self.spot = None if parameter is None else spot(parameter)
        self.was_zero = gradient is None or is_zero(gradient)
        self.pane = None if self.was_zero or gradient is None else pane(gradient)

    def keeps_its_deposit(self) -> bool:
        """Whether a deposit that was looked at closely is neither cleared nor used by now."""
        parameter = self.parameter()
        gradient = self.gradient() if self.gradient is not None else None
        if self.was_zero is False and (gradient is None or is_zero(gradient)):
            return False
        return parameter is None or self.value is None or sample(parameter) == self.value

    def was_written(self) -> bool:
        """Whether the parameter changed since its value was remembered."""
        parameter = self.parameter()
        if parameter is None or self.value is None:
            return False
        return sample(parameter) != self.value


def moved_down(member: GradientState) -> bool:
    """Whether a parameter went against its gradient since its value was remembered."""
    parameter = member.parameter()
    gradient = None if parameter is None else parameter.grad
    if parameter is None or gradient is None or member.value is None:
        return False
    return descended(member.value, parameter, gradient)


def holds(member: GradientState) -> bool:
    """Whether a parameter has a gradient now, whatever was seen last."""
    parameter = member.parameter()
    return parameter is not None and parameter.grad is not None


class GradientGroup:
    """Members that have moved together so far.

    While all is calm one of them, in turn, is looked at for all; every look at all of them that
    finds them apart splits the group.
    """

    __slots__ = (
        *("beside", "fresh", "keys", "members", "owners", "representative"),
        *("spent", "synced", "written"),
    )

    def __init__(self, members: list[GradientState], owners: frozenset[int] = frozenset()) -> None:
        self.members = members
        self.representative = members[0]
        """The member whose turn it is."""
        for member, following in zip(members, [*members[1:], members[0]], strict=True):
            member.following = following
        # By way of a set: a frozenset that grows one by one takes twice the room.
        self.keys = frozenset({member.key for member in members})
        self.owners = owners
        """The optimizers that hold these parameters; none for a leaf that nobody owns."""
        self.beside = 0
        """Nobody owns it: how many backwards, which an optimizer spends, left something here since
        it last moved."""
        self.fresh = False
        """Something was deposited that no step has spent."""
        self.spent = False
        """What lies there was spent, and no clear was seen since."""
        self.written = False
        """Something other than backward wrote, so that more looks are worth their time."""
        self.synced = True
        """All members were looked at when one of them was."""

    @property
    def state(self) -> tuple[object, ...]:
        """What groups have to have in common to be one."""
        held = self.representative.gradient is not None
        return self.owners, self.fresh, self.spent, self.written, held

    @property
    def closely(self) -> bool:
        """Whether its values are remembered at every deposit."""
        return self.written or not self.owners

    def is_apart(self, reached: frozenset[int] = frozenset()) -> bool:
        """Whether a backward that was to reach these parameters left out some of the members.

        A layer that is frozen late gets nothing any more, and cannot answer for the others.
        """
        if holds(self.representative):
            return not holds(self.representative.following)
        return self.representative.key in reached and any(map(holds, self.members))

    def read_gradients(self, *, at_all: bool) -> None:
        """Keep a few elements of each gradient that is looked at."""
        for member in self.members if at_all else (self.representative,):
            member.read_gradient()

    def forget_old_readings(self) -> None:
        """Keep less for each member, now that one of them is looked at in turn."""
        for member in self.members:
            member.forget_old_reading()

    def next_turn(self) -> None:
        """Choose another member to represent the group, and look at it now."""
        self.representative.seen = None  # read before the deposit that ends its turn
        self.representative = self.representative.following
        self.representative.look()

    def look(self, *, at_all: bool) -> list[tuple[GradientChange, GradientGroup]]:
        """Return what changed, group by group: one entry unless the members part ways."""
        if not at_all:
            self.synced = False
            return [(self.representative.look(), self)]
        changes: dict[GradientChange, list[GradientState]] = {}
        for change, member in self._changes() if self.synced else self._catch_up():
            changes.setdefault(change, []).append(member)
        self.synced = True
        if len(changes) == 1:
            return [(next(iter(changes)), self)]
        return [(change, self.part(members)) for change, members in changes.items()]

    def _changes(self) -> Iterator[tuple[GradientChange, GradientState]]:
        shown = self.representative.look()
        for member in self.members:
            change = member.look() if member is not self.representative else shown
            # One that was not read cannot tell; what was done to one of them was done to all.
            unread = change is SAME and member.seen is None
            yield (shown if unread and shown is REWRITTEN else change), member

    def _catch_up(self) -> Iterator[tuple[GradientChange, GradientState]]:
        """Take what the representative shows for all that are in the same state now.

        The others were last looked at some steps ago: what changed since then is no news.
        """
        shown = self.representative.look()
        held = self.representative.gradient is not None
        for member in self.members:
            own = member.look() if member is not self.representative else shown
            if own is GONE:
                yield GONE, member
            elif (member.gradient is not None) == held:
                yield shown, member
            else:
                yield VANISHED if held else APPEARED, member

    def part(
        self, members: Iterable[GradientState], owners: frozenset[int] | None = None
    ) -> GradientGroup:
        """Return some members as a group of their own with the same past."""
        part = GradientGroup(list(members), self.owners if owners is None else owners)
        part.fresh, part.spent, part.written = self.fresh, self.spent, self.written
        part.beside = 0 if part.owners else self.beside
        part.synced = self.synced
        if not self.synced:
            part.follow(self.representative)
        return part

    def follow(self, representative: GradientState) -> None:
        """Go on with the member that was looked at last, or with another, seen as it is now."""
        if representative in self.members:
            self.representative = representative
        else:
            self.representative.look()
