"""The names that tell what an unresolved object or call is."""

from __future__ import annotations

from zerograd.source.names import has_word, words

OPTIMIZER_WORDS = frozenset(
    {
        "optim",
        "optm",
        "optims",
        "optimizer",
        "optimizers",
        "opt",
        "opts",
        "optimiser",
        "optimisers",
        "optimizerd",
        "optimizerg",
    }
)
NOT_OPTIMIZER_WORDS = frozenset(
    {
        "scheduler",
        "schedulers",
        "sched",
        "schedule",
        "lr",
        "config",
        "cfg",
        "conf",
        "args",
        "arg",
        "options",
        "option",
        "state",
        "states",
        "kwargs",
        "params",
        "param",
        "class",
        "cls",
        "name",
        "type",
        "fn",
        "func",
        "path",
        "file",
        "dict",
        "flags",
        "hparams",
        "settings",
        "step",
        "steps",
        "level",
        "str",
        "factory",
        "builder",
        "hook",
        "callback",
        "time",
        "loss",
    }
)
OPTIMIZER_ATTRIBUTES = frozenset(
    {
        "step",
        "zero_grad",
        "param_groups",
        "state_dict",
        "load_state_dict",
        "state",
        "defaults",
        "add_param_group",
        "first_step",
        "second_step",
        "backward",
        "update_master_grads",
        "clip_master_grads",
        "optimizer",
        "param_group",
        "register_step_post_hook",
        "virtual_step",
        "signal_skip_step",
        "sync_lookahead",
        "train",
        "eval",
        "clear_grad",
        "set_lr",
        "synchronize",
    }
)
SCHEDULER_WORDS = frozenset({"scheduler", "schedulers", "sched", "schedule", "lr"})
SCALER_WORDS = frozenset({"scaler", "gradscaler"})
MAKING = ("create", "get", "build", "make", "configure", "init", "setup", "define")
"""How the name of a function begins that makes an optimizer, and has `optim` in it."""

NOT_MADE = (
    "lr",
    "sched",
    "param",
    "state",
    "class",
    "cls",
    "name",
    "type",
    "config",
    "arg",
    "step",
)
UNKNOWN_CALLS = (
    "_zero",
    "_zero_grad",
    "_zero_grads",
    "_clear_grad",
    "_clear_grads",
    "_reset_grad",
    "_reset_grads",
    "_backward",
    "_backwards",
    "_optimize",
    "_step",
    "_fit",
    "_train_batch",
    "_train_epoch",
    "_train_iter",
    "_train_one_epoch",
    "_train_one_batch",
    "_train_one_iter",
)
"""How the names of calls end, after a `_` of their own, that may do anything to an account."""

UPDATED = (
    "_parameters",
    "_params",
    "_weights",
    "_model",
    "_network",
    "_networks",
    "_actor",
    "_critic",
    "_policy",
    "_generator",
    "_discriminator",
)
"""The same after `update_`."""

NEVER_UNKNOWN = frozenset(
    {
        "get",
        "set",
        "is",
        "log",
        "print",
        "lr",
        "state",
        "save",
        "load",
        "checkpoint",
        "compute",
        "calc",
        "tick",
        "on",
        "end",
        "start",
        "logging",
        "states",
        "test",
        "val",
        "eval",
    }
)
"""Words of names that only look: `get_step`, `log_step`, `on_train_step`."""

HARMLESS_RECEIVERS = frozenset(
    {
        "scheduler",
        "sched",
        "schedulers",
        "env",
        "envs",
        "environment",
        "profiler",
        "prof",
        "pbar",
        "bar",
        "progress",
        "progress_bar",
        "meter",
        "meters",
        "metric",
        "metrics",
        "logger",
        "log",
        "writer",
        "ema",
        "sampler",
        "loader",
        "dataloader",
        "timer",
        "tracker",
        "wandb",
        "tb",
        "swa",
        *("averaged", "average", "avg", "polyak", "shadow"),
        "buffer",
        "memory",
        "game",
        "simulator",
        "sim",
        "world",
        "vec_env",
        "tqdm",
        "recorder",
        "evaluator",
        "watch",
        "clock",
        "early_stopping",
        "warmup",
        "annealer",
        "lr",
        "tokenizer",
    }
)
COPIES = frozenset({"target", "targets", "soft", "hard", "delayed", "momentum"})
"""Words of names of updates that copy weights: `update_target_model`, `soft_update_params`."""

HOLDER_WORDS = frozenset(
    {"trainer", "engine", "agent", "state", "runner", "learner", "solver", "ctx", "context"}
    | {"optimizer", "optimizers", "optim", "opt", "opts", "closure", "manager", "algo", "algorithm"}
    | {"experiment", "system", "session", "strategy", "accelerator", "fabric", "self"}
)
"""Words of names under which an object goes that may hold an optimizer."""

GRADIENT_WRITERS = (
    *("scale", "scali", "averag", "reduc", "sync", "mask", "project", "noise", "noisy", "norm"),
)
"""What is done to gradients, before or after `grad` in a name."""

ACCUMULATION_WORDS = (
    "accum",
    "micro",
    "virtual",
    "iter_size",
    "update_freq",
    "grad_acc",
    "acc_step",
    "accu_step",
)
WINDOW_WORDS = (*ACCUMULATION_WORDS, "sync_gradients", "is_boundary")
TASK_WORDS = (
    "task",
    "time",
    "episode",
    "agent",
    "head",
    "seq",
    "rollout",
    "traj",
    "unroll",
    "loss",
    "step_i",
    "horizon",
    "inner",
    "tau",
    "domain",
    "env",
    "layer",
    "scale",
    "view",
    "sample",
    "mc",
    "chunk",
    "critic",
    "model",
    "net",
    "disc",
)
NAN_WORDS = ("isinf", "is_inf", "nan", "finite")


def makes_optimizers(name: str) -> bool:
    """`build_optimizer`, but not `get_optimizer_state`."""
    lower = name.lower()
    return lower.startswith(MAKING) and "optim" in lower and not has_word(lower, NOT_MADE)


def is_unknown_call(name: str) -> bool:
    """`train_step`, `update_actor`: names of calls that may do anything."""
    whole = f"_{name}"
    _, update, updated = whole.partition("_update_")
    if update and not COPIES.isdisjoint(words(name)):
        return False
    return whole.endswith(UNKNOWN_CALLS) or bool(update and f"_{updated}".endswith(UPDATED))


def writes_gradients(name: str) -> bool:
    """`scale_gradients`, `normalize_grad`; but `grad_norm` looks, and `GradScaler(...)` is made."""
    if name[:1].isupper() or words(name)[-1:] in (["norm"], ["norms"]):
        return False
    lower = name.lower()
    before, grad, _ = lower.rpartition("grad")
    after = lower.partition("grad")[2]
    return bool(grad) and (has_word(before, GRADIENT_WRITERS) or has_word(after, GRADIENT_WRITERS))
