"""The sentences of each rule: what happened in a watched run, and what to type.

`{at}` is the code on the finding's line; the rest are the readings that the fault carries.
The engine's are in `refusals.py`; lint's stand in its checks, because they name code.
"""

from __future__ import annotations

from typing import NamedTuple


class Words(NamedTuple):
    """One rule's two sentences, each without a full stop."""

    happened: str
    repair: str


WORDS = {
    "missing-zero": Words(
        "`{at}` adds to gradients that a step has already spent{last_clear}",
        "call `zero_grad()` once per step, before the first backward of the next window",
    ),
    "zero-before-step": Words(
        "`{at}` throws the gradients away before the step that should spend them",
        "clear after the step, or before the backward",
    ),
    "zero-inside-window": Words(
        "`{at}` throws away {thrown}",
        "clear once per step, where the step is",
    ),
    "leaked-deposit": Words(
        "`{at}` also spends gradients that another optimizer's backward left behind",
        "clear them before this optimizer's own backward; if both losses should train these "
        "parameters, allow it",
    ),
    "none-grad": Words(
        "`{at}` reads a `.grad` that is None: nothing was deposited yet, or it was cleared",
        "read it after `backward()` and before `zero_grad()`, or test `is not None` first",
    ),
    "zero-outside-closure": Words(
        "`{at}` deposits on top of the closure's previous evaluation",
        "make `optimizer.zero_grad()` the first line of the closure",
    ),
    "unnormalised-window": Words(
        "`{at}` deposits several mean losses before one step, and nothing divides them",
        "divide by the number of micro-batches at the deposit: `(loss / k).backward()`",
    ),
    "unequal-micro-batches": Words(
        "`{at}` gives the same weight to micro-batches that are means over {smallest} to {largest} "
        "items{unmeasured}",
        "divide each micro-batch's sum by the items of the whole window, or give the engine "
        "`items=`; if a mean of means is meant, allow it",
    ),
    "average-in-window": Words(
        "an average of the weights advances at each micro-batch, while the optimizer steps once a "
        "window",
        "update the average where the optimizer steps",
    ),
    "tail-leaks": Words(
        "`{at}` spends what the previous epoch left over together with the next epoch's gradients",
        "step once more after the last batch, or clear there",
    ),
    "tail-dropped": Words(
        "the last window was never spent: `{at}` did not run for it",
        "step once more after the last batch",
    ),
    "wrong-divisor": Words(
        "`{at}` divides by {divisor}, but a window holds {deposits} deposits",
        "divide by the number of deposits in a full window",
    ),
    "window-off-by-one": Words(
        "the first window holds one deposit instead of {deposits}: the test is true at index 0",
        "test `(i + 1) % k == 0`",
    ),
    "low-precision-window": Words(
        "`{at}` sums many deposits in 16 bits",
        "accumulate in float32",
    ),
    "scheduler-in-window": Words(
        "`{at}` advances at each micro-batch while the optimizer steps once a window",
        "step the scheduler where the optimizer steps",
    ),
    "step-without-backward": Words(
        "`{at}` has nothing to spend: no backward has deposited since the last step",
        "call `loss.backward()` before it",
    ),
    "spent-twice": Words(
        "`{at}` spends gradients that were already spent",
        "step once per window, and clear after it",
    ),
    "never-spent": Words(
        "gradients are deposited for this optimizer, and no step ever spends them",
        "call `step()` on it, or do not compute its gradients",
    ),
    "orphan-parameter": Words(
        "{parameters} trained and in no optimizer",
        "give the optimizer these parameters too, or freeze them",
    ),
    "dead-parameter": Words(
        "{parameters} in this optimizer and never reached by a backward",
        "leave them out of the optimizer, or use them in the loss",
    ),
    "stale-optimizer": Words(
        "this optimizer holds tensors that are no longer the model's",
        "build the optimizer after the model has its final parameters",
    ),
    "shared-parameter": Words(
        "the same gradients are spent by two optimizers",
        "give each parameter to one optimizer",
    ),
    "step-without-effect": Words(
        "`{at}` found gradients, and no parameter changed",
        "check the learning rate, and that the optimizer holds the model's parameters",
    ),
    "leaf-replaced": Words(
        "`{at}` makes a new tensor: the name is no longer the leaf that gets gradients",
        "update in place under `torch.no_grad()`",
    ),
    "clip-after-step": Words(
        "`{at}` clips gradients that were already spent",
        "clip between the backward and the step",
    ),
    "clip-before-unscale": Words(
        "`{at}` sees gradients still multiplied by the loss scale",
        "call `scaler.unscale_(optimizer)` first",
    ),
    "clip-before-backward": Words(
        "`{at}` has nothing to clip: it runs before the backward",
        "clip between the backward and the step",
    ),
    "clip-inside-window": Words(
        "`{at}` runs at each micro-batch; a window's sum is not what was clipped",
        "clip once per step, where the step is",
    ),
    "clip-other-parameters": Words(
        "`{at}` clips gradients that no step spends; the step after it spends others, unclipped",
        "clip the parameters of the optimizer that steps next",
    ),
    "scaler-not-updated": Words(
        "`{at}` is not followed by `scaler.update()`",
        "call `scaler.update()` once after the last scaler step",
    ),
    "scaled-step": Words(
        "`{at}` spends gradients whose loss scale does not fit it",
        "step a scaled loss with `scaler.step(optimizer)`, and only a scaled one",
    ),
    "unscaled-twice": Words(
        "`{at}` unscales gradients that are already unscaled",
        "unscale once per step",
    ),
    "never-synced": Words(
        "the micro-batch that closes the window is never reduced over the ranks",
        "reduce with the last micro-batch of a window: leave `no_sync()`, or set the flag, before "
        "its forward",
    ),
    "ranks-diverge": Words(
        "the ranks' values differ from this step on",
        "do on every rank alike what is done between the reduction and the step",
    ),
    "wrapper-bypassed": Words(
        "`{at}` calls the bare module: its wrapper reduces nothing over the ranks",
        "call the DistributedDataParallel wrapper",
    ),
    "sync-each-micro-batch": Words(
        "`{at}` reduces over the ranks at every micro-batch of a window",
        "use `no_sync()` for all but the last",
    ),
    "kept-graph": Words(
        "`{at}` {keeps}",
        "add `loss.item()` or `loss.detach()`; evaluate under `torch.no_grad()`",
    ),
    "backward-without-graph": Words(
        "`{at}` starts from a leaf without a graph: no parameter of the optimizer gets a gradient",
        "compute the loss from the model's outputs; `requires_grad` makes no graph",
    ),
    "backward-twice": Words(
        "`{at}` deposits a loss that already lies in the same window",
        "deposit each loss once",
    ),
    "zero-in-graph": Words(
        "`{at}` clears in place a gradient that still has its graph",
        "use `zero_grad()`, or set `.grad = None`",
    ),
    "unfused-optimizer": Words(
        "this optimizer has a fused kernel and runs without it",
        "pass `fused=True`",
    ),
    "wasted-deposit": Words(
        "`{at}` computes gradients that are cleared unspent",
        "run it under `torch.no_grad()`, or restrict it with `inputs=`",
    ),
}
