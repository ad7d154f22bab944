"""Detect passes over a loader that deposit nothing and keep every graph.

A validation without `no_grad` that adds up its losses is one. No backward tells of such graphs, so
the outputs of models are marked as the losses of deposits are: a mark in a node's metadata lives
exactly as long as the node. Calls of modules are listened to only while batches are drawn in a row,
with gradients on, and nothing is deposited between them.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any
from weakref import ref

import torch

from zerograd.lifecycle import Fault
from zerograd.lifecycle.verdicts.graph import kept_graph
from zerograd.source.sums import first_keeper
from zerograd.watch.observe.loss_graph import function_of, nodes
from zerograd.watch.observe.loss_roots import SEARCHED, NodeMark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from zerograd.source.lines import CallSite
    from zerograd.watch.observe.module_calls import ModuleCalls

MARK = "zerograd.evaluated"

ALIVE = 12
"""So many outputs running are alive where all are kept."""

PASSES = 12
"""Passes that are followed: listening to modules costs at every call."""


class KeptEvaluations:
    """Follows what models return in passes in which nothing is deposited."""

    def __init__(self, modules: ModuleCalls, previewed: Callable[[torch.nn.Module], None]) -> None:
        self._modules = modules
        self._previewed = previewed
        """Told which module was called without gradients in such a pass."""
        self._passes = PASSES
        """So many more are followed."""
        self._following = False
        self._made: deque[tuple[ref[NodeMark], CallSite]] = deque(maxlen=ALIVE)
        self._suspects: list[tuple[ref[NodeMark], CallSite]] = []
        """Outputs that were all kept; a backward may still come and use them."""

    def follows(self, draws: int) -> bool:
        """Whether somebody has to hear of a batch, the so-manieth without a deposit."""
        return self._following or (draws > 1 and self._passes > 0 and torch.is_grad_enabled())

    def drawn(self, draws: int) -> None:
        """Note a batch: from the second without a deposit on, it is a pass that is followed."""
        if not self._following and self.follows(draws):
            self._following = True
            self._passes -= 1
            self._modules.returned = self._mark
            self._modules.listen()
        alive = [(mark, place) for mark, place in self._made if mark() is not None]
        if len(alive) == ALIVE:
            self._suspects = alive

    def deposit(self, roots: Iterable[Any]) -> Fault | None:
        """Note a backward, which ends a pass; return the fault if it used nothing of it."""
        if not self._following:
            return None
        self._following = False
        self._modules.returned = None
        self.differentiated(roots)
        return self.close()

    def differentiated(self, roots: Iterable[Any]) -> None:
        """Clear of suspicion what a backward or `torch.autograd.grad` uses.

        A large batch in pieces, or a gradient of the loss over a whole loader: they are drawn
        first, and differentiated together.
        """
        if not self._made:
            return
        used = _marks(roots)
        if any(mark() in used for mark, _ in self._suspects if mark() is not None):
            self._suspects, self._passes = [], 0
        # The last output of a pass may be that of the first batch that is trained on again.
        kept = [(mark, place) for mark, place in self._made if mark() not in used]
        self._made = deque(kept, maxlen=ALIVE)

    def close(self) -> Fault | None:
        """Return the fault of the last pass, if it is one."""
        suspects, self._suspects = self._suspects, []
        verdict = kept_graph(graphs_stay_alive=bool(suspects))
        if verdict is None:
            return None
        self._passes = 0  # said once
        return Fault.of(verdict, first_keeper(suspects[-1][1]), evaluated=True)

    def _mark(self, module: torch.nn.Module, output: Any, place: CallSite) -> None:
        if not torch.is_grad_enabled():
            self._previewed(module)
            return
        function = next((f for one in _tensors(output) if (f := function_of(one))), None)
        if function is not None:
            mark = function.metadata.setdefault(MARK, NodeMark())
            self._made.append((ref(mark), place))


def _marks(roots: Iterable[Any]) -> set[NodeMark]:
    """Return the marks of the outputs that a backward uses."""
    found = (node.metadata.get(MARK) for node in nodes(roots, SEARCHED))
    return {mark for mark in found if mark is not None}


def _tensors(output: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors that a model returned, also in a tuple, a list or a dict."""
    if isinstance(output, torch.Tensor):
        yield output
    elif type(output) in (tuple, list):
        for one in output:
            yield from _tensors(one)
    elif isinstance(output, dict):
        for one in dict.values(output):
            yield from _tensors(one)
