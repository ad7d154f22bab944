"""Which keeper a model needs: of one process, of replicas (DDP) or of shards (FSDP2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.nn import Module
from torch.optim import LBFGS

from zerograd.engine.window_keeper import WindowKeeper
from zerograd.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.engine.options import EngineOptions
    from zerograd.engine.ranks.rank_window_keeper import RankWindowKeeper

REPLICATED = "DistributedDataParallel"
SHARDED = "FSDPModule"
SHARDED_ONCE = "FullyShardedDataParallel"


def keeper_of(options: EngineOptions, model: Any) -> WindowKeeper:
    """Return the keeper of a model, and refuse what would train wrongly or hang."""
    if model is None and options.comm_hook_averages:
        raise ArgumentError(
            "comm_hook_averages=True is about a DistributedDataParallel model's hook; "
            "pass that model as model="
        )
    if model is not None and not isinstance(model, Module):
        raise ArgumentError(f"model is a torch.nn.Module, got {type(model).__name__}")
    # torch.compile(model) is a module around the model that it compiles.
    bare = getattr(model, "_orig_mod", model)
    kinds = _kinds(bare)
    if kinds & {REPLICATED, SHARDED}:
        return _rank_keeper(options, bare, kinds)
    keeper = WindowKeeper(options, model)
    _refuse_unrecognised(keeper, bare, kinds)
    keeper.refuse_unsound()
    return keeper


def _kinds(model: object) -> set[str]:
    """Names, not types: a single process need not import torch.distributed."""
    return {kind.__name__ for kind in type(model).__mro__}


def _rank_keeper(options: EngineOptions, bare: Any, kinds: set[str]) -> RankWindowKeeper:
    from zerograd.engine.ranks.ddp import Replicated
    from zerograd.engine.ranks.fsdp import Sharded
    from zerograd.engine.ranks.rank_window_keeper import RankWindowKeeper

    table = REFUSED_OF_DDP if REPLICATED in kinds else REFUSED_OF_FSDP
    for holds, reason in (*REFUSED_OF_RANKS, *table):
        if holds(options, bare):
            raise ArgumentError(reason)
    wrapper: Replicated | Sharded
    if REPLICATED in kinds:
        wrapper = Replicated(bare, hook_averages=options.comm_hook_averages)
    else:
        wrapper = Sharded(bare, scatters=options.sync == "shards")
    wrapper.refuse_unsound()
    # Names without DDP's own "module." in front are those of the user's model.
    keeper = RankWindowKeeper(options, bare.module if REPLICATED in kinds else bare, wrapper)
    _refuse_unreduced(keeper)
    return keeper


def _refuse_unreduced(keeper: RankWindowKeeper) -> None:
    accounts = keeper.books.accounts
    for parameter in accounts.parameters:
        if parameter.requires_grad and not keeper.wrapper.holds(parameter):
            raise ArgumentError(
                f"{accounts.name(parameter)} is not reduced by the model that was passed as "
                "model=, so that every rank would spend its own gradient; build the optimizer over "
                "the parameters of the wrapped model, after wrapping it"
            )


def _refuse_unrecognised(keeper: WindowKeeper, model: Any, kinds: set[str]) -> None:
    parameters = keeper.books.accounts.parameters
    if SHARDED_ONCE in kinds:
        raise ArgumentError(
            "FullyShardedDataParallel (FSDP1) hides its gradients from the engine; shard the model "
            "with torch.distributed.fsdp.fully_shard"
        )
    if any(type(parameter).__name__ == "DTensor" for parameter in parameters):
        raise ArgumentError(
            "these parameters are sharded over ranks; pass the model that fully_shard() was "
            "applied to as model=, the root of it"
        )
    inside = model.modules() if model is not None else ()
    if any(REPLICATED in _kinds(module) for module in inside):
        raise ArgumentError(
            "model= has a DistributedDataParallel model inside, which reduces its gradients; pass "
            "that one as model="
        )


def _covers_part(options: EngineOptions, model: Any) -> bool:
    own = {id(p) for o in options.optimizers for group in o.param_groups for p in group["params"]}
    return any(id(p) not in own for p in model.parameters() if p.requires_grad)


def _has_replicas(model: Any) -> bool:
    # Imported here: a single process need not import torch.distributed.
    from zerograd.engine.ranks.fsdp import has_replicas

    return has_replicas(model)


Refusal = tuple["Callable[[EngineOptions, Any], bool]", str]

REFUSED_OF_RANKS: tuple[Refusal, ...] = (
    (
        lambda o, _: o.step_in_backward,
        (
            "step_in_backward=True steps before the gradients of other ranks have arrived; write "
            "step_in_backward=False"
        ),
    ),
    (
        lambda o, _: any(isinstance(optimizer, LBFGS) for optimizer in o.optimizers),
        (
            "LBFGS decides by the loss of one rank how often it evaluates, and the others would "
            "wait; train it in one process"
        ),
    ),
)

REFUSED_OF_DDP: tuple[Refusal, ...] = (
    (
        lambda o, _: o.sync == "shards",
        (
            "sync='shards' is about replicas of shards, which fully_shard() makes over a mesh of "
            "two dimensions; write sync='window', or sync='micro-batch'"
        ),
    ),
    (
        lambda o, m: o.only_own and _covers_part(o, m),
        (
            "only_own=True over a part of a DistributedDataParallel model leaves the ranks with "
            "different gradients; write only_own=False, or wrap the part by itself"
        ),
    ),
    (
        lambda o, m: o.clear != "none" and m.gradient_as_bucket_view,
        "gradient_as_bucket_view=True keeps the gradients in DDP's buckets; write clear='none'",
    ),
    (
        lambda o, m: o.accumulate_dtype is not None and m.gradient_as_bucket_view,
        (
            "gradient_as_bucket_view=True keeps gradients in the dtype of DDP's buckets, and "
            "accumulate_dtype= in a wider one; drop one of them"
        ),
    ),
    (
        lambda o, _: any(getattr(one, "_overlap_with_ddp", False) for one in o.optimizers),
        (
            "overlap_with_ddp=True lets ZeroRedundancyOptimizer step inside the backward; write "
            "overlap_with_ddp=False"
        ),
    ),
    (
        lambda _, m: bool(getattr(m, "_delay_all_reduce_params", ())),
        (
            "delay_all_reduce_named_params leaves gradients that DDP reduces at a time of its own; "
            "wrap the model without it"
        ),
    ),
)

REFUSED_OF_FSDP: tuple[Refusal, ...] = (
    (
        lambda o, m: o.sync == "shards" and not _has_replicas(m),
        (
            "sync='shards' reduces inside each replica at every micro-batch, and this model has "
            "one replica; shard it over a mesh of two dimensions, or write sync='window' or "
            "'micro-batch'"
        ),
    ),
    (
        lambda o, _: o.only_own,
        "only_own=True leaves every .grad of an FSDP2 model None; write only_own=False",
    ),
    (
        lambda o, _: o.clear != "none",
        "FSDP2 makes and frees its gradients itself; write clear='none'",
    ),
    (
        lambda o, _: o.accumulate_dtype is not None,
        (
            "FSDP2 sums in a dtype of its own; instead of accumulate_dtype= write fully_shard(..., "
            "mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, "
            "reduce_dtype=torch.float32))"
        ),
    ),
    (
        lambda o, _: o.accumulate is None and o.sync == "window",
        (
            "with accumulate=None nobody knows before its backward which micro-batch closes the "
            "window, and FSDP2 reduces inside it; pass sync='micro-batch', or accumulate=n"
        ),
    ),
)
