"""Record which modules are called, and in what order their parts run.

Module hooks cost at every call of every part, so they are installed only for the first calls and
for a few more at doubling intervals.
"""

from __future__ import annotations

from functools import wraps
from threading import get_ident
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)

from zerograd.hooks import call_site, guarded
from zerograd.hooks.patch_kinds import Attribute
from zerograd.lifecycle import Called
from zerograd.watch.gradients.recently_used import RecentlyUsed
from zerograd.watch.gradients.registry import shapes_of
from zerograd.watch.ranks.shards import is_sharded

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.nn import Module, Parameter

    from zerograd.hooks.guard import Failed
    from zerograd.source.lines import CallSite
    from zerograd.watch.observe.event_poster import EventPoster

LISTENED = 8
"""Backwards for which calls are listened to, each time."""


class ModuleCalls:
    """Listens to calls of modules for a while, now and then."""

    def __init__(self, poster: EventPoster, failed: Failed) -> None:
        self.poster = poster
        self._call_begins = guarded(self._begin, failed)
        self._call_ends = guarded(self._end, failed)
        self._give_up = guarded(self._stop_for_good, failed)
        self._handles: list[Any] = []
        self._outermost: dict[int, Module] = {}
        # Sorted tuples: a set of two numbers takes four times the room.
        self._leaves: dict[int, dict[tuple[int, ...], None]] = {}
        self._posted: RecentlyUsed[int, tuple[Any, ...]] = RecentlyUsed()
        self._until = LISTENED
        self._again = 4 * LISTENED
        self._compiles = Attribute(torch, "compile", self._giving_up)
        self._given_up = False
        self.begun: Callable[[Module], None] = _nobody_asks
        """Told of every call of a module while we listen."""
        self.ended: Callable[[Module], None] = _nobody_asks
        self.returned: Callable[[Module, Any, CallSite], None] | None = None
        """Told what an outermost call returned, and to which line."""

    @property
    def listening(self) -> bool:
        """Whether calls of modules are heard at the moment."""
        return bool(self._handles)

    def listen(self) -> None:
        """Begin to listen."""
        if not self._handles and not self._given_up:
            self._handles.append(register_module_forward_pre_hook(self._begins))
            self._handles.append(register_module_forward_hook(self._ends, always_call=True))
            self._compiles.install()

    def stop(self) -> None:
        """Stop listening."""
        handles, self._handles = self._handles, []
        for handle in handles:
            handle.remove()
        if handles:
            self._compiles.remove()

    def _giving_up(self, original: Any) -> Any:
        """Wrap `torch.compile`: a compiled module warns its user of hooks like ours."""

        @wraps(original)
        def compile_(*args: Any, **kwargs: Any) -> Any:
            self._give_up()
            return original(*args, **kwargs)

        return compile_

    def _stop_for_good(self) -> None:
        self._given_up = True
        self.stop()

    def count(self, backwards: int) -> None:
        """Listen, or not, as the run goes on."""
        if self.listening and backwards >= self._until:
            self.stop()
        elif backwards >= self._again:
            self._until, self._again = self._again + LISTENED, 2 * self._again
            self.listen()

    def relisten(self, backwards: int) -> None:
        """Listen again now: something about the optimizers is new."""
        self._until = max(self._until, backwards + LISTENED)
        self.listen()

    # Dynamo and `torch.jit.trace` trace through module hooks: under them they must do nothing at
    # all, not even read an attribute, which a trace records.
    def _begins(self, module: Module, inputs: Any) -> None:
        del inputs
        if not (torch.compiler.is_compiling() or _is_traced()):
            self._call_begins(module)

    def _ends(self, module: Module, inputs: Any, output: Any) -> None:
        del inputs
        if not (torch.compiler.is_compiling() or _is_traced()):
            self._call_ends(module, output)

    def _begin(self, module: Module) -> None:
        self.begun(module)
        thread = get_ident()
        if thread not in self._outermost:
            self._outermost[thread] = module
            # While it runs, FSDP2 shows whole parameters instead of the shards that it trains.
            shards = [p for p in module.parameters() if is_sharded(p)]
            with self.poster.lock:
                self._leaves[thread] = {self._numbers(shards): None} if shards else {}
        own = [p for p in module._parameters.values() if p is not None]  # noqa: SLF001  a copy-free look
        if own:
            with self.poster.lock:
                self._leaves[thread][self._numbers(own)] = None

    def _numbers(self, parameters: list[Parameter]) -> tuple[int, ...]:
        return tuple(sorted(self.poster.registry.admit(parameters)))

    def _end(self, module: Module, output: Any) -> None:
        self.ended(module)
        thread = get_ident()
        if self._outermost.get(thread) is module:
            del self._outermost[thread]
            self._post(module, tuple(self._leaves.pop(thread)))
            if self.returned is not None:
                place = call_site(2)
                with self.poster.lock:
                    self.returned(module, output, place)

    def _post(self, module: Module, leaves: tuple[tuple[int, ...], ...]) -> None:
        number = self.poster.registry.modules.of(module)
        if leaves and self._posted.get(number) != leaves:
            self._posted[number] = leaves
            shapes = shapes_of(module.parameters())
            place = call_site(3)
            with self.poster.lock:
                self.poster.post(Called(place, number, leaves, shapes=shapes))


def _is_traced() -> bool:
    """Whether `torch.jit.trace` is writing down what happens."""
    return bool(torch.jit.is_tracing())  # type: ignore[attr-defined, no-untyped-call]


def _nobody_asks(module: Module) -> None:
    """Do nothing."""
