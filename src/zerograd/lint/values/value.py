"""What an expression stands for: a kind, an identity that survives renaming, its making."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from zerograd.record import field, record, replace

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

    from zerograd.lint.program.module import Class, Function

Key = tuple[str, ...]


BARE_TENSOR = "tensor"
"""The first part of the key of a tensor that is no parameter."""


class ValueKind(Enum):
    """What lint needs to tell apart."""

    OPTIMIZER = auto()
    OPTIMIZERS = auto()
    """A list, tuple or dict of optimizers."""

    SCHEDULER = auto()
    SCALER = auto()
    DRIVER = auto()
    """An Accelerator or Fabric."""

    ENGINE = auto()
    """Has `backward(loss)` and `step()`: owns its accounts."""

    MODULE = auto()
    LEAF = auto()
    """A tensor that was made to require its gradient."""

    PARAMETER = auto()
    """One or each of a set of parameters, as a loop variable names them."""

    LOADER = auto()
    INSTANCE = auto()
    FUNCTION = auto()
    CLASS = auto()
    CONSTANT = auto()
    TUPLE = auto()
    OTHER = auto()


@record(frozen=True, eq=False)
class Value:
    """One object of the program, as far as the source shows it."""

    kind: ValueKind
    key: Key = ()
    """Equal for the same object; the beginning of a module's key is the module that holds it."""

    maker: str | None = None
    """The dotted name of the class or function that built it."""

    site: ast.Call | None = None
    """The call that built it."""

    frame: CallFrame | None = None
    """Where that call stands."""

    sure: bool = False
    """Built or annotated so, not merely named so."""

    named: bool = False
    """Has an identity of its own; otherwise the first name it is given becomes it."""

    parts: tuple[Value, ...] = ()
    target: Function | Class | None = None
    constant: object = None
    wraps: Value | None = None
    """What a DDP-like wrapper was put around."""

    remade: bool = False
    """Its name takes another optimizer later on, over other parameters."""

    keys: tuple[object, ...] = ()
    """What a dict's parts are found by, where all its keys are constants."""

    def called(self, key: Key) -> Value:
        """Return the same object under its name."""
        if self.kind is ValueKind.LEAF and not (self.maker or "").endswith("Parameter"):
            # A bare tensor kept by a module is none of the module's parameters.
            key = (BARE_TENSOR, *key)
        return replace(self, key=key, named=True)


@record(eq=False)
class CallFrame:
    """A function with what its parameters stand for at one call."""

    function: Function
    arguments: dict[str, tuple[ast.expr, CallFrame]] = field(default_factory=dict)
    receiver: Value | None = None
    """What `self` is."""

    outer: CallFrame | None = None
    """The frame of the function around a nested one."""

    caller: CallFrame | None = None
    call: ast.Call | None = None
    depth: int = 0
    cut: bool = False
    """Something that it calls is running further out, and was not entered for that."""

    elements: dict[str, Value] = field(default_factory=dict)
    """Loop variables that stand for every element of a set."""

    known: dict[int, Value | None] = field(default_factory=dict)
    resolved: dict[object, object] = field(default_factory=dict)
    """What other questions about this frame's syntax were answered with, by node."""

    @property
    def path(self) -> str:
        """An identity for the names that this frame binds."""
        function = self.function
        base = f"{function.module.path}:{function.name}"
        if self.call is None:
            return base
        # The whole chain: one call in a helper opens another frame for each call of the helper.
        chain = "/".join(f"{call.lineno}.{call.col_offset}" for call, _ in self.calls())
        return f"{base}@{chain}.{self.depth}"

    def release(self) -> None:
        """Forget all answers: they lead back here, and garbage in circles is slow to collect."""
        todo = [self]
        while todo:
            frame = todo.pop()
            todo += [item for item in frame.resolved.values() if isinstance(item, CallFrame)]
            frame.known.clear()
            frame.resolved.clear()
            for _, home in frame.arguments.values():
                # The frame in which defaults are looked up: only this one refers to it.
                if home.call is None and home.function is frame.function:
                    home.known.clear()
                    home.resolved.clear()

    def calls(self) -> list[tuple[ast.Call, CallFrame]]:
        """Return the calls that led here, innermost first, with the frames they stand in."""
        chain: list[tuple[ast.Call, CallFrame]] = []
        frame: CallFrame | None = self
        while frame is not None and frame.call is not None and frame.caller is not None:
            chain.append((frame.call, frame.caller))
            frame = frame.caller
        return chain


def constant(value: object) -> Value:
    """Return a literal."""
    return Value(ValueKind.CONSTANT, constant=value, named=True)


def several(values: Iterable[Value]) -> bool:
    """Tell whether these are optimizers with identities of their own: it may be any."""
    found = list(values)
    return len({value.key for value in found}) > 1 and all(
        value.kind is ValueKind.OPTIMIZER and value.named for value in found
    )
