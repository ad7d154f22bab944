"""Clearing: each fault as a trace, and the trace next to it that is none."""

from __future__ import annotations

from traces import (
    assign,
    back,
    build,
    closure_step,
    faults,
    loud,
    overwrite,
    play,
    rescale,
    scaler_step,
    step,
    tally,
    times,
    update_by_hand,
    use,
    zero,
)

from zerograd.lifecycle import Loop

SGD = build("sgd", "w")
D, G = build("D", "d"), build("G", "g")
MEANT = Loop(meant=True)


def test_backward_onto_a_spent_account_is_missing_zero() -> None:
    loop = times(3, back("w"), step())

    assert play(SGD, loop) == ["error missing-zero at loss.backward"]


def test_a_clear_in_each_round_makes_it_right() -> None:
    loop = times(3, zero("w"), back("w"), step())

    assert play(SGD, loop) == []


def test_a_clear_before_the_loop_is_not_enough() -> None:
    loop = times(3, back("w"), step())

    assert play(SGD, zero("w"), loop) == ["error missing-zero at loss.backward"]


def test_missing_zero_names_the_spend_and_the_last_clear() -> None:
    (entry,) = tally(SGD, zero("w"), times(3, back("w"), step()))

    assert [(witness.what, witness.place) for witness in entry.fault.witnesses] == [
        ("spent here", "sgd.step"),
        ("deposited again here", "loss.backward"),
    ]
    assert entry.fault.readings == {"last_clear": "zero"}
    assert (entry.count, entry.first_step, entry.last_step) == (2, 2, 3)


def test_a_clear_that_forgets_one_parameter_is_missing_zero() -> None:
    loop = times(3, zero("v"), back("vw"), step())

    assert play(build("sgd", "vw"), loop) == ["error missing-zero at loss.backward"]


def test_what_a_clear_repairs_before_any_step_was_no_fault() -> None:
    loop = times(3, back("w", "probe"), zero("w"), back("w"), step(), back("w", "metric"))

    assert loud(SGD, loop, zero("w")) == []


def test_missing_zero_stands_on_the_deposit_that_no_other_optimizer_spends() -> None:
    # G's backward reaches D, is spent by G, and lies fresh in D before D's own deposit.
    loop = times(3, back("d", "d_loss"), step("D"), zero("g"), back("dg", "g_loss"), step("G"))

    assert play(D, G, loop) == ["error missing-zero at d_loss.backward"]


def test_missing_zero_stands_on_the_oldest_deposit_when_all_are_shared() -> None:
    loop = times(3, zero("g"), back("dg"), step("G"), step("D"))

    assert play(D, G, loop) == ["error missing-zero at loss.backward"]


def test_a_manual_update_without_a_clear_is_missing_zero() -> None:
    loop = times(3, back("w"), update_by_hand("w"))

    assert play(loop) == ["error missing-zero at loss.backward"]


def test_a_manual_update_with_a_clear_is_a_step() -> None:
    loop = times(3, back("vw"), update_by_hand("v"), update_by_hand("w"), zero("vw"))

    assert play(loop) == []


def test_a_multiple_of_a_stale_gradient_stays_stale() -> None:
    loop = times(3, back("w"), step(), rescale("w"))

    assert play(SGD, loop) == ["error missing-zero at loss.backward"]


def test_overwriting_a_stale_gradient_replaces_it() -> None:
    loop = times(3, overwrite("w"), back("w"), step())

    assert play(SGD, back("w"), step(), loop) == []


def test_zero_between_backward_and_step_is_zero_before_step() -> None:
    loop = times(3, back("w"), zero("w"), step())

    assert play(SGD, loop) == ["error zero-before-step at zero"]


def test_zero_before_step_shows_the_way_of_the_lost_deposit() -> None:
    (entry,) = tally(SGD, back("w"), zero("w"), step())

    assert [witness.what for witness in entry.fault.witnesses] == [
        "deposited here",
        "cleared here",
        "nothing left to spend here",
    ]


def test_a_deposit_after_the_clear_makes_it_right() -> None:
    assert play(SGD, back("w", "probe"), zero("w"), back("w"), step()) == []


def test_a_deposit_that_was_used_is_not_thrown_away() -> None:
    assert play(SGD, back("w"), use("w"), zero("w"), step()) == []


def test_a_deposit_that_another_optimizer_spent_is_not_thrown_away() -> None:
    loop = times(3, back("w"), step("other"), zero("w"), step())

    assert play(SGD, build("other", "w"), loop) == []


def test_a_clear_at_each_micro_batch_is_zero_inside_window() -> None:
    window = times(4, zero("w"), back("w", loop=MEANT))

    assert play(SGD, times(3, window, step())) == ["error zero-inside-window at zero"]


def test_zero_inside_window_needs_three_windows() -> None:
    window = times(4, zero("w"), back("w", loop=MEANT))

    assert play(SGD, times(2, window, step())) == []


def test_zero_inside_window_that_nothing_shows_as_meant_is_a_hint() -> None:
    window = times(4, zero("w"), back("w"))

    assert play(SGD, times(3, window, step())) == ["hint zero-inside-window at zero"]


def test_windows_of_different_length_show_no_habit() -> None:
    micro_batch = (zero("w"), back("w", loop=MEANT))

    trace = (times(4, micro_batch), step(), times(3, micro_batch), step(), times(4, micro_batch))

    assert play(SGD, trace, step()) == []


def test_a_clear_from_two_lines_shows_no_habit() -> None:
    deposit = back("w", loop=MEANT)
    window = (zero("w"), deposit, zero("w"), deposit, zero("w", "other"), deposit, step())

    assert play(SGD, times(3, window)) == []


def test_a_write_silences_zero_inside_window() -> None:
    window = times(4, zero("w"), back("w", loop=MEANT))

    assert play(SGD, times(3, window, rescale("w"), step())) == []


def test_one_clear_of_several_deposits_is_not_a_clear_at_each() -> None:
    deposit = back("w", loop=MEANT)
    window = (deposit, deposit, zero("w"), deposit, step(), zero("w"))

    assert play(SGD, times(3, window)) == []


def test_the_only_clear_of_a_window_before_its_last_deposit_is_zero_inside_window() -> None:
    deposit = back("w", loop=MEANT)
    window = (deposit, deposit, zero("w"), deposit, step())

    assert play(SGD, times(3, window)) == ["error zero-inside-window at zero"]


def test_what_another_optimizers_backward_left_behind_is_a_leaked_deposit() -> None:
    generator = (zero("g"), back("dg", "g_loss"), step("G"))
    discriminator = (back("d", "d_loss"), step("D"), zero("d"))

    found = play(D, G, times(3, generator, discriminator))

    assert found == ["warning leaked-deposit at D.step"]


def test_the_first_window_shows_no_leak_yet() -> None:
    generator = (zero("g"), back("dg", "g_loss"), step("G"))
    discriminator = (back("d", "d_loss"), step("D"), zero("d"))

    assert play(D, G, generator, discriminator) == []


def test_a_deposit_that_the_other_optimizer_did_not_spend_each_time_is_no_leak() -> None:
    both = (back("dg", "shared"), back("d", "own"), step("D"), zero("dg"))
    spent = (back("dg", "shared"), step("G"), back("d", "own"), step("D"), zero("dg"))

    assert loud(D, G, both, times(3, spent)) == []


def test_a_skipped_step_on_two_sources_leaks_nothing() -> None:
    regular = times(2, zero("w"), back("w"), step())
    skipped = (zero("w"), back("w", "a", scale=8.0), back("w", "b", scale=8.0))

    assert play(SGD, regular, skipped, scaler_step(skipped=True)) == []


def test_a_newest_source_that_the_other_optimizer_spends_too_is_no_leak() -> None:
    shared, own = back("dg", "shared"), back("d", "own")
    window = (shared, step("G"), zero("g"), own, shared, step("D"), zero("d"), step("G"), zero("g"))

    assert play(D, G, times(4, window)) == []


def test_a_closure_that_never_clears_is_zero_outside_closure() -> None:
    evaluations = closure_step("lbfgs", back("w"), back("w"))

    found = play(build("lbfgs", "w"), times(3, evaluations))

    assert found == ["error zero-outside-closure at loss.backward"]


def test_a_closure_that_clears_is_right() -> None:
    evaluation = (zero("w"), back("w"))

    found = play(build("lbfgs", "w"), times(3, closure_step("lbfgs", evaluation, evaluation)))

    assert found == []


def test_a_closure_that_is_not_evaluated_is_judged_when_the_step_returns() -> None:
    found = play(build("sgd", "w"), back("w"), times(2, closure_step("sgd")))

    assert found == ["error spent-twice at sgd.step"]


def test_a_deposit_after_the_last_evaluation_lies_in_the_next_window() -> None:
    inside = closure_step("sgd", (zero("w"), back("w")))
    left_over = (*inside[:-1], back("w", "metric"), inside[-1])

    found = play(SGD, left_over, step())

    assert found == ["error missing-zero at metric.backward"]


def test_the_end_of_a_step_that_nobody_saw_begin_is_nothing() -> None:
    _, evaluations, ends = closure_step("sgd", back("w"))

    assert play(SGD, evaluations, ends, step()) == []


def test_a_closure_evaluated_once_without_a_clear_is_missing_zero() -> None:
    found = play(build("adam", "w"), times(3, closure_step("adam", back("w"))))

    assert found == ["error missing-zero at loss.backward"]


def test_an_in_place_clear_of_a_tracked_gradient_is_zero_in_graph() -> None:
    loop = times(2, back("w", tracked=True), step(), zero("w", keeps_graph=True))

    assert play(SGD, loop) == ["warning zero-in-graph at zero"]


def test_a_clear_that_detaches_leaves_the_graph_alone() -> None:
    loop = times(2, back("w", tracked=True), step(), zero("w"))

    assert play(SGD, loop) == []


def test_an_in_place_clear_of_an_untracked_gradient_is_right() -> None:
    loop = times(2, back("w"), step(), zero("w", keeps_graph=True))

    assert play(SGD, loop) == []


def test_one_step_with_two_faults_reports_the_first_with_the_other_as_witness() -> None:
    window = (times(2, back("w", constants=(8,))), step())
    *_, last = faults(SGD, times(2, window))

    assert last.rule == "missing-zero"
    assert [witness.what for witness in last.witnesses] == [
        "spent here",
        "deposited again here",
        "also wrong-divisor",
    ]


def test_a_scaler_step_on_a_spent_account_is_missing_zero() -> None:
    loop = times(2, back("w", scale=8.0), scaler_step(skipped=True))

    assert "error missing-zero at loss.backward" in play(SGD, loop)


def test_an_assignment_starts_a_fresh_account() -> None:
    assert play(SGD, times(3, back("w"), assign("w"), step())) == []
