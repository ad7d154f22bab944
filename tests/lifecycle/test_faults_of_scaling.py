"""Scaling, clipping, ranks and graphs: each fault as a trace, and the trace that is none."""

from __future__ import annotations

from traces import (
    back,
    build,
    clip,
    faults,
    loud,
    play,
    rescale,
    scaler_step,
    scaler_update,
    step,
    times,
    unscale,
    zero,
)

SGD = build("sgd", "w")
SCALED = back("w", scale=65536.0)


def test_a_clip_after_the_step_is_clip_after_step() -> None:
    loop = times(2, zero("w"), back("w"), step(), clip("w"))

    assert play(SGD, loop) == ["error clip-after-step at clip"]


def test_a_clip_before_the_backward_is_clip_before_backward() -> None:
    loop = times(2, zero("w"), clip("w"), back("w"), step())

    assert play(SGD, loop) == ["error clip-before-backward at clip"]


def test_a_clip_of_spent_gradients_in_a_closure_comes_before_its_backward() -> None:
    loop = times(2, clip("w", evaluating=True), zero("w"), back("w"), step())

    assert play(SGD, loop) == ["error clip-before-backward at clip"]


def test_a_clip_between_backward_and_step_is_right() -> None:
    loop = times(2, zero("w"), back("w"), clip("w"), step())

    assert play(SGD, loop) == []


def test_a_clip_that_only_measures_may_stand_anywhere() -> None:
    loop = times(2, zero("w"), back("w"), step(), clip("w", measures=True))

    assert play(SGD, loop) == []


def test_a_second_clip_after_the_step_is_for_the_log() -> None:
    loop = times(3, zero("w"), back("w"), clip("w"), step(), clip("w"))

    assert play(SGD, loop) == []


def test_a_clip_of_two_optimizers_is_right_when_one_of_them_is_fresh() -> None:
    both = (build("one", "v"), build("two", "w"))
    loop = times(3, zero("vw"), back("vw"), clip("v"), step("one"), clip("vw"), step("two"))

    assert play(both, loop) == []


def test_a_clip_at_each_micro_batch_is_clip_inside_window() -> None:
    window = times(4, back("w", constants=(4,)), clip("w"))

    found = play(SGD, times(2, window, step(), zero("w")))

    assert found == ["warning clip-inside-window at clip"]


def test_two_clips_of_one_micro_batch_are_not_two_micro_batches() -> None:
    window = (times(2, back("w", constants=(2,))), clip("w"), clip("w"))

    assert play(SGD, times(3, window, step(), zero("w"))) == []


def test_unscaling_at_each_micro_batch_is_clip_inside_window() -> None:
    micro_batch = (back("w", constants=(4,), scale=8.0), unscale(), scaler_update())
    window = (times(4, micro_batch), scaler_step(), scaler_update(), zero("w"))

    assert play(SGD, times(2, window)) == ["warning clip-inside-window at unscale"]


def test_an_unscale_of_empty_accounts_touches_no_window() -> None:
    half = back("w", constants=(2,), scale=8.0)
    window = (unscale(), scaler_update(), half, unscale(), scaler_update(), half)

    assert play(SGD, times(2, zero("w"), *window, step())) == ["error scaled-step at sgd.step"]


def test_a_clip_under_the_loss_scale_is_clip_before_unscale() -> None:
    loop = times(2, zero("w"), SCALED, clip("w"), scaler_step(), scaler_update())

    assert play(SGD, loop) == ["error clip-before-unscale at clip"]


def test_a_clip_after_unscale_is_the_recipe() -> None:
    loop = times(2, zero("w"), SCALED, unscale(), clip("w"), scaler_step(), scaler_update())

    assert play(SGD, loop) == []


def test_a_clip_under_a_scale_of_one_is_right() -> None:
    loop = times(2, zero("w"), back("w", scale=1.0), clip("w"), scaler_step(), scaler_update())

    assert play(SGD, loop) == []


def test_a_clip_after_unscaling_by_hand_is_right() -> None:
    loop = times(2, zero("w"), SCALED, rescale("w"), clip("w"), step())

    assert play(SGD, loop) == []


def test_a_clipped_deposit_that_is_cleared_was_no_fault() -> None:
    probe = (back("w", "probe", scale=8.0), clip("w"), zero("w"))

    found = loud(SGD, times(3, probe, SCALED, unscale(), scaler_step(), scaler_update()))

    assert found == []


def test_a_step_outside_the_scaler_on_scaled_deposits_is_scaled_step() -> None:
    loop = times(2, zero("w"), SCALED, step())

    assert play(SGD, loop) == ["error scaled-step at sgd.step"]


def test_a_scaler_step_on_deposits_without_a_scale_is_scaled_step() -> None:
    loop = times(2, zero("w"), back("w"), scaler_step(), scaler_update())

    assert play(SGD, loop) == ["error scaled-step at scaler.step"]


def test_a_disabled_scaler_scales_nothing() -> None:
    loop = times(3, zero("w"), back("w"), scaler_step(enabled=False))

    assert play(SGD, loop) == []


def test_a_step_on_unscaled_deposits_needs_no_scaler() -> None:
    loop = times(2, zero("w"), SCALED, unscale(), step(), scaler_update())

    assert play(SGD, loop) == []


def test_a_scaler_without_update_is_scaler_not_updated() -> None:
    loop = times(2, zero("w"), SCALED, scaler_step())

    assert play(SGD, loop) == ["error scaler-not-updated at scaler.step"]


def test_scaler_not_updated_stands_on_the_earlier_call() -> None:
    first, second = scaler_step(at="first"), scaler_step(at="second")

    (fault,) = faults(SGD, SCALED, first, zero("w"), SCALED, second)

    assert fault.place == "first"
    assert [(witness.what, witness.place) for witness in fault.witnesses] == [
        ("called here", "first"),
        ("and here, with no update", "second"),
    ]


def test_an_unscale_after_a_step_without_update_is_scaler_not_updated() -> None:
    found = play(SGD, SCALED, scaler_step(), zero("w"), SCALED, unscale())

    assert found == ["error scaler-not-updated at scaler.step"]


def test_two_optimizers_of_one_scaler_need_one_update() -> None:
    both = (build("one", "v"), build("two", "w"))
    loss = back("vw", scale=8.0)
    steps = (scaler_step("one"), scaler_step("two"), scaler_update())

    assert play(both, times(3, zero("vw"), loss, steps)) == []


def test_an_abandoned_unscale_needs_an_update_too() -> None:
    found = play(SGD, SCALED, unscale(), zero("w"), SCALED, unscale(), scaler_step())

    assert found == ["error scaler-not-updated at unscale"]


def test_an_abandoned_unscale_before_a_scaler_step_needs_an_update_too() -> None:
    found = play(SGD, SCALED, unscale(), zero("w"), SCALED, scaler_step(), scaler_update())

    assert found == ["error scaler-not-updated at unscale"]


def test_a_clear_between_unscale_and_scaler_step_is_zero_before_step_alone() -> None:
    window = (SCALED, unscale(), zero("w"), scaler_step(), scaler_update())

    assert play(SGD, times(3, window)) == ["error zero-before-step at zero"]


def test_a_clear_of_one_layer_after_unscale_abandons_nothing() -> None:
    both = build("sgd", "vw")
    window = (
        back("vw", scale=8.0),
        unscale(),
        zero("v"),
        scaler_step(),
        scaler_update(),
        zero("w"),
    )

    assert play(both, times(3, window)) == []


def test_an_abandoned_unscale_of_one_optimizer_leaves_the_other_alone() -> None:
    both = (build("one", "v"), build("two", "w"))
    loss = back("vw", scale=8.0)
    trace = (loss, unscale("one"), unscale("two"), zero("v"), scaler_step("two"), scaler_update())

    assert play(both, trace, clean=False) == []


def test_unscale_twice_is_unscaled_twice() -> None:
    found = play(SGD, SCALED, unscale(), unscale(), scaler_step(), scaler_update())

    assert found == ["error unscaled-twice at unscale"]


def test_a_closing_micro_batch_that_is_not_reduced_is_never_synced() -> None:
    unsynced = back("w", constants=(2,), synced=False)

    found = play(SGD, times(2, unsynced, unsynced, step(), zero("w")))

    assert found == ["error never-synced at loss.backward"]


def test_never_synced_stands_on_the_context_that_decided_it() -> None:
    unsynced = back("w", synced=False, sync_place="with model.no_sync()")

    assert play(SGD, unsynced, step()) == ["error never-synced at with model.no_sync()"]


def test_a_closing_micro_batch_past_its_wrapper_is_wrapper_bypassed() -> None:
    bypassed = back("w", synced=False, bypass="net(x)")

    found = play(SGD, times(2, bypassed, step(), zero("w")))

    assert found == ["error wrapper-bypassed at net(x)"]


def test_a_window_whose_last_micro_batch_is_reduced_is_right() -> None:
    unsynced, synced = (
        back("w", constants=(2,), synced=False),
        back("w", constants=(2,), synced=True),
    )

    assert play(SGD, times(3, unsynced, synced, step(), zero("w"))) == []


def test_gradients_reduced_by_hand_are_right() -> None:
    unsynced = back("w", synced=False)

    assert play(SGD, times(3, unsynced, rescale("w"), step(), zero("w"))) == []


def test_an_unsynced_deposit_that_was_cleared_is_not_spent() -> None:
    probe = (back("w", "probe", synced=False), zero("w"))

    assert loud(SGD, times(3, back("w", synced=True), probe, step())) == [
        "error zero-before-step at zero"
    ]


def test_every_micro_batch_reduced_is_sync_each_micro_batch() -> None:
    synced = back("w", constants=(2,), synced=True)

    found = faults(SGD, times(4, synced, synced, step(), zero("w")))

    assert [fault.rule for fault in found] == ["sync-each-micro-batch"]


def test_one_window_reduced_at_each_micro_batch_is_no_habit() -> None:
    synced = back("w", constants=(2,), synced=True)

    assert play(SGD, synced, synced, step(), zero("w")) == []


def test_a_root_deposited_again_before_any_step_is_backward_twice() -> None:
    first, again = back("w", "loss", root=1), back("w", "total", root=2, reaches=(1,))

    assert play(SGD, first, again, step()) == ["warning backward-twice at total.backward"]


def test_a_root_whose_deposit_was_spent_may_be_walked_again() -> None:
    first, again = back("w", "loss", root=1), back("w", "total", root=2, reaches=(1,))

    assert play(SGD, first, step(), zero("w"), again, step()) == []


def test_a_repeated_deposit_that_is_cleared_was_no_fault() -> None:
    first, again = back("w", "loss", root=1), back("w", "total", root=2, reaches=(1,))

    assert play(SGD, first, again, zero("w"), back("w"), step()) == []


def test_a_repeated_deposit_is_not_told_again_at_the_step_of_another_owner() -> None:
    built = build("sgd", "w"), build("adam", "w")
    first, again = back("w", "loss", root=1), back("w", "loss", root=1, reaches=(1,))
    twice = first, again, step("adam"), zero("w"), back("w", "other"), step("sgd"), zero("w")

    assert [fault.rule for fault in faults(*built, *twice)] == ["backward-twice"]


def test_a_clip_of_scaled_gradients_is_not_told_again_at_the_step_of_another_owner() -> None:
    built = build("sgd", "w"), build("adam", "w")
    scaled = SCALED, clip("w"), step("adam"), zero("w"), back("w", "other"), step("sgd"), zero("w")

    assert [fault.rule for fault in faults(*built, *scaled)].count("clip-before-unscale") == 1


def test_a_write_silences_backward_twice() -> None:
    first, again = back("w", "loss", root=1), back("w", "total", root=2, reaches=(1,))

    assert play(SGD, first, again, rescale("w"), step()) == []


def test_eight_living_graphs_of_twelve_are_kept_graph() -> None:
    keeping = (zero("w"), back("w"), step(kept="total += loss"))

    assert play(SGD, times(7, keeping)) == []
    assert play(SGD, times(9, keeping)) == ["warning kept-graph at total += loss"]


def test_every_second_graph_alive_is_few_enough() -> None:
    keeping, freeing = step(kept="total += loss"), step()
    loop = (zero("w"), back("w"), keeping, zero("w"), back("w"), freeing)

    assert play(SGD, times(20, loop)) == []
