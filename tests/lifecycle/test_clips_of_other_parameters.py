"""A clip of other parameters than the next step spends: traces of two optimizers, `g` and `d`."""

from __future__ import annotations

import pytest
from traces import (
    Trace,
    assign,
    back,
    build,
    clip,
    loud,
    overwrite,
    rescale,
    scaler_step,
    scaler_update,
    step,
    times,
    update_by_hand,
    use,
    zero,
)

from zerograd.lifecycle import Clip

BOTH = (build("d", "d"), build("g", "g"))
OF_G = (zero("g"), back("dg", at="g_loss"), clip("g"), step("g"))
"""What trains `g` rightly; its loss also reaches `d`."""

FOUND = ["warning clip-other-parameters at stray"]


def stray(letters: str, **facts: bool) -> Clip:
    """Another clip than the right one."""
    return Clip("stray", frozenset(letters), **facts)


def of_d(*between: Trace) -> Trace:
    """What trains `d`, with something between its backward and its step."""
    return (zero("d"), back("d", at="d_loss"), *between, step("d"))


def test_a_clip_of_what_another_optimizer_has_spent_before_a_step_is_found() -> None:
    assert loud(BOTH, times(4, of_d(stray("g")), OF_G)) == FOUND


def test_a_clip_of_gradients_that_are_cleared_before_their_step_is_found() -> None:
    of_g = (zero("g"), back("dg", at="g_loss"), stray("d"), step("g"))

    assert loud(BOTH, times(4, of_d(clip("d")), of_g)) == FOUND


def test_it_is_found_where_its_own_parameters_are_clipped_nowhere_else() -> None:
    of_g = (zero("g"), back("dg", at="g_loss"), stray("d"), step("g"))

    assert loud(BOTH, times(4, of_d(), of_g)) == FOUND


def test_a_clip_of_a_part_of_another_optimizer_is_found() -> None:
    both = (build("d", "d"), build("g", "gh"))
    of_g = (zero("gh"), back("dgh", at="g_loss"), clip("gh"), step("g"))

    assert loud(both, times(4, of_d(stray("h")), of_g)) == FOUND


def test_it_is_found_in_a_window_of_several_micro_batches() -> None:
    window = times(2, back("d", at="d_loss", constants=(2,)))

    assert loud(BOTH, times(4, zero("d"), window, stray("g"), step("d"), OF_G)) == FOUND


def test_once_is_no_habit() -> None:
    assert loud(BOTH, of_d(stray("g")), OF_G, times(3, of_d(), OF_G)) == []


def test_before_two_windows_it_is_not_told() -> None:
    assert loud(BOTH, of_d(stray("g")), OF_G) == []


def test_every_other_window_is_no_habit() -> None:
    joint = (zero("dg"), back("dg"), stray("g"), step("d"), step("g"))

    assert loud(BOTH, times(3, of_d(stray("g")), OF_G, joint)) == []


def test_a_clip_that_its_own_step_spends_later_is_right() -> None:
    joint = (zero("dg"), back("dg"), stray("g"), step("d"), step("g"))

    assert loud(BOTH, times(4, joint)) == []


def test_a_clip_of_both_is_right() -> None:
    assert loud(BOTH, times(4, of_d(stray("dg")), OF_G)) == []


def test_a_clip_of_what_is_spent_too_makes_the_other_one_idle_only() -> None:
    assert loud(BOTH, times(4, of_d(clip("d"), stray("g")), OF_G)) == []


def test_a_clip_of_a_part_of_what_is_spent_is_a_choice() -> None:
    both = (build("d", "de"), build("g", "g"))
    loop = (zero("de"), back("de", at="d_loss"), clip("d"), stray("g"), step("d"), OF_G)

    assert loud(both, times(4, loop)) == []


def test_a_clip_of_what_is_spent_may_stand_before_another_backward() -> None:
    of_d = (zero("d"), back("d", at="d_loss"), clip("d"), back("g"), stray("g"), step("d"))

    assert loud(BOTH, times(4, of_d, OF_G)) == []


def test_a_clip_that_names_the_optimizer_which_steps_is_judged_for_that_one() -> None:
    both = (build("d", "de"), build("g", "g"))
    of_d = (zero("de"), back("e", at="d_loss"), stray("dg"), step("d"))

    assert FOUND[0] not in loud(both, times(4, of_d, OF_G))


def test_a_step_that_spends_nothing_fresh_has_nothing_unclipped() -> None:
    again = (back("g"), stray("g"), step("d"))

    assert loud(BOTH, times(4, of_d(), again, OF_G)) == ["error spent-twice at d.step"]


def test_a_step_that_was_skipped_and_made_up_for_spends_the_clip_after_all() -> None:
    skipped = (zero("dg"), back("dg"), stray("g"), step("d"))
    joint = (*skipped, step("g"))

    assert loud(BOTH, times(3, skipped, skipped, joint)) == []


def test_a_clip_that_only_measures_is_right() -> None:
    assert loud(BOTH, times(4, of_d(stray("g", measures=True)), OF_G)) == []


def test_a_second_clip_for_the_log_after_its_own_step_is_right() -> None:
    joint = (zero("dg"), back("dg"), clip("g"), step("g"), stray("g"), step("d"))

    assert loud(BOTH, times(4, joint)) == []


def test_a_clip_before_another_backward_is_not_the_next_steps() -> None:
    loop = (zero("dg"), back("dg", at="g_loss"), stray("g"), zero("g"), of_d(), OF_G)

    assert loud(BOTH, times(4, loop)) == []


@pytest.mark.parametrize("written", [assign("d"), rescale("d")], ids=["assigned", "rescaled"])
def test_gradients_that_were_written_may_have_been_clipped_by_hand(written: Trace) -> None:
    assert loud(BOTH, times(4, of_d(stray("g"), written), OF_G)) == []


def test_gradients_that_were_overwritten_before_their_step_may_hold_what_was_clipped() -> None:
    of_g = (zero("g"), back("dg", at="g_loss"), stray("d"), step("g"))

    assert loud(BOTH, times(4, of_d(clip("d"), overwrite("d")), of_g)) == []


def test_clipped_gradients_that_moved_weights_before_the_clear_were_spent() -> None:
    of_g = (zero("g"), back("dg", at="g_loss"), stray("d"), step("g"), use("d"))

    assert loud(BOTH, times(4, of_d(clip("d")), of_g)) == []


def test_clipped_gradients_that_another_holder_of_the_parameters_spends_were_spent() -> None:
    three = (*BOTH, build("pretraining", "g"))
    loop = (zero("dg"), back("dg"), stray("g"), step("d"), step("pretraining"))
    own = (zero("g"), back("g", at="own"), clip("g"), step("g"))

    found = loud(three, times(4, loop, own))

    assert [line for line in found if "clip" in line] == []


def test_an_update_by_hand_is_no_step_that_was_to_be_clipped() -> None:
    loop = (zero("dg"), back("d", at="d_loss"), stray("g"), update_by_hand("d"), OF_G)

    assert loud(build("g", "g"), times(4, loop)) == []


def test_a_step_that_the_scaler_skips_spends_nothing_unclipped() -> None:
    skipped = (scaler_step("d", skipped=True), scaler_update())
    loop = (zero("d"), back("d", at="d_loss", scale=2.0), stray("g"), skipped)
    of_g = (zero("g"), back("g", at="g_loss"), clip("g"), step("g"))

    assert loud(BOTH, times(4, loop, of_g)) == []


def test_a_clip_out_of_place_is_still_clip_after_step() -> None:
    of_g = (zero("g"), back("g", at="g_loss"), step("g"))

    assert loud(BOTH, times(4, of_g, of_d(stray("g")))) == ["error clip-after-step at stray"]


def test_a_clip_before_its_own_backward_is_still_clip_before_backward() -> None:
    of_g = (back("g", at="g_loss"), step("g"), zero("g"))

    assert loud(BOTH, times(4, of_d(stray("g")), of_g)) == ["error clip-before-backward at stray"]
