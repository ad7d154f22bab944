"""Each verdict on its facts: what leads to it, which contrary rules it out, what it assumes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from zerograd.lifecycle.transitions import Call, Move, Stage
from zerograd.lifecycle.verdicts import (
    accumulation,
    clearing,
    graph,
    ownership,
    ranks,
    scaling,
    spending,
)
from zerograd.lifecycle.verdicts.accumulation import SumFacts
from zerograd.lifecycle.verdicts.facts import StepFacts
from zerograd.lifecycle.verdicts.precedence import is_absorbed
from zerograd.lifecycle.verdicts.refusals import interference
from zerograd.lifecycle.verdicts.verdict import (
    Unknown,
    Verdict,
    at_most,
    both,
    deem,
    either,
    no,
    shown,
)
from zerograd.record import replace
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.lifecycle.verdicts.verdict import Fact

    Judge = Callable[..., Verdict | None]

MAYBE = Unknown("maybe")
PERHAPS = Unknown("perhaps")
ERROR, WARNING, HINT = Severity.ERROR, Severity.WARNING, Severity.HINT


# -- facts that are yes, no or unknown


@pytest.mark.parametrize(
    ("facts", "all_of_them", "one_of_them"),
    [
        ((True, True), True, True),
        ((True, False), False, True),
        ((False, False), False, False),
        ((True, MAYBE), MAYBE, True),
        ((False, MAYBE), False, MAYBE),
        ((MAYBE, PERHAPS), Unknown("maybe", "perhaps"), Unknown("maybe", "perhaps")),
        ((MAYBE, MAYBE), MAYBE, MAYBE),
        ((), True, False),
    ],
)
def test_facts_are_joined_as_a_fact_that_is_unknown_allows(
    facts: tuple[Fact, ...], all_of_them: Fact, one_of_them: Fact
) -> None:
    assert (both(*facts), either(*facts)) == (all_of_them, one_of_them)


def test_the_contrary_of_an_unknown_fact_rests_on_the_same_assumption() -> None:
    assert [no(True), no(False), no(MAYBE)] == [False, True, MAYBE]


def test_a_fact_that_was_not_shown_is_an_assumption() -> None:
    assert [shown(True, "maybe"), shown(False, "maybe")] == [True, MAYBE]


def test_an_unknown_fact_is_not_taken_for_a_yes_by_accident() -> None:
    with pytest.raises(TypeError, match=r"^an unknown fact is neither yes nor no$"):
        bool(MAYBE)


def test_an_unknown_fact_shows_and_compares_by_its_assumptions() -> None:
    assert repr(MAYBE) == "Unknown('maybe',)"
    assert {MAYBE, Unknown("maybe"), PERHAPS} == {MAYBE, PERHAPS}
    assert MAYBE != "maybe"


# -- verdicts


def test_a_verdict_names_the_assumptions_that_it_needed() -> None:
    verdict = deem("missing-zero", ERROR, True, MAYBE, PERHAPS, MAYBE)

    assert verdict == Verdict("missing-zero", ERROR, ("maybe", "perhaps"))


def test_a_fact_that_is_no_rules_a_verdict_out_whatever_is_unknown() -> None:
    assert deem("missing-zero", ERROR, MAYBE, False) is None


def test_further_assumptions_are_added_where_they_were_not_shown() -> None:
    verdict = Verdict("missing-zero", ERROR, ("maybe",))

    more = verdict.assuming({"perhaps": False, "surely": True, "maybe": False})

    assert more == Verdict("missing-zero", ERROR, ("maybe", "perhaps"))
    assert verdict.assuming({"surely": True}) is verdict


def test_a_verdict_is_only_ever_made_less_grave() -> None:
    warning = Verdict("leaked-deposit", WARNING)

    assert at_most(warning, ERROR) is warning
    assert at_most(warning, HINT) == Verdict("leaked-deposit", HINT)


# -- at a step

CALM = StepFacts(
    empty=False,
    holds_spent=False,
    spent_by_itself=False,
    holds_mixed=False,
    holds_others=False,
    left_the_model=False,
    written=False,
    zeros_given=False,
    deposited=True,
    thrown_away=False,
    used=False,
    spent_elsewhere=False,
    left_behind=False,
    newest_is_its_own=True,
    ever_deposited=True,
    deposited_elsewhere=False,
    flushes=False,
    skipped=False,
    nothing_in_the_run=False,
)
"""A step that finds one fresh deposit."""

AT_A_STEP: list[tuple[Judge, dict[str, Fact], Severity]] = [
    (clearing.missing_zero, {"holds_mixed": True}, ERROR),
    (clearing.leaked_deposit, {"left_behind": True, "newest_is_its_own": True}, WARNING),
    (
        clearing.zero_before_step,
        {"empty": True, "thrown_away": True, "used": False, "spent_elsewhere": False},
        ERROR,
    ),
    (
        spending.spent_twice,
        {"holds_spent": True, "spent_by_itself": True, "written": False},
        ERROR,
    ),
    (
        spending.step_without_backward,
        {"empty": True, "deposited": False, "written": False, "ever_deposited": True},
        ERROR,
    ),
]
NEEDS = [(judge, facts, name) for judge, facts, _ in AT_A_STEP for name in facts]


@pytest.mark.parametrize(("judge", "facts", "severity"), AT_A_STEP)
def test_the_facts_of_a_step_lead_to_its_verdict(
    judge: Judge, facts: dict[str, Fact], severity: Severity
) -> None:
    verdict = judge(replace(CALM, **facts))

    assert verdict == Verdict(judge.__name__.replace("_", "-"), severity)


@pytest.mark.parametrize(("judge", "facts", "name"), NEEDS)
def test_the_contrary_of_each_fact_of_a_step_rules_its_verdict_out(
    judge: Judge, facts: dict[str, Fact], name: str
) -> None:
    assert judge(replace(CALM, **facts | {name: no(facts[name])})) is None


@pytest.mark.parametrize(("judge", "facts", "name"), NEEDS)
def test_each_unknown_fact_of_a_step_is_an_assumption_of_its_verdict(
    judge: Judge, facts: dict[str, Fact], name: str
) -> None:
    verdict = judge(replace(CALM, **facts | {name: MAYBE}))

    assert verdict is not None
    assert verdict.assumptions == ("maybe",)


@pytest.mark.parametrize("judge", [judge for judge, _, _ in AT_A_STEP])
def test_a_step_on_a_fresh_deposit_breaks_no_rule(judge: Judge) -> None:
    assert judge(CALM) is None


@pytest.mark.parametrize("explains", ["holds_mixed", "left_the_model"])
def test_where_others_are_fresh_spent_twice_may_be_explained(explains: str) -> None:
    partly = replace(CALM, holds_spent=True, spent_by_itself=True, holds_others=True)

    assert spending.spent_twice(partly) == Verdict("spent-twice", ERROR)
    assert spending.spent_twice(replace(partly, **{explains: True})) is None


IDLE = replace(CALM, empty=True, deposited=False)


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        ({"deposited_elsewhere": True}, Verdict("step-without-backward", HINT)),
        ({"ever_deposited": False}, None),
        (
            {"ever_deposited": False, "nothing_in_the_run": True},
            Verdict("step-without-backward", ERROR),
        ),
    ],
)
def test_a_step_without_backward_is_judged_by_the_rest_of_the_run(
    facts: dict[str, Fact], verdict: Verdict | None
) -> None:
    assert spending.step_without_backward(replace(IDLE, **facts)) == verdict


# -- everything else, by its facts

SUM = SumFacts(several=True, written=False, singly=False)

BY_FACTS: list[tuple[str, Judge, dict[str, Any], Severity]] = [
    (
        "zero-inside-window",
        clearing.zero_inside_window,
        {"all_but_last_thrown": True, "used": False, "meant": True},
        ERROR,
    ),
    (
        "zero-outside-closure",
        clearing.zero_outside_closure,
        {"evaluated_again": True, "holds_mixed": True},
        ERROR,
    ),
    ("wasted-deposit", clearing.wasted_deposit, {"in_every_window": True, "used": False}, HINT),
    (
        "never-spent",
        spending.never_spent,
        {"deposited": True, "stepped": False, "spent_otherwise": False},
        WARNING,
    ),
    (
        "step-without-effect",
        spending.step_without_effect,
        {"found_gradients": True, "changed_parameters": False},
        WARNING,
    ),
    (
        "tail-leaks",
        accumulation.tail_leaks,
        {"spans_epochs": True, "unfinished": True},
        WARNING,
    ),
    ("tail-dropped", accumulation.tail_dropped, {"regular": True, "unfinished": True}, HINT),
    (
        "unnormalised-window",
        accumulation.unnormalised_window,
        {"always_bare": True, "per_task": False},
        WARNING,
    ),
    (
        "window-off-by-one",
        accumulation.window_off_by_one,
        {"by_modulo": True, "one_source": True, "first_is_off": True, "then_several": True},
        WARNING,
    ),
    ("low-precision-window", accumulation.low_precision_window, {"long_16_bit_sum": True}, HINT),
    (
        "scheduler-in-window",
        accumulation.scheduler_in_window,
        {"several": True, "at_each_deposit": True, "counted_in_batches": False},
        WARNING,
    ),
    (
        "clip-after-step",
        scaling.idle_clip,
        {
            "touched_fresh": False,
            "touched_spent": True,
            "clipped_otherwise": False,
            "spends": True,
        },
        ERROR,
    ),
    (
        "clip-before-unscale",
        scaling.clip_before_unscale,
        {"scaled": True, "written": False},
        ERROR,
    ),
    (
        "clip-inside-window",
        scaling.clip_inside_window,
        {"several": True, "at_each_deposit": True},
        WARNING,
    ),
    (
        "never-synced",
        ranks.closing_alone,
        {"closes_window": True, "synced": False, "written": False, "bypassed": False},
        ERROR,
    ),
    (
        "sync-each-micro-batch",
        ranks.sync_each_micro_batch,
        {"several": True, "synced_each": True},
        HINT,
    ),
    ("backward-twice", graph.backward_twice, {"deposited_again": True, "written": False}, WARNING),
    (
        "backward-without-graph",
        graph.term_without_graph,
        {"cut_off": True, "others_train": True, "value_rewritten": False},
        WARNING,
    ),
    ("kept-graph", graph.kept_graph, {"graphs_stay_alive": True}, WARNING),
    ("zero-in-graph", graph.zero_in_graph, {"in_place": True, "tracked": True}, WARNING),
    (
        "stale-optimizer",
        ownership.stale_optimizer,
        {"holds_replaced": True, "successor_trains": True},
        ERROR,
    ),
    (
        "orphan-parameter",
        ownership.orphan_parameter,
        {"deposited": True, "held": False, "used": False, "meant": True},
        WARNING,
    ),
    (
        "dead-parameter",
        ownership.dead_parameter,
        {"ever_deposited": False, "others_deposited": True, "whole": True},
        WARNING,
    ),
]
WEIGHTS = {
    "meant",
    "per_task",
    "counted_in_batches",
    "whole",
    "touched_spent",
    "bypassed",
}
"""Facts that choose the severity or the rule, and never rule a verdict out."""

RULING_OUT = [
    (judge, facts, name) for _, judge, facts, _ in BY_FACTS for name in facts if name not in WEIGHTS
]


@pytest.mark.parametrize(("rule", "judge", "facts", "severity"), BY_FACTS)
def test_the_facts_lead_to_the_verdict(
    rule: str, judge: Judge, facts: dict[str, Fact], severity: Severity
) -> None:
    assert judge(**facts) == Verdict(rule, severity)


@pytest.mark.parametrize(("judge", "facts", "name"), RULING_OUT)
def test_the_contrary_of_each_fact_rules_the_verdict_out(
    judge: Judge, facts: dict[str, Fact], name: str
) -> None:
    assert judge(**facts | {name: no(facts[name])}) is None


@pytest.mark.parametrize(("judge", "facts", "name"), RULING_OUT)
def test_each_unknown_fact_is_an_assumption_of_the_verdict(
    judge: Judge, facts: dict[str, Fact], name: str
) -> None:
    verdict = judge(**facts | {name: MAYBE})

    assert verdict is not None
    assert verdict.assumptions == ("maybe",)


@pytest.mark.parametrize(
    ("rule", "name", "verdict"),
    [
        ("zero-inside-window", "meant", Verdict("zero-inside-window", HINT)),
        ("unnormalised-window", "per_task", Verdict("unnormalised-window", HINT)),
        ("scheduler-in-window", "counted_in_batches", Verdict("scheduler-in-window", HINT)),
        ("clip-after-step", "touched_spent", Verdict("clip-before-backward", ERROR)),
        ("never-synced", "bypassed", Verdict("wrapper-bypassed", ERROR)),
        ("orphan-parameter", "meant", Verdict("orphan-parameter", HINT)),
        ("dead-parameter", "whole", Verdict("dead-parameter", HINT)),
    ],
)
def test_some_facts_choose_the_severity_or_the_rule(rule: str, name: str, verdict: Verdict) -> None:
    judge, facts = next((judge, facts) for other, judge, facts, _ in BY_FACTS if other == rule)

    assert judge(**facts | {name: no(facts[name])}) == verdict


# -- divisors


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        ({"grows": True, "differs": False, "whole": False, "short": False}, ERROR),
        ({"grows": False, "differs": True, "whole": True, "short": False}, ERROR),
        ({"grows": False, "differs": True, "whole": False, "short": True}, HINT),
        ({"grows": False, "differs": True, "whole": False, "short": False}, None),
        ({"grows": False, "differs": False, "whole": True, "short": False}, None),
    ],
)
def test_a_divisor_is_wrong_where_it_grows_or_differs(
    facts: dict[str, Fact], verdict: Severity | None
) -> None:
    found = accumulation.wrong_divisor(SUM, **facts)

    assert (found and found.severity) == verdict


@pytest.mark.parametrize("excuse", [{"several": False}, {"written": True}, {"singly": True}])
def test_divisors_are_judged_in_plain_sums_only(excuse: dict[str, Fact]) -> None:
    window = replace(SUM, **excuse)

    assert (
        accumulation.wrong_divisor(window, grows=True, differs=True, whole=True, short=False)
        is None
    )


BARE: dict[str, Fact] = {
    "divided": False,
    "different_batches": True,
    "mean": True,
    "summed": False,
    "declared": False,
}


@pytest.mark.parametrize(
    ("facts", "bare"),
    [
        ({}, True),
        ({"divided": True}, False),
        ({"different_batches": False}, False),
        ({"mean": False}, False),
        ({"mean": False, "declared": True}, True),
        ({"mean": False, "declared": True, "summed": True}, False),
        ({"mean": MAYBE}, MAYBE),
        ({"mean": MAYBE, "declared": True}, True),
    ],
)
def test_a_window_is_bare_where_means_are_summed_and_nothing_divides(
    facts: dict[str, Fact], bare: Fact
) -> None:
    assert accumulation.is_bare(SUM, **BARE | facts) == bare


# -- loss scaling


@pytest.mark.parametrize(
    ("through_scaler", "enabled", "scaled", "plain", "is_fault"),
    [
        (False, False, True, False, True),
        (False, False, False, True, False),
        (True, True, False, True, True),
        (True, False, False, True, False),
        (True, True, True, False, False),
    ],
)
def test_a_step_and_its_deposits_agree_on_the_scaler(
    through_scaler: bool, enabled: bool, scaled: bool, plain: bool, is_fault: bool
) -> None:
    facts = {"through_scaler": through_scaler, "enabled": enabled, "scaled": scaled, "plain": plain}

    assert (scaling.scaled_step(**facts, written=False) is not None) is is_fault
    assert scaling.scaled_step(**facts, written=True) is None


@pytest.mark.parametrize(
    ("precedes_unclipped", "spent", "touched_fresh", "clipped_otherwise", "assumptions"),
    [
        (True, False, True, False, ()),
        (True, False, False, True, ()),
        (True, False, False, False, None),  # out of place: idle_clip
        (True, True, True, True, None),
        (False, False, True, True, None),
        (MAYBE, False, True, False, ("maybe",)),
        (True, MAYBE, True, False, ("maybe",)),
        (True, False, MAYBE, PERHAPS, ("maybe", "perhaps")),
        (True, False, MAYBE, True, ()),
    ],
)
def test_a_clip_of_other_parameters_is_unspent_and_precedes_a_step_that_spends_unclipped(
    precedes_unclipped: Fact,
    spent: Fact,
    touched_fresh: Fact,
    clipped_otherwise: Fact,
    assumptions: tuple[str, ...] | None,
) -> None:
    verdict = scaling.clip_other_parameters(
        precedes_unclipped=precedes_unclipped,
        spent=spent,
        touched_fresh=touched_fresh,
        clipped_otherwise=clipped_otherwise,
    )

    told = None if assumptions is None else Verdict("clip-other-parameters", WARNING, assumptions)
    assert verdict == told


def test_a_scaler_is_judged_by_its_table() -> None:
    twice, stage = scaling.scaler_call(Stage.UNSCALED, Call.UNSCALE, enabled=True)
    legal, after = scaling.scaler_call(Stage.UNSCALED, Call.STEP, enabled=True)
    off, _ = scaling.scaler_call(Stage.STEPPED, Call.STEP, enabled=False)

    assert (twice, stage) == (Verdict("unscaled-twice", ERROR), Stage.UNSCALED)
    assert (legal, after) == (None, Stage.STEPPED)
    assert off is None


# -- ownership, absorption, interference


@pytest.mark.parametrize("fact", ["given_twice", "spent_by_both", "sibling_left_out"])
def test_a_parameter_is_shared_in_three_ways(fact: str) -> None:
    assert ownership.shared_parameter(**{fact: True}) == Verdict("shared-parameter", ERROR)
    assert ownership.shared_parameter() is None


@pytest.mark.parametrize(
    ("verdict", "reported", "absorbed"),
    [
        (Verdict("missing-zero", ERROR), {"zero-outside-closure"}, True),
        (Verdict("missing-zero", ERROR), {"spent-twice"}, False),
        (Verdict("orphan-parameter", WARNING), {"stale-optimizer"}, True),
        (Verdict("wrong-divisor", HINT), {"tail-leaks"}, True),
        (Verdict("wrong-divisor", ERROR), {"tail-leaks"}, False),
        (Verdict("kept-graph", WARNING), {"missing-zero"}, False),
    ],
)
def test_what_was_reported_may_explain_a_further_verdict(
    verdict: Verdict, reported: set[str], absorbed: bool
) -> None:
    assert is_absorbed(verdict, reported) is absorbed


@pytest.mark.parametrize(
    ("move", "window_is_open", "rule"),
    [
        (Move.SPEND, True, "spent-twice"),
        (Move.SPEND, False, "step-without-backward"),
        (Move.CLEAR, True, "zero-inside-window"),
        (Move.CLIP, False, "clip-after-step"),
        (Call.UPDATE, True, "scaled-step"),
    ],
)
def test_a_move_of_others_on_an_engines_account_breaks_a_rule(
    move: Move | Call, window_is_open: bool, rule: str
) -> None:
    assert interference(move, window_is_open=window_is_open) == Verdict(rule, ERROR)


def test_a_clear_between_an_engines_windows_does_no_harm() -> None:
    assert interference(Move.CLEAR, window_is_open=False) is None
