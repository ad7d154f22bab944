"""Clips before another optimizer's step: what lint must know before it says that one is lost."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from zerograd.lint import Analyser, Project, Source
from zerograd.severity import Severity

NETWORKS = """\
import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_
actor, critic = nn.Linear(3, 2), nn.Linear(2, 1)
opt_a = torch.optim.SGD(actor.parameters(), lr=0.1)
opt_c = torch.optim.SGD(critic.parameters(), lr=0.1)
"""
CRITIC = """\
opt_c.zero_grad()
critic(actor(x).detach()).pow(2).mean().backward()
clip_grad_norm_(critic.parameters(), 1.0)
opt_c.step()
"""
ACTOR = """\
opt_a.zero_grad()
critic(actor(x)).mean().backward()
clip_grad_norm_(critic.parameters(), 2.0)
opt_a.step()
"""
STRAY = "clip_grad_norm_(critic.parameters(), 2.0)\n"
LOOP = "for x in torch.randn(6, 8, 3):\n"


def lost(*body: str, before: str = "", networks: str = NETWORKS) -> list[str]:
    """Return the clips that lint calls lost, as more than a hint, in a loop over these blocks."""
    loop = LOOP + indent("".join(map(dedent, body)), "    ")
    text = networks + dedent(before) + loop
    found = Analyser(Project()).analyse(Source("train.py", text)).findings
    lines = text.splitlines()
    return [
        lines[item.location.line - 1].strip()
        for item in found
        if item.rule.code == "ZG408" and item.severity is not Severity.HINT
    ]


def test_a_critics_clip_before_the_actors_step_is_lost() -> None:
    assert lost(CRITIC, ACTOR) == [STRAY.strip()]


def test_it_is_lost_under_a_test_of_its_own() -> None:
    tested = "if limit > 0:\n    " + STRAY

    assert lost(CRITIC, ACTOR.replace(STRAY, tested)) == [STRAY.strip()]


def test_it_is_lost_where_the_clipped_network_steps_around_an_inner_loop() -> None:
    inner = "for _ in range(3):\n" + indent(ACTOR, "    ")

    assert lost(CRITIC, inner) == [STRAY.strip()]


def test_it_is_lost_where_the_clipped_network_was_never_reached() -> None:
    apart = ACTOR.replace("critic(actor(x))", "actor(x)")

    assert lost(CRITIC, apart) == [STRAY.strip()]


def test_it_is_lost_where_the_clipped_network_is_cleared_after_its_step() -> None:
    clear = "opt_c.zero_grad()\n"
    apart = ACTOR.replace("critic(actor(x))", "actor(x)")

    assert lost(CRITIC.replace(clear, "") + clear, apart) == [STRAY.strip()]


def test_it_is_lost_where_the_clipped_network_is_clipped_nowhere_else() -> None:
    unclipped = CRITIC.replace("clip_grad_norm_(critic.parameters(), 1.0)\n", "")

    assert lost(unclipped, ACTOR) == [STRAY.strip()]


def test_it_says_what_to_clip_and_which_step_goes_unclipped() -> None:
    text = NETWORKS + LOOP + indent(CRITIC + ACTOR, "    ")

    found = Analyser(Project()).analyse(Source("train.py", text)).findings

    (finding,) = [item for item in found if item.rule.code == "ZG408"]
    assert finding.message == (
        "`clip_grad_norm_(critic.parameters(), 2.0)` clips nothing that is spent: "
        "`opt_a.step()` moves other parameters"
    )
    assert finding.help == "clip the parameters of `opt_a` here"
    assert [item.what for item in finding.evidence] == [
        "deposited here",
        "spent without a clip here",
    ]


def test_a_clip_of_a_part_of_the_clipped_optimizer_is_not_followed() -> None:
    deep = NETWORKS.replace("nn.Linear(2, 1)", "nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))")

    assert lost(CRITIC, ACTOR.replace("critic.param", "critic[0].param"), networks=deep) == []


def test_a_clip_of_a_part_of_a_third_network_may_be_spent_there() -> None:
    deep = "deep = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))\n"
    third = deep + "opt_d = torch.optim.SGD(deep.parameters(), lr=0.1)\n"
    joint = ACTOR.replace("critic(actor(x))", "(critic(actor(x)) + deep(actor(x)))").replace(
        STRAY, "clip_grad_norm_([*critic.parameters(), *deep[0].parameters()], 2.0)\n"
    )

    assert lost("opt_d.zero_grad()\n", CRITIC, joint, "opt_d.step()\n", before=third) == []


def test_a_step_that_spends_nothing_leaves_nothing_unclipped() -> None:
    assert lost(CRITIC, ACTOR.replace("actor(x)", "actor(x).detach()")) == []


def test_a_loss_that_may_reach_the_clipped_network_leaves_something_to_clip() -> None:
    clear = "opt_c.zero_grad()\n"
    followed_in_part = ACTOR.replace("critic(actor(x))", "(actor(x) * mystery(x))")

    assert lost(CRITIC.replace(clear, "") + clear, followed_in_part) == []


def test_a_norm_that_is_only_measured_is_right() -> None:
    assert lost(CRITIC, ACTOR.replace("2.0", "float('inf')")) == []


@pytest.mark.parametrize(
    "by_hand",
    [
        "for p in actor.parameters(): p.grad.mul_(0.5)",
        "for p in critic.parameters(): p.grad.mul_(0.5)",
        "norms = [p.grad.norm() for p in actor.parameters()]",
        "norms = [p.grad.norm() for p in critic.parameters()]",
        "smooth(opt_a)",
    ],
)
def test_gradients_that_something_else_touches_are_not_judged(by_hand: str) -> None:
    assert lost(CRITIC, ACTOR.replace(STRAY, f"{STRAY}{by_hand}\n")) == []


def test_a_step_whose_parameters_are_clipped_somewhere_is_clipped() -> None:
    clipped = "if x.sum() > 0:\n    clip_grad_norm_(actor.parameters(), 1.0)\n"

    assert lost(CRITIC, ACTOR.replace(STRAY, clipped + STRAY)) == []


def test_a_clip_in_a_loop_of_its_own_is_not_the_next_steps() -> None:
    inner = "for _ in range(2):\n    " + STRAY

    assert lost(CRITIC, ACTOR.replace(STRAY, inner)) == []


def test_a_clip_on_another_path_than_the_step_is_not_the_next_steps() -> None:
    step = "if x.sum() > 0:\n    opt_a.step()\n"

    assert lost(CRITIC, ACTOR.replace("opt_a.step()\n", step)) == []


def test_a_clip_before_another_backward_is_not_the_next_steps() -> None:
    again = STRAY + "actor(x).mean().backward()\n"

    assert lost(CRITIC, ACTOR.replace(STRAY, again)) == []


def test_a_clip_after_its_own_step_is_for_the_log() -> None:
    joint = """\
        opt_a.zero_grad()
        opt_c.zero_grad()
        critic(actor(x)).mean().backward()
        clip_grad_norm_(critic.parameters(), 1.0)
        opt_c.step()
        norm = clip_grad_norm_(critic.parameters(), 2.0)
        opt_a.step()
    """

    assert lost(joint) == []


def test_a_clip_in_a_loop_where_its_own_network_is_not_stepped_is_for_later() -> None:
    apart = LOOP + indent("opt_c.zero_grad()\n" + ACTOR, "    ")

    assert lost(CRITIC, before=apart) == []


def test_networks_that_take_turns_are_not_compared() -> None:
    turns = "if x.sum() > 0:\n" + indent(CRITIC, "    ") + "else:\n" + indent(ACTOR, "    ")

    assert lost(turns) == []


def test_a_clip_that_its_own_step_spends_is_right() -> None:
    joint = """\
        opt_a.zero_grad()
        opt_c.zero_grad()
        critic(actor(x)).mean().backward()
        clip_grad_norm_(critic.parameters(), 2.0)
        opt_a.step()
        opt_c.step()
    """

    assert lost(joint) == []


def test_a_clip_that_lies_until_the_next_round_is_spent_there() -> None:
    first = """\
        opt_c.step()
        opt_c.zero_grad()
    """

    assert lost(first, ACTOR) == []


def test_a_clip_out_of_place_is_another_rules() -> None:
    apart = ACTOR.replace("critic(actor(x))", "actor(x)")
    unclipped = CRITIC.replace("clip_grad_norm_(critic.parameters(), 1.0)\n", "")

    assert lost(unclipped, apart) == []


def test_optimizers_that_nobody_saw_being_made_are_not_told_apart() -> None:
    built = NETWORKS.partition("opt_a =")[0] + "opt_a, opt_c = make_optimizers()\n"

    assert lost(CRITIC, ACTOR, networks=built) == []


@pytest.mark.parametrize("name", ["actor", "critic"])
def test_an_optimizer_of_many_authors_may_do_more_than_step(name: str) -> None:
    built = f"torch.optim.SGD({name}.parameters(), lr=0.1)"
    by_others = NETWORKS.replace(built, f"PCGrad({name}.parameters())")

    assert lost(CRITIC, ACTOR, networks=by_others) == []


def test_a_call_elsewhere_that_is_given_the_optimizer_may_clip() -> None:
    assert lost(CRITIC, ACTOR, before="def prepared():\n    return smooth(opt_a)\n") == []
