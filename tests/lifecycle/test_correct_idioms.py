"""Silence on every correct idiom that killed a simpler condition, each as a trace.

Silence means no error and no warning; where an idiom is right and wasteful, its hint is asserted.
"""

from __future__ import annotations

from typing import Any

from traces import (
    assign,
    back,
    build,
    clip,
    closure_step,
    epoch,
    loud,
    outer_step,
    play,
    rescale,
    scaler_step,
    scaler_update,
    schedule,
    step,
    times,
    unscale,
    use,
    zero,
)

from zerograd.lifecycle import Called, Effect, Event, Loop, Reduction

SGD = build("sgd", "w")
D, G = build("D", "d"), build("G", "g")
D_TURN = (zero("d"), back("d", "real"), back("d", "fake"), step("D"))
G_TURN = (zero("g"), back("dg", "fool"), step("G"))
MEANT = Loop(meant=True, declared=True)


def mean(letters: str = "w", at: str = "loss", **facts: Any) -> Event:
    return back(letters, at, feed="train", drawn=True, reduction=Reduction.MEAN, **facts)


def test_the_standard_loop() -> None:
    loop = times(5, zero("w"), mean(), step())

    assert play(SGD, times(2, epoch("train"), loop)) == []


def test_clearing_after_the_step() -> None:
    assert play(SGD, times(5, mean(), step(), zero("w"))) == []


def test_accumulation_as_it_is_published_over_whole_epochs() -> None:
    window = (times(4, mean(constants=(4,), loop=MEANT)), step(modulo=True), zero("w"))

    assert play(SGD, times(3, epoch("train"), times(2, window))) == []


def test_a_gan_that_trains_the_discriminator_first() -> None:
    found = play(D, G, times(5, D_TURN, G_TURN))

    assert found == ["hint wasted-deposit at fool.backward"]


def test_a_gan_that_trains_the_generator_first() -> None:
    found = play(D, G, times(5, G_TURN, D_TURN))

    assert found == ["hint wasted-deposit at fool.backward"]


def test_a_discriminator_that_steps_only_while_it_is_bad() -> None:
    waiting = (zero("d"), back("d", "d_loss"))
    stepping = (zero("d"), back("d", "d_loss"), step("D"))

    irregular = (waiting, stepping, waiting, waiting, stepping, stepping)

    assert loud(D, G, times(3, irregular, G_TURN)) == []


def test_wgan_clamps_its_weights_after_the_step() -> None:
    critic = (zero("d"), back("d", "wasserstein"), step("D"), use("d"))

    assert loud(D, G, times(4, times(5, critic), G_TURN)) == []


def test_wgan_gp_deposits_real_fake_and_penalty() -> None:
    critic = (zero("d"), back("d", "real"), back("d", "fake"), back("d", "penalty"), step("D"))

    assert loud(D, G, times(4, times(5, critic), G_TURN)) == []


def test_ddpg_reaches_the_actor_through_the_critic() -> None:
    critic = (zero("c"), back("c", "mse", constants=(2,)), step("critic"))
    actor = (zero("a"), back("ac", "policy"), step("actor"), use("t"))

    found = loud(build("critic", "c"), build("actor", "a"), times(4, critic, actor))

    assert found == []


def test_an_encoder_in_two_optimizers_that_take_turns() -> None:
    one = (zero("eh"), back("eh", "first"), step("one"))
    two = (zero("ek"), back("ek", "second"), step("two"))

    assert play(build("one", "eh"), build("two", "ek"), times(4, one, two)) == []


def test_a_shared_encoder_whose_heads_step_in_between() -> None:
    optimizers = (build("encoder", "e"), build("head_a", "a"), build("head_b", "b"))
    a = (zero("a"), back("ae", "loss_a"), step("head_a"))
    b = (zero("b"), back("be", "loss_b"), step("head_b"))

    assert play(optimizers, times(4, zero("e"), a, b, step("encoder"))) == []


def test_a_shared_encoder_that_steps_before_the_last_head() -> None:
    optimizers = (build("encoder", "e"), build("head_a", "a"), build("head_b", "b"))
    a = (zero("a"), back("ae", "loss_a"), step("head_a"))
    b = (zero("b"), back("be", "loss_b"), step("encoder"), step("head_b"))

    assert play(optimizers, times(4, zero("e"), a, b)) == []


def test_one_joint_loss_and_several_optimizers() -> None:
    loop = times(4, zero("vw"), mean("vw"), step("one"), step("two"))

    assert play(build("one", "v"), build("two", "w"), loop) == []


def test_cadence_one_and_two_on_one_loss() -> None:
    both = mean("vw", loop=MEANT)
    fast, slow = (both, step("fast"), zero("v")), (step("slow"), zero("w"))

    found = play(build("fast", "v"), build("slow", "w"), times(4, fast, fast, slow))

    assert found == []


def test_sam_climbs_and_descends() -> None:
    loop = times(4, mean(), use("w"), zero("w"), mean(at="second"), use("w"), step(), zero("w"))

    assert play(SGD, loop) == []


def test_sam_as_a_loop_of_two() -> None:
    deposit = mean(loop=MEANT)

    assert play(SGD, times(4, deposit, use("w"), zero("w"), deposit, step(), zero("w"))) == []


def test_pcgrad_projects_and_writes() -> None:
    task = (zero("w"), mean(at="task", loop=MEANT))

    assert play(SGD, times(4, times(3, task), assign("w"), step())) == []


def test_mgda_weighs_and_deposits_once_more() -> None:
    task = (mean(at="task"), zero("w"))

    assert loud(SGD, times(4, times(3, task), mean(at="weighted"), step(), zero("w"))) == []


def test_dp_sgd_clips_each_sample_and_writes_the_sum() -> None:
    sample = (mean(loop=MEANT), clip("w"), zero("w"))

    assert play(SGD, times(4, times(8, sample), assign("w"), step(), zero("w"))) == []


def test_a3c_hands_local_gradients_to_the_shared_model() -> None:
    modules = Called("call", "local", (frozenset("l"),))
    local = (zero("l", by_name=True), back("l"), assign("w"), step())

    assert play(SGD, modules, times(4, local)) == []


def test_reptile_writes_the_difference_of_weights() -> None:
    inner = (zero("i"), mean("i", "inner"), step("inner"))
    outer = (assign("w"), step(), zero("w"))

    assert play(SGD, build("inner", "i"), times(4, times(3, inner), outer)) == []


def test_autograd_grad_that_writes_the_gradients() -> None:
    assert play(SGD, times(4, assign("w"), step(), zero("w"))) == []


def test_ema_and_target_networks_are_written_and_never_stepped() -> None:
    assert play(SGD, times(4, zero("w"), mean(), step(), use("t"))) == []


def test_truncated_bptt_steps_at_each_chunk() -> None:
    chunk = (mean(), clip("w"), step(), zero("w"))

    assert play(SGD, times(2, epoch("train"), times(5, chunk))) == []


def test_truncated_bptt_that_steps_once_a_sequence() -> None:
    chunk = back("w", feed="train", reduction=Reduction.MEAN, loop=Loop(per_task=True))

    assert play(SGD, times(4, zero("w"), times(5, chunk), step())) == []


def test_reinforce_sums_over_time_steps() -> None:
    move = back("w", loop=Loop(meant=True, per_task=True))

    assert play(SGD, times(4, zero("w"), times(7, move), step())) == []


def test_a_loop_over_losses() -> None:
    loss = back("w", feed="train", reduction=Reduction.MEAN)

    assert play(SGD, times(4, zero("w"), times(3, loss), step())) == []


def test_batches_skipped_because_the_loss_is_nan() -> None:
    good, bad = (zero("w"), mean(), step()), (zero("w"),)

    assert play(SGD, good, bad, good, good, bad, bad, good) == []


def test_gradients_dropped_because_they_are_nan() -> None:
    good, bad = (mean(), step(), zero("w")), (mean(), zero("w"))

    assert play(SGD, good, bad, good, good, bad, good) == []


def test_a_grad_scalers_first_overflows() -> None:
    loss = mean(scale=65536.0)
    skipped = (zero("w"), loss, scaler_step(skipped=True), scaler_update())
    taken = (zero("w"), loss, scaler_step(), scaler_update())

    assert play(SGD, times(2, skipped), times(3, taken), skipped, times(3, taken)) == []


def test_the_whole_mixed_precision_recipe_with_accumulation() -> None:
    window = times(4, mean(scale=65536.0, constants=(4,), loop=MEANT))
    spend = (unscale(), clip("w"), scaler_step(), scaler_update(), zero("w"), schedule())

    assert play(SGD, times(4, window, spend)) == []


def test_lbfgs_clears_in_its_closure() -> None:
    evaluation = (zero("w"), mean())

    found = play(build("lbfgs", "w"), times(4, closure_step("lbfgs", *[evaluation] * 5)))

    assert found == []


def test_adam_with_a_closure() -> None:
    evaluation = (zero("w"), mean())

    assert play(build("adam", "w"), times(4, closure_step("adam", evaluation))) == []


def test_lightning_automatic_with_accumulation() -> None:
    deposit = mean(constants=(2,))
    window = ((zero("w"), deposit), closure_step("sgd", deposit))

    assert play(SGD, times(4, window)) == []


def test_adam_then_lbfgs() -> None:
    adam = (zero("w"), mean(), step("adam"))
    lbfgs = closure_step("lbfgs", *[(zero("w"), mean(at="closure"))] * 3)

    found = play(build("adam", "w"), times(5, adam), build("lbfgs", "w"), times(5, lbfgs))

    assert found == []


def test_optimizers_in_backward() -> None:
    in_hooks = [(mean(p), step(p), zero(p)) for p in "uvw"]

    assert play(build("u", "u"), build("v", "v"), build("w", "w"), times(4, in_hooks)) == []


def test_lightning_manual_optimization() -> None:
    deposit = mean(constants=(2,), loop=MEANT)

    assert play(SGD, times(4, deposit, deposit, clip("w"), step(), zero("w"))) == []


def test_torchtune_scales_the_gradients_in_place() -> None:
    window = times(4, back("w", feed="train", drawn=True, loop=MEANT))

    assert play(SGD, times(4, window, rescale("w"), step(), zero("w"))) == []


def test_torchtitan_makes_state_by_a_step_on_zero_gradients() -> None:
    container, inner = build("container", "w"), build("inner", "w")
    spend = outer_step("container", step("inner"))

    assert play(container, inner, spend, times(4, zero("w"), mean(), spend)) == []


def test_master_weights_are_written_and_the_models_own_never_stepped() -> None:
    model = Called("call", "model", (frozenset("h"),))
    loop = times(4, mean("h"), assign("w"), step(), zero("h"), zero("w"))

    assert play(SGD, model, loop) == []


def test_accelerate_gates_the_step_inside_a_window() -> None:
    gated = (mean(constants=(2,)), step(effect=Effect.NOTHING))
    open_gate = (mean(constants=(2,)), step(), zero("w"))

    assert play(SGD, times(4, gated, open_gate)) == []


def test_a_validation_loader_in_mid_window() -> None:
    deposit = mean(constants=(2,))
    windows = times(3, deposit, deposit, step(), zero("w"))
    interrupted = (deposit, epoch("validation"), deposit, deposit, step(), zero("w"))

    assert loud(SGD, windows, interrupted) == []


def test_a_cycled_loader() -> None:
    deposit = mean(constants=(2,))
    spend = (step(), zero("w"))

    across = (deposit, epoch("train"), deposit, spend)

    assert play(SGD, times(3, deposit, deposit, spend), times(3, across)) == []


def test_reentrant_checkpointing_is_one_deposit() -> None:
    assert play(build("sgd", "vw"), times(4, zero("vw"), mean("vw"), step())) == []


def test_a_one_shot_script() -> None:
    assert play(SGD, times(4, mean()), step()) == []
    assert play(back("w")) == []
