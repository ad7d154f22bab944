"""Spending and ownership: each fault as a trace, and the trace next to it that is none."""

from __future__ import annotations

from typing import Any

from traces import (
    assign,
    back,
    build,
    epoch,
    faults,
    loud,
    outer_step,
    play,
    rescale,
    scaler_step,
    scaler_update,
    step,
    times,
    update_by_hand,
    use,
    zero,
)

from zerograd.lifecycle import (
    Called,
    Dispose,
    Effect,
    Event,
    Extend,
    Ledger,
    Loop,
    Step,
    Unfreeze,
    Write,
    Writing,
)

SGD = build("sgd", "w")
TRAIN = (zero("w"), back("w"), step())


def called(*leaves: str, module: str = "model", **facts: Any) -> Event:
    return Called("call", module, tuple(frozenset(leaf) for leaf in leaves), **facts)


def test_a_second_step_without_a_backward_is_spent_twice() -> None:
    again = step(condition=None)

    found = play(SGD, times(2, zero("w"), back("w"), step(), again))

    assert found == ["error spent-twice at sgd.step"]


def test_a_clear_between_two_steps_makes_the_second_one_without_backward() -> None:
    found = play(SGD, back("w"), step(), zero("w"), step())

    assert found == ["error step-without-backward at sgd.step"]


def test_a_write_between_two_steps_is_not_spent_twice() -> None:
    assert play(SGD, times(2, zero("w"), back("w"), step(), rescale("w"), step())) == []


def test_a_parameter_left_stale_beside_fresh_ones_is_spent_twice() -> None:
    both = build("sgd", "vw")

    found = play(both, back("v"), step(), back("w"), step())

    assert found == ["error spent-twice at sgd.step"]


def test_a_parameter_left_stale_beside_a_mixed_one_is_missing_zero() -> None:
    both = build("sgd", "vw")

    found = play(both, back("vw"), step(), back("w"), step())

    assert found == ["error missing-zero at loss.backward"]


def test_a_step_with_nothing_deposited_since_the_last_is_step_without_backward() -> None:
    found = play(SGD, TRAIN, zero("w"), step())

    assert found == ["error step-without-backward at sgd.step"]


def test_a_step_that_makes_state_on_zero_gradients_is_right() -> None:
    assert play(SGD, step(), times(3, TRAIN)) == []


def test_three_steps_of_a_run_without_any_backward_are_a_fault() -> None:
    assert play(SGD, times(2, step())) == []
    assert play(SGD, times(3, step())) == ["error step-without-backward at sgd.step"]


def test_a_backward_that_reached_none_of_the_optimizer_is_a_hint_once() -> None:
    found = faults(SGD, TRAIN, times(3, zero("w"), back("x", "other"), step()))

    hints = [fault for fault in found if fault.rule == "step-without-backward"]
    assert [fault.severity.value for fault in hints] == ["hint"]


def test_a_written_gradient_is_something_to_spend() -> None:
    assert play(SGD, times(3, assign("w"), step(), zero("w"))) == []


def test_deposits_that_no_step_spends_are_never_spent() -> None:
    found = play(SGD, times(3, zero("w"), back("w")))

    assert found == ["warning never-spent at sgd built"]


def test_a_template_whose_parameters_another_optimizer_steps_is_right() -> None:
    assert play(build("template", "w"), SGD, times(3, TRAIN)) == []


def test_what_an_exception_cut_short_may_have_been_spent_later() -> None:
    assert play(SGD, times(3, zero("w"), back("w")), clean=False) == []


def test_one_deposit_spent_by_two_optimizers_is_shared_parameter() -> None:
    loop = times(2, zero("w"), back("w"), step("one"), step("two"))

    found = play(build("one", "w"), build("two", "w"), loop)

    assert found == ["error shared-parameter at two built"]


def test_shared_parameter_names_the_other_construction() -> None:
    loop = times(3, zero("w"), back("w"), step("one"), step("two"))

    (fault,) = faults(build("one", "w"), build("two", "w"), loop)

    assert [witness.place for witness in fault.witnesses] == ["one built", "two.step"]


def test_one_window_of_sharing_is_no_habit() -> None:
    loop = (zero("w"), back("w"), step("one"), step("two"))

    assert play(build("one", "w"), build("two", "w"), loop) == []


def test_optimizers_that_take_turns_share_nothing() -> None:
    turn_one = (zero("w"), back("w", "a"), step("one"))
    turn_two = (zero("w"), back("w", "b"), step("two"))

    assert play(build("one", "w"), build("two", "w"), times(3, turn_one, turn_two)) == []


def test_a_construction_that_repeats_a_term_is_shared_parameter() -> None:
    found = play(build("sgd", "w", repeats=True), times(3, TRAIN))

    assert found == ["error shared-parameter at sgd built"]


def test_two_optimizers_over_one_set_while_a_sibling_has_none_are_shared_parameter() -> None:
    one = (zero("v"), back("v", "a"), step("one"))
    two = (zero("v"), back("w", "c"), back("vw", "b"), step("two"))

    sibling = called("w", module="sibling")

    found = play(build("one", "v"), build("two", "v"), sibling, times(3, one, two))

    assert found == ["error shared-parameter at two built"]


def test_two_optimizers_take_turns_over_one_set_beside_a_network_in_none() -> None:
    one, two = (zero("v"), back("vw", "a"), step("one")), (zero("v"), back("vw", "b"), step("two"))

    teacher = called("w", module="teacher")

    assert loud(build("one", "v"), build("two", "v"), teacher, times(3, one, two)) == []


def test_a_flush_after_whole_windows_that_finds_nothing_is_silent() -> None:
    window = (back("w"), back("w"), step("sgd"), zero("w"))
    flush = Step("flush", "sgd", effect=Effect.STILL)

    assert loud(build("sgd", "w"), times(2, times(3, *window), flush)) == []


def test_a_step_that_finds_nothing_now_and_then_is_a_skipped_backward() -> None:
    window = zero("w"), back("w"), step()
    skipped = zero("w"), Step("sgd.step", "sgd", effect=Effect.STILL)

    found = play(build("sgd", "w"), times(3, times(4, *window), skipped, skipped))

    assert found == ["hint step-without-backward at sgd.step"]


def test_a_step_that_finds_nothing_every_other_time_is_no_skipped_backward() -> None:
    window = zero("w"), back("w"), step()
    skipped = zero("w"), Step("sgd.step", "sgd", effect=Effect.STILL)

    found = play(build("sgd", "w"), times(6, *window, skipped))

    assert found == ["error step-without-backward at sgd.step"]


def test_a_step_on_nothing_after_each_window_is_no_flush() -> None:
    window = (back("w"), back("w"), step("sgd"), zero("w"))
    again = Step("again", "sgd", effect=Effect.STILL)

    found = loud(build("sgd", "w"), times(4, *window, again))

    assert found == ["error step-without-backward at again"]


def test_the_blocks_of_a_model_are_stepped_in_turn() -> None:
    clear, deposit = zero("vw"), back("vw", loop=Loop(meant=True))
    rounds = (clear, deposit, step("v"), clear, deposit, step("w"))

    assert loud(build("v", "v"), build("w", "w"), times(4, *rounds)) == []


def test_two_optimizers_over_one_set_while_an_input_is_differentiated_take_turns() -> None:
    one, two = (zero("v"), back("vx", "a"), step("one")), (zero("v"), back("vx", "b"), step("two"))

    found = play(build("one", "v"), build("two", "v"), called("v"), times(3, one, two))

    assert found == ["hint orphan-parameter at one built"]


def test_an_optimizer_that_was_never_stepped_is_no_twin() -> None:
    loop = times(3, zero("v"), back("vw"), step("one"))

    found = loud(build("one", "v"), build("two", "v"), called("w", module="sibling"), loop)

    assert "error shared-parameter at two built" not in found


def test_gradients_that_never_move_a_parameter_are_step_without_effect() -> None:
    still = times(3, zero("w"), back("w"), step(effect=Effect.STILL))

    assert play(SGD, still) == ["warning step-without-effect at sgd.step"]


def test_steps_that_the_scaler_skipped_prove_no_effect() -> None:
    skipped = (zero("w"), back("w", scale=8.0), scaler_step(skipped=True), scaler_update())

    assert play(SGD, times(5, skipped)) == []


def test_calls_that_do_nothing_at_all_are_step_without_effect() -> None:
    still = times(3, zero("w"), back("w"), step(effect=Effect.NOTHING))

    assert play(SGD, still) == ["warning step-without-effect at sgd.step"]


def test_one_call_that_moved_a_parameter_is_effect_enough() -> None:
    gated = times(7, back("w"), step(effect=Effect.NOTHING))

    assert play(SGD, times(2, gated, back("w"), step(), zero("w"))) == []


def test_a_call_that_does_nothing_leaves_the_window_open() -> None:
    gated = (back("w", constants=(2,)), step(effect=Effect.NOTHING))
    spending = (back("w", constants=(2,)), step(), zero("w"))

    assert play(SGD, times(3, gated, spending)) == []


def test_deposits_outside_every_optimizer_are_an_orphan_hint() -> None:
    found = play(SGD, times(3, zero("w"), back("vw"), step()))

    assert found == ["hint orphan-parameter at sgd built"]


def test_orphans_without_any_optimizer_are_nobodys_fault() -> None:
    assert play(back("w")) == []


def test_an_orphan_whose_gradient_corrects_an_owned_one_in_place_is_used() -> None:
    correct = Write("p.grad.sub_", frozenset("w"), Writing.OVERWRITE)

    found = play(SGD, times(3, zero("vw"), back("vw"), correct, step()))

    assert found == []


def test_an_orphan_in_a_leaf_with_owned_parameters_is_a_warning() -> None:
    found = play(SGD, called("vw"), times(3, zero("w"), back("vw"), step()))

    assert found == ["warning orphan-parameter at sgd built"]


def test_an_orphan_that_runs_after_an_owned_parameter_is_a_warning() -> None:
    found = play(SGD, called("w", "v"), times(3, zero("w"), back("vw"), step()))

    assert found == ["warning orphan-parameter at sgd built"]


def test_a_backbone_before_a_linear_probe_is_a_hint() -> None:
    found = play(SGD, called("v", "w"), times(3, zero("w"), back("vw"), step()))

    assert found == ["hint orphan-parameter at sgd built"]


def test_an_orphan_that_was_unfrozen_is_a_warning() -> None:
    unfreeze = Unfreeze("unfreeze", frozenset("v"))

    found = play(SGD, unfreeze, times(3, zero("w"), back("vw"), step()))

    assert found == ["warning orphan-parameter at sgd built"]


def test_an_orphan_cleared_by_name_beside_a_stepped_module_is_a_warning() -> None:
    modules = (called("w", module="critic"), called("v", module="actor"))
    loop = times(3, zero("v", "actor.zero_grad", by_name=True), zero("w"), back("vw"), step())

    found = play(SGD, modules, loop)

    assert found == ["warning orphan-parameter at sgd built"]


def test_an_orphan_cleared_by_hand_as_well_is_a_hint() -> None:
    modules = (called("w", module="critic"), called("v", module="actor"))
    by_name, by_hand = zero("v", "actor.zero_grad", by_name=True), zero("v")
    loop = times(3, by_name, zero("w"), back("vw"), step(), by_hand)

    assert loud(SGD, modules, loop) == []


def test_an_orphan_cleared_by_name_beside_nothing_called_is_a_hint() -> None:
    loop = times(3, zero("v", "actor.zero_grad", by_name=True), zero("w"), back("vw"), step())

    assert loud(SGD, called("v", module="actor"), loop) == []


def test_orphans_that_were_used_are_no_orphans() -> None:
    loop = times(3, zero("w"), back("v"), assign("w"), step(), zero("v"))

    assert play(SGD, loop) == []


def test_orphans_of_several_severities_are_one_fault() -> None:
    trace = (Unfreeze("unfreeze", frozenset("u")), times(3, zero("w"), back("uw"), back("vw")))

    (fault,) = [f for f in faults(SGD, trace, step()) if f.rule == "orphan-parameter"]

    assert fault.severity.value == "warning"
    assert fault.readings == {"parameters": frozenset("uv")}


def test_an_orphan_stands_on_the_optimizer_of_its_own_module() -> None:
    modules = (called("u", module="other"), called("w", "v"))
    loop = times(3, zero("uw"), back("uvw"), step("first"), step())

    found = play(build("first", "u"), SGD, modules, loop)

    assert found == ["warning orphan-parameter at sgd built"]


def test_an_orphan_in_a_module_that_nobody_owns_stands_on_the_first_optimizer() -> None:
    modules = (called("v", module="other"), called("w"))

    found = play(SGD, modules, times(3, zero("w"), back("vw"), step()))

    assert found == ["hint orphan-parameter at sgd built"]


def test_a_parameter_that_no_backward_reaches_is_a_dead_hint() -> None:
    loop = times(3, zero("vw"), back("w"), step())

    assert play(build("sgd", "vw"), loop) == ["hint dead-parameter at sgd built"]


def test_a_called_module_that_no_backward_reaches_is_a_warning() -> None:
    modules = (called("v", module="encoder"), called("w"))
    loop = times(3, zero("vw"), back("w"), step())

    assert play(build("sgd", "vw"), modules, loop) == ["warning dead-parameter at sgd built"]


def test_nothing_is_dead_in_a_run_that_trains_nothing() -> None:
    assert play(SGD, called("w")) == []


def test_a_step_without_backward_says_it_for_dead_parameters() -> None:
    both = build("sgd", "vw")

    found = play(both, back("w"), step(), zero("w"), step())

    assert found == ["error step-without-backward at sgd.step"]


def test_an_optimizer_over_a_replaced_head_is_stale() -> None:
    model = called("a", "n")
    loop = times(3, zero("ao"), back("an"), step())

    assert play(build("sgd", "ao"), model, loop) == ["error stale-optimizer at sgd built"]


def test_a_stale_head_that_keeps_its_gradient_is_not_spent_twice() -> None:
    before = (called("a", "o"), zero("ao"), back("ao"), step())
    after = (called("a", "n"), times(3, zero("a"), back("an"), step()))

    found = play(build("sgd", "ao"), before, after)

    assert found == ["error stale-optimizer at sgd built"]


def test_an_optimizer_over_a_replaced_model_is_stale_by_shapes() -> None:
    trace = (called("n", shapes="4x2"), times(3, zero("o"), back("n"), step()))

    found = play(build("sgd", "o", shapes="4x2"), trace)

    assert found == ["error stale-optimizer at sgd built"]


def test_a_model_of_other_shapes_is_another_model() -> None:
    trace = (called("n", shapes="9x9"), times(3, zero("o"), back("n"), step()))

    assert loud(build("sgd", "o", shapes="4x2"), trace) == []


def test_a_head_that_is_idle_for_one_window_is_not_stale() -> None:
    trace = (called("a", "n"), zero("ao"), back("ao"), step(), zero("ao"), back("an"), step())

    assert "error stale-optimizer at sgd built" not in play(build("sgd", "ao"), trace)


def test_add_param_group_makes_an_owner() -> None:
    extend = Extend("add_param_group", "sgd", frozenset("v"))
    loop = times(3, zero("vw"), back("vw"), step())

    assert play(SGD, back("v"), extend, loop) == []


def test_what_is_disposed_of_is_forgotten() -> None:
    inner = build("inner", "v")
    gone = Dispose("gone", "inner", frozenset("v"))

    assert play(SGD, times(3, inner, back("v", "inner"), gone, TRAIN)) == []


def test_manual_updates_of_parameters_that_are_gone_are_forgotten() -> None:
    ledger = Ledger()
    gone = Dispose("gone", None, frozenset("w"))

    for event in (back("w"), update_by_hand("w"), gone):
        ledger.post(event)

    assert ledger.books.owners == {}


def test_a_scaler_forgets_an_optimizer_that_is_gone() -> None:
    one_life = (SGD, back("w", scale=8.0), scaler_step(), Dispose("gone", "sgd", frozenset("w")))

    assert play(times(3, one_life)) == []


def test_disposing_of_what_was_never_seen_is_nothing() -> None:
    assert play(Dispose("gone", "nobody"), SGD, times(2, TRAIN)) == []


def test_an_inner_step_is_part_of_the_outer_one() -> None:
    container, inner = build("container", "w"), build("inner", "w")
    loop = times(3, zero("w"), back("w"), outer_step("container", step("inner")))

    assert play(container, inner, loop) == []


def test_a_container_without_parameters_spends_what_its_inner_optimizers_hold() -> None:
    container, inner = build("container", ""), build("inner", "w")
    loop = times(3, back("w"), outer_step("container", step("inner")))

    assert play(container, inner, loop) == ["error missing-zero at loss.backward"]


def test_a_step_that_calls_itself_is_one_step() -> None:
    loop = times(3, zero("w"), back("w"), outer_step("sgd", step("sgd")))

    assert play(SGD, loop) == []


def test_gradients_thrown_away_in_every_window_are_wasted() -> None:
    critic, actor = build("critic", "c"), build("actor", "a")
    critic_turn = (zero("c"), back("c", "critic_loss"), step("critic"))
    actor_turn = (zero("a"), back("ac", "actor_loss"), step("actor"))

    found = play(critic, actor, times(5, critic_turn, actor_turn))

    assert found == ["hint wasted-deposit at actor_loss.backward"]


def test_gradients_used_before_they_are_cleared_are_not_wasted() -> None:
    loop = times(5, back("w", "probe"), use("w"), zero("w"), back("w"), step(), zero("w"))

    assert play(SGD, loop, epoch()) == []


def test_backwards_from_leaves_explain_an_optimizer_that_gets_nothing() -> None:
    loop = times(5, zero("w"), back("", from_leaf=True), step())

    assert play(SGD, called("w"), loop) == ["error backward-without-graph at loss.backward"]


def test_backwards_from_leaves_beside_a_loss_that_trains_are_no_fault() -> None:
    loop = times(3, zero("w"), back("", "warm", from_leaf=True), back("w"), step())

    assert play(SGD, called("w"), loop) == []


def test_one_backward_from_a_leaf_is_not_enough() -> None:
    warm_up = back("", "warm", from_leaf=True)
    loop = times(3, zero("w"), back("", "other"), step())

    found = play(SGD, called("w"), warm_up, loop)

    assert "error backward-without-graph at warm.backward" not in found


def test_a_leaf_that_no_optimizer_steps_is_no_fault() -> None:
    assert play(SGD, called("w"), times(3, back("", from_leaf=True))) == [
        "warning dead-parameter at sgd built"
    ]
