"""An engine's books: what it owns, and what it has done so far."""

from __future__ import annotations

from threading import RLock, get_ident
from typing import TYPE_CHECKING, Any

from zerograd.engine.resume.progress import Progress
from zerograd.engine.window import Window
from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor
    from torch.amp import GradScaler

    from zerograd.engine.accounts import Accounts
    from zerograd.engine.clear import Clearing
    from zerograd.engine.precision import Widening


@record()
class Moves:
    """How often something was done that any engine may have to know of."""

    foreign: int = 0
    """Backwards and clears that are no engine's."""

    deposits: int = 0
    """Backwards of engines."""

    steps: int = 0
    """Steps of optimizers that are no engine's."""


moves = Moves()


class Losses:
    """The mean loss of one evaluation of a closure, weighted as its gradients are."""

    def __init__(self) -> None:
        self.total: Tensor | float = 0.0

    def add(self, loss: Tensor, weight: float) -> None:
        """Add a micro-batch's loss."""
        self.total = self.total + loss.detach() * weight

    def rescale(self, factor: float) -> None:
        """Follow the window's reference."""
        self.total = self.total * factor


@record(eq=False)
class EngineBooks:
    """What an engine owns and what it has done so far."""

    accounts: Accounts
    clearing: Clearing
    widening: Widening | None = None
    scaler: GradScaler | None = None
    window: Window = field(default_factory=Window)
    acting: bool = False
    """The engine itself is at work: what torch does now is its doing."""

    excused: bool = False
    """A move of others was allowed in this window: its accounts need not be as they were left."""

    ended: str | None = None
    """Why it is not to be used any more: a sentence, or a situation that is refused."""

    accumulate: int | None = 1
    """How many micro-batches close a window; None when it is closed by hand."""

    progress: Progress = field(default_factory=Progress)
    """Where it stands in its data."""

    losses: Losses | None = None
    """Collects while a closure is evaluated."""

    set_aside: Callable[[EngineBooks], Callable[[], None]] | None = None
    """Takes sums that `.grad` alone does not hold out of reach, and returns what puts them back."""

    thread: int = field(default_factory=get_ident)
    """The thread of its last call, or that built it."""

    lock: Any = field(default_factory=RLock)
    """Held during its calls, and while another engine's backward has set its accounts aside."""

    is_aside: bool = False
    """Another engine's backward has set its accounts aside, and puts them back when it returns."""

    reaches: list[EngineBooks] | None = None
    """The engines whose accounts its backwards deposit into; None until that is known."""

    _foreign: int = -1
    _deposits: int = -1

    @property
    def touched(self) -> bool:
        """Whether a foreign backward or clear has run since the engine's last deposit."""
        return self._foreign != moves.foreign

    @property
    def passed(self) -> bool:
        """Whether another engine has deposited since this engine's last deposit."""
        return self._deposits != moves.deposits

    def deposited(self) -> None:
        """Count a deposit: what others did before it is settled."""
        window = self.window
        if not window.deposits:
            opened[id(self)] = self
        window.deposits += 1
        self._deposits = moves.deposits = moves.deposits + 1
        self._foreign = moves.foreign

    def clear(self) -> None:
        """Empty the accounts."""
        if self.widening is not None:
            self.widening.empty(self.accounts.parameters)
        self.clearing.clear(self.accounts.parameters)

    def throw_away(self) -> None:
        """Empty the accounts and begin the next window."""
        self.clear()
        self.window.close()
        opened.pop(id(self), None)

    def release(self) -> None:
        """Leave the parameters as the engine found them."""
        self.clearing.release(self.accounts.parameters)
        if self.widening is not None:
            self.widening.release(self.accounts.parameters)
        opened.pop(id(self), None)


opened: dict[int, EngineBooks] = {}
"""The books whose open window holds deposits, by their own id."""
