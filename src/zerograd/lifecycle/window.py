"""A window: what happened to one optimizer's accounts since its last step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Hashable

    from zerograd.lifecycle.account import Lot
    from zerograd.lifecycle.events import Backward, Clear, Clip, Place, Source, UnequalMeans


@record(frozen=True)
class ClipOfOthers:
    """A clip of this optimizer's parameters, right before another one's step."""

    place: Place
    step: Place
    """The step, which spent its own deposits unclipped."""

    touched_fresh: bool


@record()
class Window:
    """Counters of one open window; its size does not grow with its length."""

    made: int = 0
    """Backwards that reached the optimizer."""

    sources: set[Source] = field(default_factory=set)
    """Where they came from."""

    lying: dict[Source, Backward] = field(default_factory=dict)
    """The oldest deposit of each source that still lies fresh, in order of age."""

    newest: Backward | None = None
    elsewhere: bool = False
    """A backward or write happened that reached none of the optimizer's parameters."""

    written: bool = False
    by_hand: bool = False
    """Something wrote into the gradients themselves; a factor in the loss does not."""

    unequal: UnequalMeans | None = None
    """The deposits are means over different numbers of items."""

    zeros_given: bool = False
    """Tensors of zeros were assigned to gradients: an optimizer is to step on them."""

    used: bool = False
    spent_elsewhere: bool = False
    """Another optimizer spent a deposit that lay in these accounts."""

    followers: dict[Source, set[Hashable]] = field(default_factory=dict)
    """Which other optimizers spent the same backwards."""

    singly: bool = False
    """Another optimizer spends one of these deposits at a time."""

    thrown: int = 0
    """Clears that threw fresh deposits away."""

    thrown_by: Clear | None = None
    """The last of them."""

    thrown_spent: bool = False
    """What was thrown away came from a backward that another optimizer had spent by then."""

    thrown_mixed: bool = False
    """What was thrown away lay on what the step before had spent: nothing else clears here."""

    one_line: bool = True
    """All of them are on one line."""

    wasted: dict[Source, Backward] = field(default_factory=dict)
    """The sources whose deposits were thrown away."""

    clipped: int = 0
    """Micro-batches after which fresh deposits were clipped or unscaled."""

    clip: Place | None = None
    """The last of those clips."""

    clip_is_new: bool = False
    """Something was clipped since the last deposit."""

    fresh_clips: set[Place] = field(default_factory=set)
    """The clips of what lies fresh; none once all of it is cleared."""

    newest_clip: Clip | None = None
    """The last clip of its parameters, unless a backward of anybody has come after it."""

    clip_of_others: ClipOfOthers | None = None
    idle_clip: Clip | None = None
    """A clip that touched nothing fresh."""

    idle_clip_was_late: bool = False
    """It touched deposits that a step had spent."""

    scaled_clip: Clip | None = None
    """A clip that touched deposits under a loss scale."""

    scheduler_steps: int = 0
    scheduler: Place | None = None
    planned: bool = False
    """That scheduler's schedule seems to be counted in micro-batches."""

    spans: Place | None = None
    """Where the feed started again in mid-window."""

    again: Backward | None = None
    """A backward through a root that already lay here."""

    def deposit(self, event: Backward) -> None:
        """Book a backward that reached the optimizer."""
        self.made += 1
        self.sources.add(event.source)
        self.lying.setdefault(event.source, event)
        self.newest = event
        self.clip_is_new = False

    def throw_away(self, event: Clear, lots: dict[Source, Lot]) -> None:
        """Book a clear that took fresh deposits away."""
        self.one_line &= self.thrown_by is None or self.thrown_by.place == event.place
        self.thrown += 1
        self.thrown_spent |= any(map(self.followers.get, lots))
        self.thrown_by = event
        self.wasted.update((source, lot.newest) for source, lot in lots.items())
        self.scaled_clip = None
        self.again = None

    def clip_fresh(self, place: Place) -> None:
        """Book a clip or an unscale of what lies fresh, once a micro-batch."""
        if not self.clip_is_new:
            self.clipped += 1
        self.clip = place
        self.clip_is_new = True


@record(frozen=True)
class Content:
    """What lies fresh in an optimizer's accounts at a step."""

    count: int = 0
    """Deposits of the one source, in the account that holds most; 0 when there are several."""

    source: Source = None
    lot: Lot | None = None
