"""The names that tell what an unresolved object or call is."""

from __future__ import annotations

import re

OPTIMIZER_WORDS = frozenset(
    {
        "optim",
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
MAKERS = re.compile(r"(create|get|build|make|configure|init|setup|define)_?\w*optim\w*", re.I)
NOT_MAKERS = re.compile(r"(lr|sched|param|state|class|cls|name|type|config|arg|step)", re.I)

UNKNOWN_CALL = re.compile(
    r"(?:^|.*_|.*[a-z](?=Z|B|S|O|F|T))"
    r"(?:zero|zero_grads?|clear_grads?|reset_grads?|backward|backwards|optimize|step|fit"
    r"|train_step|train_batch|train_epoch|train_iter|training_step|train_one_epoch|train_one_batch"
    r"|train_one_step|train_one_iter"
    r"|update_(?:\w+_)?(?:parameters|params|weights|model|network|networks|actor|critic|policy"
    r"|generator|discriminator))$"
)
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
GRADIENT_WRITERS = re.compile(
    r"grad\w*_?(scal|averag|reduc|sync|mask|project|nois|norm)"
    r"|(scal|averag|reduc|sync|mask|project|nois|norm)\w*_?grad",
    re.I,
)
WINDOW_WORDS = re.compile(
    r"accum|micro|sync_gradients|is_boundary|virtual|iter_size|update_freq|grad_acc|accu?_step"
    r"|accumulation_boundary",
    re.I,
)
ACCUMULATION_WORDS = re.compile(
    r"accum|micro|virtual|iter_size|update_freq|grad_acc|accu?_step", re.I
)
TASK_WORDS = re.compile(
    r"task|time|timestep|episode|agent|head|seq|rollout|traj|unroll|loss|step_i|horizon|inner|tau"
    r"|domain|env|env_idx|layer|scale|view|sample|mc|chunk|critic|model|net|disc",
    re.I,
)
NAN_WORDS = re.compile(r"isnan|isinf|isfinite|is_nan|is_inf|is_finite|nan|finite", re.I)


def words(name: str) -> list[str]:
    """`self.optimizerD_list` -> optimizer, d, list: lower-case words of the last part."""
    last = name.rpartition(".")[2]
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", last)
    spaced = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", spaced)
    return [re.sub(r"\d+$", "", word) for word in spaced.lower().split("_") if word]
