"""Replace attributes and closure cells of torch, and put every one of them back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from zerograd.hooks.torch_parts import EVAL_FRAME, find
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType


class Patch(Protocol):
    """Something that can be put in place and taken away again."""

    def install(self) -> None:
        """Put it in place."""

    def remove(self) -> None:
        """Leave torch as it was found."""


@record()
class Absent:
    """What this torch does not have: installing it says so."""

    path: str

    def install(self) -> None:
        """Refuse."""
        raise LookupError(f"this torch has no {self.path}")

    def remove(self) -> None:
        """Nothing was put in place."""


@record()
class Attribute:
    """A module's or class's attribute, wrapped around what was there."""

    owner: Any
    name: str
    wrap: Callable[[Any], Any]
    original: Any = None
    ours: Any = None

    def install(self) -> None:
        """Wrap what is there now, be it torch's own or somebody else's wrapper."""
        self.original = self.owner.__dict__[self.name]
        self.ours = hidden_from_dynamo(self.wrap(self.original))
        setattr(self.owner, self.name, self.ours)

    def renew(self) -> None:
        """Wrap it for those who listen now, unless somebody wrapped us meanwhile."""
        if self.owner.__dict__.get(self.name) is self.ours:
            self.ours = hidden_from_dynamo(self.wrap(self.original))
            setattr(self.owner, self.name, self.ours)

    def remove(self) -> None:
        """Put the original back, unless somebody wrapped us meanwhile: theirs stays, working."""
        if self.owner.__dict__.get(self.name) is self.ours:
            setattr(self.owner, self.name, self.original)


@record()
class ClosureCell:
    """The function inside a decorator's closure.

    Names that a script imported before we came (`from torch.nn.utils import clip_grad_norm_`)
    lead to the same closure, so they are seen too, and nobody is left holding a wrapper of ours.
    """

    decorated: Any
    name: str
    wrap: Callable[[Any], Any]
    original: Any = None

    def install(self) -> None:
        """Wrap the function that the closure calls."""
        cell = self._cell()
        self.original = cell.cell_contents
        cell.cell_contents = hidden_from_dynamo(self.wrap(self.original))

    def remove(self) -> None:
        """Let the closure call the original again."""
        self._cell().cell_contents = self.original

    def _cell(self) -> Any:
        code = getattr(self.decorated, "__code__", None)
        cells = getattr(self.decorated, "__closure__", None)
        if code is None or cells is None or self.name not in code.co_freevars:
            raise LookupError(f"this torch has no {self.name} in the closure of {self.decorated}")
        return cells[code.co_freevars.index(self.name)]


@record()
class Registration:
    """A hook that torch itself lets us register."""

    register: Callable[[Callable[..., Any]], Any]
    current: Callable[[], Callable[..., Any]]
    """Returns the hook for those who listen now."""

    hook: Callable[..., Any] | None = None
    handle: Any = None

    def install(self) -> None:
        """Register it, out of Dynamo's sight."""
        self.hook = self.current()
        self.handle = self.register(hidden_from_dynamo(self.hook))

    def renew(self) -> None:
        """Register the hook for those who listen now, if it is another one."""
        if self.hook != self.current():
            self.remove()
            self.install()

    def remove(self) -> None:
        """Ask torch to forget it."""
        self.handle.remove()


def hidden_from_dynamo(function: Any) -> Any:
    """Mark a function so that `torch.compile` calls it instead of tracing through it.

    `torch._dynamo.disable` sets this very mark, but importing Dynamo costs a second that a script
    without `torch.compile` must not pay. The mark keeps Dynamo from inlining the function; that it
    does not compile the frame by itself, nor any frame below it, is a matter of its code.
    """
    marked = getattr(function, "__func__", function)
    marked._torchdynamo_disable = True  # noqa: SLF001  Dynamo's own mark
    _skip(marked.__code__)
    return function


def _skipping() -> Callable[[CodeType], object]:
    """Return how this torch is told never to compile a frame of some code."""
    action, strategy = find(f"{EVAL_FRAME}._FrameAction"), find(f"{EVAL_FRAME}._FrameExecStrategy")
    tell = find(f"{EVAL_FRAME}.set_code_exec_strategy")
    skip: Callable[[CodeType], object] = find(f"{EVAL_FRAME}.skip_code") or _leave
    if action is not None and strategy is not None and tell is not None:
        never = strategy(action.SKIP, action.SKIP)  # neither the frame nor those below
        skip = partial(_tell_strategy, tell, never)
    try:
        skip(_leave.__code__)
    except Exception:  # a later torch may want to be told otherwise
        return _leave
    return skip


def _tell_strategy(tell: Callable[..., object], never: object, code: CodeType) -> None:
    tell(code, never)


def _leave(code: CodeType) -> None:
    """Do nothing: the mark alone keeps Dynamo from inlining the function."""


_skip = _skipping()
