"""Which kind of object a constructor makes, and which kind a mere name suggests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zerograd.lint.knowledge.name_heuristics import (
    NOT_OPTIMIZER_WORDS,
    OPTIMIZER_ATTRIBUTES,
    OPTIMIZER_WORDS,
    SCALER_WORDS,
    SCHEDULER_WORDS,
    makes_optimizers,
)
from zerograd.lint.values.value import ValueKind
from zerograd.source.names import words

if TYPE_CHECKING:
    from collections.abc import Set

BY_LAST_NAME = {
    "GradScaler": ValueKind.SCALER,
    "ShardedGradScaler": ValueKind.SCALER,
    "DataLoader": ValueKind.LOADER,
    "Accelerator": ValueKind.DRIVER,
    "Fabric": ValueKind.DRIVER,
    "LightningLite": ValueKind.DRIVER,
    "Parameter": ValueKind.LEAF,
}
OPTIMIZERS = frozenset(
    {
        "SGD",
        "Adam",
        "AdamW",
        "Adagrad",
        "Adadelta",
        "Adamax",
        "ASGD",
        "LBFGS",
        "NAdam",
        "RAdam",
        "RMSprop",
        "Rprop",
        "SparseAdam",
        "Adafactor",
        "Muon",
        "Lion",
        "LAMB",
        "Lamb",
        "LARS",
        "Ranger",
        "AdaBelief",
        "AdamP",
        "Yogi",
        "Lookahead",
        "SAM",
        "GSAM",
        "ASAM",
        "FusedAdam",
        "FusedLAMB",
        "FusedSGD",
        "BertAdam",
        "OpenAIAdam",
        "CPUAdam",
        "DeepSpeedCPUAdam",
        "AdamW8bit",
        "Adam8bit",
        "PagedAdamW8bit",
        "ZeroRedundancyOptimizer",
        "SharedAdam",
        "SharedRMSprop",
        "Shampoo",
        "SOAP",
        "NoamOpt",
        "ScheduledOptim",
        "KFAC",
        "Prodigy",
        "DAdaptAdam",
        "Novograd",
        "RangerQH",
        "DiffGrad",
        "SGDP",
        "MADGRAD",
        "Apollo",
        "AdaHessian",
        "AdaBound",
        "PCGrad",
        "ClippedAdam",
    }
)
"""Classes that are optimizers wherever they come from."""

KEEP = frozenset(
    {
        "DataParallel",
        "DistributedDataParallel",
        "DDP",
        "FullyShardedDataParallel",
        "FSDP",
        "compile",
        "fully_shard",
        "SyncBatchNorm.convert_sync_batchnorm",
        "convert_sync_batchnorm",
        "DistributedDataParallelCPU",
        "convert_syncbn_model",
        "script",
        "BalancedDataParallel",
    }
)
"""Calls whose result has the parameters of their first argument."""

PARALLEL = frozenset({"DistributedDataParallel", "DDP"})
KEEP_METHODS = frozenset(
    {
        "to",
        "cuda",
        "cpu",
        "half",
        "float",
        "double",
        "bfloat16",
        "train",
        "eval",
        "apply",
        "requires_grad_",
        "compile",
        "share_memory",
        "xpu",
        "npu",
        "type",
        "to_empty",
        "mps",
        "bind",
        "contiguous",
        "pin_memory",
    }
)
TENSOR_MAKERS = frozenset(
    {
        "tensor",
        "randn",
        "rand",
        "zeros",
        "ones",
        "full",
        "empty",
        "Variable",
        "randn_like",
        "zeros_like",
        "ones_like",
        "rand_like",
        "linspace",
        "arange",
        "eye",
        "FloatTensor",
        "Tensor",
        "as_tensor",
        "from_numpy",
        "normal",
        "randint",
    }
)
COLLECTIONS = frozenset(
    {
        "list",
        "List",
        "Sequence",
        "Iterable",
        "dict",
        "Dict",
        "Mapping",
        "tuple",
        "Tuple",
        "Collection",
    }
)


def made_by(name: str) -> ValueKind | None:
    """Return the kind of what a dotted callable returns, if its name tells."""
    last = name.rpartition(".")[2]
    if last in BY_LAST_NAME:
        return BY_LAST_NAME[last]
    if last.endswith("GradScaler"):
        return ValueKind.SCALER
    if "lr_scheduler" in name or last.endswith(("LR", "Scheduler")) or "schedule" in last.lower():
        return ValueKind.SCHEDULER
    if last in OPTIMIZERS or _in_optim_package(name, last):
        return ValueKind.OPTIMIZER
    if name.startswith(("torch.nn.", "nn.")) and last[:1].isupper():
        return ValueKind.MODULE
    if makes_optimizers(last):
        return ValueKind.OPTIMIZER
    return None


def _in_optim_package(name: str, last: str) -> bool:
    """`torch.optim.SGD`, `timm.optim.Lars`, `pytorch_optimizer.Foo`, `MyOptimizer`."""
    if not last[:1].isupper() or last.endswith(("Config", "Args", "Arguments", "Hook", "Callback")):
        return False
    if last.endswith(("Optimizer", "Optim")):
        return True
    package = name.rpartition(".")[0]
    return package.rpartition(".")[2] in ("optim", "optimizers", "optimizer", "torch_optimizer")


def named_like(name: str) -> ValueKind | None:
    """Return the kind that a dotted name suggests."""
    found = words(name)
    if not found:
        return None
    if SCHEDULER_WORDS.intersection(found):
        return ValueKind.SCHEDULER
    if SCALER_WORDS.intersection(found):
        return ValueKind.SCALER
    if NOT_OPTIMIZER_WORDS.intersection(found):
        return None
    if OPTIMIZER_WORDS.intersection(found):
        many = found[-1] in ("optims", "optimizers", "optimisers", "opts", "list")
        return ValueKind.OPTIMIZERS if many else ValueKind.OPTIMIZER
    return None


def annotated_as(annotation: str) -> ValueKind | None:
    """Return the kind that a type annotation names."""
    last = re.split(r"[.\[\]|, ]+", annotation.strip("\"' "))
    several = not COLLECTIONS.isdisjoint(last)
    for word in last:
        if word in ("Optimizer", "OptimizerType") or word in OPTIMIZERS:
            return ValueKind.OPTIMIZERS if several else ValueKind.OPTIMIZER
        if word in ("LRScheduler", "_LRScheduler"):
            return ValueKind.SCHEDULER
        if word in BY_LAST_NAME:
            return BY_LAST_NAME[word]
        if word in ("Module", "DistributedDataParallel"):
            return ValueKind.MODULE
    return None


def used_like_optimizer(name: str, found: Set[str]) -> bool | None:
    """Tell whether `step` and `zero_grad` are called on it; None when it holds other things."""
    if {"step", "zero_grad"} <= found:
        return True
    if name.rpartition(".")[2].lower() in ("opt", "opts") and found - OPTIMIZER_ATTRIBUTES:
        return None
    return False
