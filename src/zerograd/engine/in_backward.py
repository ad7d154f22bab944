"""Stepping in the backward: each parameter is stepped when its gradient is complete, and freed.

It saves one set of gradients less the largest, and costs a call of `step` per parameter: 1.7x
on a tiny MLP, 1.02x where the layers are large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from zerograd.engine.deposit import unreached
from zerograd.engine.engine_index import at_work, living
from zerograd.engine.loss_checks import refuse_reentrant
from zerograd.engine.norms import clamp
from zerograd.engine.refusals import refused
from zerograd.engine.set_aside import SetAside, recover
from zerograd.engine.step import Step
from zerograd.engine.weights import weighted
from zerograd.hooks import own_backward

if TYPE_CHECKING:
    from torch import Tensor
    from torch.optim import Optimizer

    from zerograd.engine.books import EngineBooks
    from zerograd.engine.options import EngineOptions
    from zerograd.engine.weights import Weight


class InBackward:
    """Deposits and spends at once, parameter by parameter."""

    raising = None
    shows = False

    def __init__(self, books: EngineBooks, options: EngineOptions) -> None:
        self._books = books
        self._limit = options.clip_value
        self._only_own = options.only_own
        self._stepped: set[int] = set()
        self.skipped: int | Tensor = 0
        self._graph_known = False
        self._aside: SetAside | None = None

    def begin(self) -> None:
        """Make sure that every gradient is this backward's own."""
        self._books.clearing.clear(self._books.accounts.parameters)
        self._stepped.clear()

    def add(
        self, loss: Tensor, weight: Weight, retain_graph: bool | None, create_graph: bool
    ) -> None:
        """Run the backward with a hook on every parameter that has one to step."""
        books = self._books
        if create_graph or books.window.deposits:
            raise refused("second-backward-in-step")
        if not self._graph_known:
            refuse_reentrant(loss, "step_in_backward=True")
            self._graph_known = True
        before, after = weight
        seed = torch.full_like(loss, before)
        handles = self._hook()
        aside = SetAside(books) if len(living) > 1 and not self._only_own else None
        thread = books.thread
        outer = at_work.get(thread)
        try:
            books.acting = True
            at_work[thread] = books
            if aside is not None:
                self._aside = aside
                aside.take()
            with weighted(books.accounts.parameters, after):
                own_backward(loss, seed, retain_graph, create_graph, self._inputs())
        finally:
            books.acting = False
            if outer is None:
                at_work.pop(thread, None)
            else:
                at_work[thread] = outer
            for handle in handles:
                handle.remove()
            if aside is not None:
                aside.put_back()
                self._aside = None
        books.deposited()

    def recover(self) -> None:
        """Put back what a backward has set aside and an interrupt has kept there."""
        recover(self._books, self._aside)
        self._aside = None

    def _inputs(self) -> list[Tensor]:
        if not self._only_own:
            return []
        return [p for p in self._books.accounts.parameters if p.requires_grad]

    def _hook(self) -> list[Any]:
        handles = []
        for optimizer in self._books.accounts.optimizers:
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if parameter.requires_grad:
                        hook = self._stepping(optimizer, group)
                        handles.append(parameter.register_post_accumulate_grad_hook(hook))
        return handles

    def _stepping(self, optimizer: Optimizer, group: dict[str, Any]) -> Any:
        def step(parameter: Tensor) -> None:
            if self._limit is not None and parameter.grad is not None:
                clamp([parameter.grad], self._limit)
            # The groups are swapped, not the optimizer: its state stays what state_dict() saves,
            # and what a step writes into its group is kept.
            groups, members = optimizer.param_groups, group["params"]
            optimizer.param_groups, group["params"] = [group], [parameter]
            try:
                optimizer.step()
            finally:
                optimizer.param_groups, group["params"] = groups, members
            parameter.grad = None
            self._stepped.add(id(parameter))

        return step

    def spend(self, index: int) -> Step:
        """Report the window; its parameters are stepped already."""
        window = self._books.window
        step = Step(index, window.micro_batches, window.stated_items)
        if window.is_empty:
            step.skip()
            self.skipped += 1
        elif not self._stepped:
            raise unreached(self._books)
        return step
