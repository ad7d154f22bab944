"""Detect calls of a bare module past its DDP wrapper, while module calls are heard."""

from __future__ import annotations

from threading import get_ident
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import torch

from zerograd.hooks import call_site

if TYPE_CHECKING:
    from torch.nn import Module
    from torch.nn.parallel import DistributedDataParallel

    from zerograd.watch.ranks.wrappers import WatchedWrapper

IN_HOOK = 4
"""Frames of torch's and ours between a call of a module and our method."""


class Bypasses:
    """Knows the parts of every wrapped module, and who calls them from outside."""

    def __init__(self) -> None:
        self._parts: WeakKeyDictionary[Module, WatchedWrapper] = WeakKeyDictionary()
        self._wrappers: WeakKeyDictionary[Module, WatchedWrapper] = WeakKeyDictionary()
        self._inside: dict[int, Module] = {}
        """By thread: the wrapper, or the part of a wrapped module, that is running."""
        self._kinds: dict[type, list[WatchedWrapper]] = {}

    def know(self, module: DistributedDataParallel, wrapper: WatchedWrapper) -> None:
        """Take in a DDP module."""
        self._wrappers[module] = wrapper
        self._kinds.setdefault(type(module.module), []).append(wrapper)
        for part in module.children():
            self._parts.update(dict.fromkeys(part.modules(), wrapper))

    def begun(self, module: Module) -> None:
        """Note who is called, unless it is part of a call that is known already."""
        thread = get_ident()
        if thread in self._inside:
            return
        wrapper = self._parts.get(module)
        if wrapper is not None or module in self._wrappers:
            self._inside[thread] = module
        if torch.is_grad_enabled():
            if wrapper is None:
                self._call_of_another(module)
            elif wrapper.bare_call is None:
                wrapper.bare_call = call_site(IN_HOOK)

    def _call_of_another(self, module: Module) -> None:
        """Note a call of what may be a copy of a wrapped module, trained in its place."""
        for wrapper in self._kinds.get(type(module), ()):
            if wrapper.copy_call is None and not wrapper.ever_called and wrapper.resembles(module):
                wrapper.copy_call = call_site(IN_HOOK + 1)

    def ended(self, module: Module) -> None:
        """Note that a call returned."""
        thread = get_ident()
        if self._inside.get(thread) is module:
            del self._inside[thread]
