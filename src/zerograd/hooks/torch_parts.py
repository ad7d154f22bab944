"""What this torch has of the parts that we use, and what it costs where one is missing.

Torch promises little of what a watcher and an engine need, and moves it from version to version.
So every private part that we touch is a row of `PARTS`, and is looked for, never deduced from a
version. A missing part costs what its row says and nothing else:

    instead     we do the same in another way: nothing is lost
    rules       `watch` neither accuses nor acquits by these; the report's last line names them
    feature     the engine refuses this feature in one sentence

    torch 2.8 has no LRScheduler._update_lr   -> its `_enable_get_lr_call.__exit__` is heard instead
    no torch before 2.10 has Tensor.grad_dtype -> Gradients(accumulate_dtype=...) refuses
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Final

import torch

from zerograd.errors import ArgumentError
from zerograd.record import record

SCALING: Final = ("clip-before-unscale", "scaled-step", "scaler-not-updated", "unscaled-twice")
CLIPPING: Final = (
    "clip-after-step",
    "clip-before-backward",
    "clip-before-unscale",
    "clip-inside-window",
    "clip-other-parameters",
)
RANKS: Final = ("never-synced", "ranks-diverge", "sync-each-micro-batch", "wrapper-bypassed")
EPOCHS: Final = ("scheduler-in-window", "tail-dropped", "tail-leaks", "window-off-by-one")
OWNERSHIP: Final = (
    "never-spent",
    "orphan-parameter",
    "shared-parameter",
    "stale-optimizer",
    "unfused-optimizer",
)
EVERY: Final = tuple(
    sorted(
        {
            *("average-in-window", "unequal-micro-batches"),
            *("backward-twice", "backward-without-graph", *CLIPPING),
            *("dead-parameter", "kept-graph"),
            *(
                "leaf-replaced",
                "leaked-deposit",
                "low-precision-window",
                "missing-zero",
                "never-spent",
            ),
            *("never-synced", "none-grad", "orphan-parameter", "ranks-diverge", *SCALING),
            *("scheduler-in-window", "shared-parameter", "spent-twice", "stale-optimizer"),
            *(
                "step-without-backward",
                "step-without-effect",
                "sync-each-micro-batch",
                "tail-dropped",
            ),
            *("tail-leaks", "unnormalised-window", "wasted-deposit"),
            *("window-off-by-one", "wrapper-bypassed", "wrong-divisor", "zero-before-step"),
            *("zero-in-graph", "zero-inside-window", "zero-outside-closure"),
        }
    )
)
"""All that a run is judged by, but for what an optimizer's construction shows."""

NEEDED_BY: Final = {
    "group_added": OWNERSHIP,
    "backward_begins": EVERY,
    "backward_ends": EVERY,
    "gradients_asked": ("kept-graph",),  # graphs that it differentiates are kept on purpose
    "foreign_backward_begins": (),  # the engine's: without it nobody sees a backward beside it
    "foreign_backward_ends": (),
    "step_begins": EVERY,
    "closure_evaluated": EVERY,
    "step_ends": EVERY,
    "clear_begins": EVERY,
    "cleared": EVERY,
    "clip_begins": CLIPPING,
    "clip_ends": CLIPPING,
    # A loss whose scale is not known looks like one that was multiplied by hand.
    "loss_scaled": (*SCALING, "unnormalised-window", "wrong-divisor"),
    "unscale_begins": SCALING,
    "unscaled": SCALING,
    # A scaler that skips a step leaves a window that nobody spent.
    "scaler_step_begins": (*SCALING, "never-spent", "zero-before-step"),
    "scaler_step_ends": (*SCALING, "never-spent", "zero-before-step"),
    "scaler_update_begins": SCALING,
    "scaler_updated": SCALING,
    "scheduler_stepped": ("scheduler-in-window",),
    "loader_started": EPOCHS,
    "batch_drawn": EPOCHS,
    "wrapped": RANKS,
    "wrapper_called": RANKS,
    "sync_flagged": RANKS,
    "reduced_by_hand": RANKS,
}
"""The rules of `watch` that cannot be judged where a channel is not heard, by its name."""


@record(frozen=True)
class Part:
    """One part of torch that is not promised to stay."""

    owner: str
    """Where it is: a module or a class of torch, or what objects have it."""

    name: str
    instead: str = ""
    """What we do without it, where nothing is lost."""

    rules: tuple[str, ...] = ()
    """The rules of `watch` that need it."""

    feature: str = ""
    """What the engine refuses without it."""

    since: str = ""
    """The first torch that has it, where a supported torch has not."""


EVAL_FRAME: Final = "torch._C._dynamo.eval_frame"
WRAPPER: Final = "torch.nn.parallel.DistributedDataParallel"
SAVED: Final = "torch._C._autograd.SavedTensor"
SCHEDULER: Final = "torch.optim.lr_scheduler"
SHOWN: Final = "a mode of the program shows what we read"
SHARDED: Final = "engines over fully_shard models"

PARTS: Final = (
    # -- what we patch
    Part("torch.autograd", "_engine_run_backward", rules=EVERY),
    Part(f"{SCHEDULER}.LRScheduler", "_update_lr", "_enable_get_lr_call.__exit__", since="2.9"),
    Part(SCHEDULER, "_enable_get_lr_call", "LRScheduler._update_lr"),
    Part("torch.utils.data.dataloader", "_BaseDataLoaderIter", rules=EPOCHS),
    Part("torch.nn.utils.clip_grad", "_clip_grads_with_norm_", "its callers are heard"),
    Part(EVAL_FRAME, "_FrameAction", "skip_code, or Dynamo's mark", since="2.7"),
    Part(EVAL_FRAME, "_FrameExecStrategy", "skip_code, or Dynamo's mark", since="2.7"),
    Part(EVAL_FRAME, "set_code_exec_strategy", "skip_code, or Dynamo's mark", since="2.7"),
    Part(EVAL_FRAME, "skip_code", "set_code_exec_strategy, or Dynamo's mark"),
    # -- what watch reads
    Part("torch.autograd.profiler", "_is_profiler_enabled", "a profile shows what we read"),
    Part("torch._C", "_has_torch_function_unary", SHOWN),
    Part("torch._C", "_len_torch_function_stack", SHOWN),
    Part("torch._C", "_pop_torch_function_stack", SHOWN),
    Part("torch._C", "_push_on_torch_function_stack", SHOWN),
    Part("torch._C", "_len_torch_dispatch_stack", SHOWN),
    Part("torch._C", "_pop_torch_dispatch_stack", SHOWN),
    Part("torch._C", "_push_on_torch_dispatch_stack", SHOWN),
    Part("torch._C", "_get_dispatch_mode", "fake tensors are trained like others"),
    Part("torch._C", "_TorchDispatchModeKey", "fake tensors are trained like others"),
    Part("torch", "_subclasses", "fake tensors used outside of their mode end the watching"),
    Part("torch.amp.GradScaler", "_scale", "get_scale(), which may wait for the device"),
    Part("torch.amp.GradScaler", "_init_scale", "get_scale(), which may wait for the device"),
    Part("graph nodes", "_input_metadata", rules=("unequal-micro-batches",)),
    Part(SAVED, "unpack_hook", rules=("unequal-micro-batches",), since="2.10"),
    Part("graph nodes", "_saved_other", rules=("unnormalised-window", "wrong-divisor")),
    Part(WRAPPER, "_join_config", rules=("ranks-diverge",)),
    Part(WRAPPER, "_comm_hooks", rules=("ranks-diverge",), feature="engines over DDP models"),
    Part("FSDP2 states", "_fsdp_param_groups", "_fsdp_param_group"),
    Part("FSDP2 states", "_fsdp_param_group", rules=("never-synced",), feature=SHARDED),
    Part("FSDP2 modules", "_get_fsdp_state", rules=("never-synced",), feature=SHARDED),
    Part("FSDP2 parameters", "_unsharded_param", rules=("never-synced",), feature=SHARDED),
    # -- what the engine needs
    Part("torch.optim.optimizer", "_global_optimizer_pre_hooks", "they are called all the same"),
    Part("optimizers", "_optimizer_step_pre_hooks", "they are called all the same"),
    Part("parameters", "_post_accumulate_grad_hooks", "they are called all the same"),
    Part(WRAPPER, "_module_parameters", "the parameters that are not ignored"),
    Part(WRAPPER, "_delay_all_reduce_params", "nothing is taken for delayed"),
    Part("DDP's reducer", "_rebuild_buckets", "DDP raises at its next forward"),
    Part("compiled modules", "_orig_mod", "the model is asked as it is passed"),
    Part("FSDP2 groups", "_partial_reduce_output", feature="sync='shards'"),
    Part("FSDP2 groups", "_partial_reduce_output_layout", "one layout for a whole run"),
    Part("process groups", "_device_types", "torch's own timeout"),
    Part("process groups", "_get_backend", "torch's own timeout"),
    Part("torch.amp.GradScaler", "_get_scale_async", feature="scaler="),
    Part("torch.amp.GradScaler", "_per_optimizer_states", feature="scaler="),
    Part("torch", "_amp_foreach_non_finite_check_and_unscale_", "one tensor at a time"),
    Part("torch", "_foreach_norm", "one tensor at a time"),
    Part("torch", "_foreach_div_", "one tensor at a time"),
    Part("torch", "_foreach_zero_", "one tensor at a time"),
    Part("torch", "_foreach_clamp_min_", "one tensor at a time"),
    Part("torch", "_foreach_clamp_max_", "one tensor at a time"),
    Part("torch.Tensor", "grad_dtype", feature="accumulate_dtype=", since="2.10"),
    Part("torch", "accelerator", "torch.cuda", since="2.6"),
    Part("torch.optim", "Muon", "no such optimizer to know", since="2.9"),
    Part("torch.serialization", "get_unsafe_globals_in_checkpoint", "a trial load", since="2.6"),
    Part("torch.serialization", "set_crc32_options", "checksums are always written", since="2.6"),
    # -- what the comparison of gradients needs
    Part("torch.nn.modules.batchnorm", "_BatchNorm", "its four public subclasses"),
)

_BY_NAME: Final = {part.name: part for part in PARTS}
_MISSING: Final = object()
_unheard: set[str] = set()


def find(path: str) -> Any:
    """Return what is at a path that begins with `torch`, or None; nothing is imported for it."""
    try:
        return attrgetter(path.partition(".")[2])(torch)
    except AttributeError:
        return None


def read(owner: Any, name: str, otherwise: Any = None) -> Any:
    """Return a private attribute of one of torch's objects; without it, its rules are not heard."""
    value = getattr(owner, name, _MISSING)
    if value is _MISSING:
        _unheard.update(_BY_NAME[name].rules)
        return otherwise
    return value


def need(owner: Any, name: str) -> Any:
    """Return a private attribute that a feature of the engine cannot do without, or refuse it."""
    value = getattr(owner, name, _MISSING)
    if value is _MISSING:
        raise ArgumentError(refusal(_BY_NAME[name]))
    return value


def refusal(part: Part) -> str:
    """Return the sentence that refuses a feature on this torch."""
    newer = f" needs torch {part.since} or newer" if part.since else f" needs torch's {part.name}"
    lacks = f"this is torch {torch.__version__}" if part.since else _lacks()
    return f"{part.feature}{newer}, and {lacks}"


def _lacks() -> str:
    return f"torch {torch.__version__} has it no more, or not where zerograd looks"


def not_heard(channels: tuple[str, ...]) -> None:
    """Note that these channels stay silent: a patch could not be installed."""
    for channel in channels:
        _unheard.update(NEEDED_BY[channel])


def heard(rule: str) -> bool:
    """Whether all that a rule of `watch` is judged by is heard on this torch."""
    return rule not in _unheard


def unheard() -> list[str]:
    """Return the names of the rules that are not heard on this torch."""
    return sorted(_unheard)
