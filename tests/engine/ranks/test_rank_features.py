"""Features of DDP and FSDP2 work under the engine, or are refused before the first step."""

from __future__ import annotations

from functools import partial

import pytest
from rank_cases import ROUND_OFF, error_of
from rank_features import (
    compiled,
    kept_and_copied,
    moved_after_wrapping,
    reached_by_nothing,
    sometimes_unused,
    unfrozen_after_wrapping,
    with_comm_hook,
    zero_redundancy,
)
from rank_refusals import refused
from rank_runs import on_ranks
from rank_scenes import (
    SIZES,
    bypassed,
    in_join,
    longer_than_it_says,
    skipped_batch,
)

FEATURES = ["static_graph", "gradient_as_bucket_view", "find_unused_parameters"]
COMPRESSED = {"fp16_compress_hook": 2 * 0.1 * 3 * 2.0**-11 * 3}
"""What hooks that send fewer bits may lose; powerSGD sends all of them in its first steps.

In each of two steps, at a rate of 0.1, a gradient is divided, sent and summed in fp16: three
roundings of 2**-11, and no gradient here is longer than three times the weights."""


@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_of_ddp_trains_exactly(feature: str) -> None:
    for error, same in on_ranks(2, error_of, "ddp", SIZES, 4, {feature: True}):
        assert error < ROUND_OFF
        assert same


@pytest.mark.parametrize("hook", ["allreduce_hook", "fp16_compress_hook", "powerSGD_hook"])
def test_the_averaging_comm_hooks_of_torch_train(hook: str) -> None:
    for error, same in on_ranks(2, with_comm_hook, hook):
        assert error < COMPRESSED.get(hook, ROUND_OFF)
        assert same


def test_kept_gradients_are_reduced_in_place() -> None:
    for error, same in on_ranks(2, partial(error_of, clear="zero"), "ddp", SIZES, 4):
        assert error < ROUND_OFF
        assert same


def test_a_wrapped_model_is_pickled_and_copied_while_its_engine_lives() -> None:
    assert on_ranks(2, kept_and_copied) == [(True, True, True)] * 2


@pytest.mark.parametrize("where", ["inside", "outside"])
def test_a_compiled_module_trains_exactly(where: str) -> None:
    for error, same in on_ranks(2, compiled, where):
        assert error < ROUND_OFF
        assert same


def test_a_redundancy_free_optimizer_trains_exactly() -> None:
    for error, same in on_ranks(2, zero_redundancy):
        assert error < ROUND_OFF
        assert same


def test_a_parameter_that_the_closing_micro_batch_misses_is_reduced_if_ddp_looks_for_it() -> None:
    unused = {"find_unused_parameters": True}

    assert on_ranks(2, sometimes_unused, unused) == [("nothing", True, True)] * 2


def test_a_parameter_that_the_closing_micro_batch_misses_is_refused_before_the_step() -> None:
    for sentence, same, moved in on_ranks(2, sometimes_unused, {}):
        assert sentence == (
            "LifecycleError: ZG305 dead-parameter: the micro-batch that closes this window gave "
            "some parameters no gradient, so that DDP did not reduce them; pass "
            "find_unused_parameters=True to DistributedDataParallel"
        )
        assert same
        assert not moved


REFUSED = {
    "hook": (
        "ArgumentError: sums is a comm hook that is not known to average over ranks, as the mean "
        "over items needs; pass comm_hook_averages=True if it does"
    ),
    "declared hook": "nothing",
    "kept gradients and bucket views": (
        "ArgumentError: gradient_as_bucket_view=True keeps the gradients in DDP's buckets; write "
        "clear='none'"
    ),
    "zeroed bucket views": (
        "ArgumentError: gradient_as_bucket_view=True keeps the gradients in DDP's buckets; write "
        "clear='none'"
    ),
    "wide bucket views": (
        "ArgumentError: gradient_as_bucket_view=True keeps gradients in the dtype of DDP's "
        "buckets, and accumulate_dtype= in a wider one; drop one of them"
    ),
    "step in backward": (
        "ArgumentError: step_in_backward=True steps before the gradients of other ranks have "
        "arrived; write step_in_backward=False"
    ),
    "part of a model": (
        "ArgumentError: only_own=True over a part of a DistributedDataParallel model leaves the "
        "ranks with different gradients; write only_own=False, or wrap the part by itself"
    ),
    "lbfgs": (
        "ArgumentError: LBFGS decides by the loss of one rank how often it evaluates, and the "
        "others would wait; train it in one process"
    ),
    "overlapping zero": (
        "ArgumentError: overlap_with_ddp=True lets ZeroRedundancyOptimizer step inside the "
        "backward; write overlap_with_ddp=False"
    ),
    "delayed parameters": (
        "ArgumentError: delay_all_reduce_named_params leaves gradients that DDP reduces at a time "
        "of its own; wrap the model without it"
    ),
    "fsdp only own": (
        "ArgumentError: only_own=True leaves every .grad of an FSDP2 model None; write "
        "only_own=False"
    ),
    "fsdp kept gradients": (
        "ArgumentError: FSDP2 makes and frees its gradients itself; write clear='none'"
    ),
    "fsdp wide": (
        "ArgumentError: FSDP2 sums in a dtype of its own; instead of accumulate_dtype= write "
        "fully_shard(..., mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, "
        "reduce_dtype=torch.float32))"
    ),
    "fsdp by hand": (
        "ArgumentError: with accumulate=None nobody knows before its backward which micro-batch "
        "closes the window, and FSDP2 reduces inside it; pass sync='micro-batch', or accumulate=n"
    ),
    "fsdp divide factor": (
        "ArgumentError: set_gradient_divide_factor() changes the average that the mean over items "
        "needs; remove it, and give items= to gradients.backward()"
    ),
    "sharded without model": (
        "ArgumentError: these parameters are sharded over ranks; pass the model that "
        "fully_shard() was applied to as model=, the root of it"
    ),
    "optimizer before wrapping": (
        "ArgumentError: parameter 0 of SGD, shape (5, 3) is not reduced by the model that was "
        "passed as model=, so that every rank would spend its own gradient; build the optimizer "
        "over the parameters of the wrapped model, after wrapping it"
    ),
    "replicas without model": (
        "ArgumentError: parameter 0 of SGD, shape (5, 3) belongs to a DistributedDataParallel "
        "model that this engine was not told of, so that it would count the items of one rank and "
        "reduce at every micro-batch; pass that model as model=, and make the engine after wrapping"
    ),
    "bare module as model": (
        "ArgumentError: 0.weight belongs to a DistributedDataParallel model that this engine was "
        "not told of, so that it would count the items of one rank and reduce at every "
        "micro-batch; pass that model as model=, and make the engine after wrapping"
    ),
    "wrapped after the engine": (
        "ArgumentError: parameter 0 of SGD, shape (5, 3) belongs to a DistributedDataParallel "
        "model that this engine was not told of, so that it would count the items of one rank and "
        "reduce at every micro-batch; pass that model as model=, and make the engine after wrapping"
    ),
    "a wrapper that is gone": "nothing",
    "hook of local SGD": (
        "ArgumentError: post_localSGD_hook is a comm hook that is not known to average over "
        "ranks, as the mean over items needs; pass comm_hook_averages=True if it does"
    ),
    "wrapper inside": (
        "ArgumentError: model= has a DistributedDataParallel model inside, which reduces its "
        "gradients; pass that one as model="
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_work_is_refused_at_construction(what: str) -> None:
    assert on_ranks(2, refused, what) == [REFUSED[what]] * 2


def test_meshes_of_different_sizes_are_refused() -> None:
    sentence = (
        "ArgumentError: parts of this model are sharded over meshes of different sizes, so that "
        "one count of ranks cannot serve all; shard them over as many ranks"
    )

    assert on_ranks(4, refused, "meshes of two sizes") == [sentence] * 4


def test_a_loss_from_the_bare_module_is_refused() -> None:
    sentence = (
        "LifecycleError: ZG503 wrapper-bypassed: this loss closes a window over ranks and did not "
        "come through the DDP model since the last one, so that nothing would reduce it; call the "
        "model that you passed as model=, once for each micro-batch, not its .module"
    )

    assert on_ranks(2, bypassed) == [sentence] * 2


def test_hooks_that_a_move_has_lost_are_refused_before_the_step() -> None:
    sentence = (
        "LifecycleError: ZG502 ranks-diverge: rank 1 holds other gradients than rank 0 after their "
        "first reduction: DDP hears of no gradient of parameters that were moved, cast or replaced "
        "after wrapping; wrap the model when it is where it will be"
    )

    assert on_ranks(2, moved_after_wrapping) == [(sentence, True)] * 2


def test_the_join_of_ddp_is_refused() -> None:
    sentence = (
        "ArgumentError: ranks with fewer batches are joined by the engine itself; remove "
        "model.join() and draw from gradients.batches(loader)"
    )

    assert on_ranks(2, in_join) == [sentence] * 2


def test_a_batch_without_backward_is_refused() -> None:
    sentence = (
        "ArgumentError: a batch of batches() had no backward, and the other ranks count on it; "
        "instead of `continue` call gradients.backward(loss, items=0), which deposits nothing"
    )

    assert on_ranks(2, skipped_batch) == [sentence] * 2


def test_ranks_of_different_windows_are_refused() -> None:
    sentence = (
        "the ranks have accumulate=1 and 2, and must close their windows together; pass the same "
        "on every rank"
    )

    assert on_ranks(2, refused, "different windows") == [f"ArgumentError: {sentence}"] * 2


def test_a_loader_longer_than_it_says_is_refused_after_the_others_are_done() -> None:
    sentence = (
        "ArgumentError: the loader hands out more than its length of 4 batches, and the other "
        "ranks do not know of them; correct its __len__"
    )

    assert on_ranks(2, longer_than_it_says) == ["nothing", sentence]


def test_loaders_without_a_length_are_refused() -> None:
    sentence = (
        "ArgumentError: batches() over ranks needs a loader with a length on every rank: the ranks "
        "agree on their windows before the first forward; give the dataset a __len__"
    )

    assert on_ranks(2, refused, "no length") == [sentence] * 2


@pytest.mark.parametrize(
    ("empty_at", "k"),
    [
        pytest.param({1: 0}, 1, id="all of one rank's window"),
        pytest.param({1: 1}, 2, id="the closing one of one rank"),
        pytest.param({0: 0}, 2, id="the first one of one rank"),
        pytest.param({0: 1, 1: 1}, 2, id="the closing one of both"),
        pytest.param({0: 0, 1: 0}, 2, id="the first one of both"),
    ],
)
def test_a_parameter_that_only_micro_batches_without_items_reach_is_not_moved(
    empty_at: dict[int, int], k: int
) -> None:
    for head_moved, rest_moved, same in on_ranks(2, reached_by_nothing, empty_at, k):
        assert not head_moved
        assert rest_moved
        assert same


@pytest.mark.parametrize("joins", [True, False])
def test_a_parameter_that_ddp_does_not_know_is_refused_before_it_is_spent(joins: bool) -> None:
    for words, same in on_ranks(2, unfrozen_after_wrapping, joins):
        assert words == (
            "ArgumentError: body.weight was added or unfrozen after the model was wrapped, which "
            "does not reduce it, so that every rank would spend its own gradient; wrap the model "
            "again, and make the optimizer and Gradients anew after it"
        )
        assert same
