"""The sentences of an engine's refusals: what happened, and what to type.

By situation, as `lifecycle/verdicts/refusals.py` lists them with the rule that each one breaks.
`{here}` is the line that was refused, `{before}` the engine's last deposit.
"""

from __future__ import annotations

from zerograd.rules.wording import Words

SAME_CALLS = (
    "let all ranks make the same calls: break, flush() and step() at the same micro-batch, and as "
    "many micro-batches; draw from gradients.batches(loader)"
)

REFUSALS = {
    "step-in-window": Words(
        "{kind}.step() spends an open window of this optimizer's engine at {here}{before}",
        "let the engine step: gradients.step()",
    ),
    "step-of-another": Words(
        "{kind}.step() moves {parameter}, whose engine has an open window at {here}{before}",
        "give both optimizers to one engine: zerograd.Gradients([first, second])",
    ),
    "weights-written-in-window": Words(
        "{parameter} was written in mid-window, so that its deposits belong to different weights, "
        "noticed at {here}{before}",
        "write weights between windows, or call gradients.discard() first",
    ),
    "second-backward-in-step": Words(
        "step_in_backward=True has stepped already when a backward returns, so a micro-batch has "
        "one, without create_graph",
        "write step_in_backward=False",
    ),
    "clear-in-window": Words(
        "zero_grad() throws away {deposits} of an open window at {here}{before}",
        "remove it, the engine clears; gradients.discard() drops a window",
    ),
    "grad-cleared-in-window": Words(
        ".grad of {parameter} was cleared in mid-window, noticed at {here}{before}",
        "gradients.discard() drops a window",
    ),
    "parameter-left-in-window": Words(
        "a parameter of {kinds} was taken out or replaced in mid-window, and what it had gathered "
        "is lost with it",
        "do that between windows, or call gradients.discard() first (last deposit: {last})",
    ),
    "closure-in-window": Words(
        "step(closure) would clear an open window, deposited at {last}",
        "call gradients.discard() first",
    ),
    "clip-in-window": Words(
        "a clip changes {deposits} of an open window at {here}{before}",
        "pass clip_norm= to Gradients: it clips once, the whole window",
    ),
    "backward-in-window": Words(
        "a backward that is not the engine's deposited into {parameter} at {here}{before}",
        "call gradients.backward(loss), or gradients.discard() first; for the gradient of "
        "an input write torch.autograd.grad(loss, inputs)",
    ),
    "grad-written-in-window": Words(
        ".grad of {parameter} was written in mid-window, noticed at {here}{before}",
        "write gradients in transform=, which sees the finished sum",
    ),
    "sum-out-of-reach": Words(
        "FSDP2 keeps the sum of an open window on private tensors, which no state_dict() holds",
        "save after a step, or pass sync='micro-batch'",
    ),
    "unscale": Words(
        "the scale would be divided out twice, by the engine and by scaler.unscale_() at "
        "{here}{before}",
        "remove it, the engine unscales; clip_norm= and transform= of Gradients see "
        "unscaled gradients",
    ),
    "scaler-update": Words(
        "scaler.update() changes the scale of an engine's deposits at {here}{before}",
        "remove it, the engine updates its scaler when a window closes; "
        "scaler.update(new_scale) may be called between windows",
    ),
    "step-between-windows": Words(
        "{kind}.step() finds nothing, since its engine has stepped and cleared at {here}{before}",
        "remove it, gradients.backward() steps",
    ),
    "nothing-to-spend": Words(
        "{call} has nothing to spend since the last window closed",
        "call gradients.backward(loss) first",
    ),
    "closure-without-backward": Words(
        "the closure deposited nothing", "call gradients.backward(loss) in it"
    ),
    "closure-not-evaluated": Words(
        "the optimizer never evaluated its closure",
        "call gradients.backward(loss) and gradients.step() instead of step(closure)",
    ),
    "clip-between-windows": Words(
        "the engine has stepped and cleared, so there is nothing left to clip at {here}{before}",
        "remove it and pass clip_norm= to Gradients, which clips before it steps",
    ),
    "backward-between-windows": Words(
        "loss.backward() deposited into {parameter}, and its engine, which had no deposit in all "
        "these batches, stepped nothing, noticed at {here}{before}",
        "write gradients.backward(loss) instead of loss.backward()",
    ),
    "grad-written-between-windows": Words(
        ".grad of {parameter} was written by hand before this window began, and the window would "
        "spend it",
        'write gradients in transform=, or allow it: with zerograd.allow("leaked-deposit")',
    ),
    "loss-without-graph": Words(
        "this loss has no graph", "compute it outside no_grad() and without detach() or item()"
    ),
    "loss-divided": Words(
        "this loss is a mean that is divided by {accumulate}, and the engine divides by "
        "accumulate={accumulate} as well",
        "pass the bare loss: gradients.backward(loss)",
    ),
    "loss-of-another-reduction": Words(
        "this loss is a {actual}, and the engine was told that it is a {reduction}",
        "write Gradients(..., reduction={actual!r})",
    ),
    "accumulate-in-window": Words(
        "accumulate cannot change {shortfall}",
        "call gradients.step() or gradients.discard() first",
    ),
    "loss-scaled-twice": Words(
        "this loss is scaled already, and the engine scales it again",
        "pass it bare: gradients.backward(loss)",
    ),
    "loss-scaled-by-another": Words(
        "this loss was scaled by a scaler that its engine does not have, and the scale would be "
        "spent",
        "write zerograd.Gradients(optimizer, scaler=scaler) and gradients.backward(loss)",
    ),
    "loss-reaches-nothing": Words(
        "the loss does not reach this optimizer: its backward deposited nothing into {parameters}",
        "compute the loss from the model that {kind} was built over, without detach()",
    ),
    "loss-reaches-a-part": Words(
        "the micro-batch that closes this window gave some parameters no gradient, so that DDP "
        "did not reduce them",
        "pass find_unused_parameters=True to DistributedDataParallel",
    ),
    "two-optimizers": Words(
        "two optimizers of this engine hold the same parameter, and both would spend its gradient",
        "give each parameter to one of them",
    ),
    "twice-in-an-optimizer": Words(
        "{kind} holds one parameter twice, as tied weights that were listed by their modules, and "
        "each of its steps would move it twice",
        "list each parameter once: model.parameters() does",
    ),
    "two-engines": Words(
        "{parameter} already belongs to another engine",
        "give both optimizers to one: zerograd.Gradients([first, second])",
    ),
    "another-engine-is-open": Words(
        "{parameter} belongs to another engine whose window is open, last deposited at {last}",
        "call flush() or discard() of that one first, or give both optimizers to one: "
        "zerograd.Gradients([first, second])",
    ),
    "another-engine-followed": Words(
        "a later engine over the same parameters took this one's place",
        "use the later one, or give both optimizers to one: zerograd.Gradients([first, second])",
    ),
    "tail": Words(
        "the data ended {shortfall}, and tail='error'",
        "pass tail='step', 'carry' or 'drop', or a loader with drop_last=True",
    ),
    "tail-ahead": Words(
        "{batches} batches end {rest} of {accumulate} micro-batches into a window, and "
        "tail='error'",
        "pass tail='step', 'carry' or 'drop', or a loader with drop_last=True",
    ),
    "tail-of-ranks": Words(
        "the ranks have {batches} batches, which end up to {rest:g} of {accumulate} micro-batches "
        "into a window, and tail='error'",
        "pass tail='step', 'carry' or 'drop', or a loader with drop_last=True",
    ),
    "tail-of-another-engine": Words(
        "an engine over {kinds} deposited inside this batches() without being named, and its last "
        "window stays open",
        "write zerograd.batches(loader, first, second)",
    ),
    "model-bypassed": Words(
        "this loss closes a window over ranks and did not come through the DDP model since the "
        "last one, so that nothing would reduce it",
        "call the model that you passed as model=, once for each micro-batch, not its .module",
    ),
    "closes-unreduced": Words(
        "this window of {micro_batches} micro-batches closes after a backward that FSDP2 was told "
        "not to reduce, and it reduces inside backwards only",
        "draw from gradients.batches(loader), call gradients.discard() first, or pass "
        "sync='micro-batch'",
    ),
    "ranks-hold-others": Words(
        "rank {rank} holds other gradients than rank 0 after their first reduction: DDP hears of "
        "no gradient of parameters that were moved, cast or replaced after wrapping",
        "wrap the model when it is where it will be",
    ),
    "ranks-reduce-apart": Words(
        "{flags:g} of {size} ranks close this window without a reduction in their last backward, "
        "and the others with one",
        "let all ranks make the same calls: step(), flush() and break at the same micro-batch, "
        "and loaders as long as they say",
    ),
    "ranks-count-apart": Words(
        "{stating:g} of {size} ranks give items= to their first deposit and the others do not, so "
        "that there is no count of all items",
        "give items= on all ranks or none",
    ),
    "ranks-call-apart": Words("{few} where {many}", SAME_CALLS),
    "ranks-call-in-several-ways": Words(
        "this rank {occasion}, and the others make calls of several other kinds", SAME_CALLS
    ),
    "rank-without-answer": Words(
        "this rank {occasion}, and another does not answer: it raised, was killed or has fewer "
        "windows",
        SAME_CALLS + " (torch says: {why})",
    ),
    "ranks-elsewhere": Words(
        "the ranks {how}, and must train in step",
        "let all ranks load checkpoints of one moment, and make the same calls",
    ),
}
