"""The page as text: its verdict, its cards, its data, and that nothing in it can become script."""

from __future__ import annotations

import json
import subprocess
import sys
from html.parser import HTMLParser
from math import inf

import pytest
from report_samples import CASES, LINT, NOTHING, SOURCES, WATCH
from run_samples import EVIL, hostile, restless

from zerograd.findings import Damage, Finding, Location, Reach, Results
from zerograd.history import History, Kind, OptimizerCourse, Parameter
from zerograd.reports import View, find_report, words
from zerograd.reports.html import cards
from zerograd.reports.html.arrows import arrows_of
from zerograd.reports.html.ledger import ledger_data
from zerograd.reports.html.listing import listings
from zerograd.reports.html.tree import tree_of
from zerograd.reports.html.verdict import verdict_of
from zerograd.rules import find_rule
from zerograd.severity import Severity

LIMIT = 6 * 2**20


class Elements(HTMLParser):
    """The elements of a page in order, each with its attributes and own text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), []))

    def handle_data(self, data: str) -> None:
        if self.found:
            self.found[-1][2].append(data)

    def texts(self, tag: str, **attributes: str) -> list[str]:
        """Return the texts of elements that have these attributes."""
        return [
            "".join(text)
            for name, given, text in self.found
            if name == tag and attributes.items() <= given.items()
        ]


def page(results: Results) -> str:
    return "".join(find_report("html").render(results, View(sources=SOURCES, title="train.py")))


def recorded(*faults: str, steps: int = 5) -> Results:
    """Return a run with a history; the first steps broke these rules."""
    course = OptimizerCourse("SGD", "train.py:8")
    for step in range(steps):
        course.note(Kind.DEPOSIT, "train.py:9")
        course.note(Kind.SPEND, "train.py:10")
        if step < len(faults):
            course.fault(faults[step])
        course.close()
    reach = Reach(thing="step", seen=steps, checked=steps)
    history = History(lanes=(course.lane(),), facts=(("torch", "2.13.0"),))
    return Results(verb="watch", findings=WATCH.findings, reach=reach, history=history)


def measured(norm: float, *, skipped: bool) -> Results:
    """Return a run of one step that spent a gradient of this norm, or skipped it."""
    course = OptimizerCourse("SGD", "train.py:8")
    course.note(Kind.DEPOSIT, "train.py:12")
    course.spent.add(course.step, norm)
    course.note(Kind.SKIP if skipped else Kind.SPEND, "train.py:13")
    course.close()
    reach = Reach(thing="step", seen=1, checked=1)
    return Results(verb="watch", findings=(), reach=reach, history=History(lanes=(course.lane(),)))


@pytest.mark.parametrize("case", CASES)
def test_the_page_carries_the_json_report_itself(case: str) -> None:
    elements = Elements(page(CASES[case]))
    (embedded,) = elements.texts("script", id="document")

    printed = "".join(find_report("json").render(CASES[case], View()))

    assert json.loads(embedded) == json.loads(printed)


@pytest.mark.parametrize("case", ["lint", "watch", "nothing"])
def test_the_page_has_a_card_for_each_finding_of_the_json_report(case: str) -> None:
    document = json.loads("".join(find_report("json").render(CASES[case], View())))

    cards = [
        given["data-rule"]
        for tag, given, _ in Elements(page(CASES[case])).found
        if tag == "article"
    ]

    assert cards == [finding["name"] for finding in document["findings"]]


@pytest.mark.parametrize(
    ("results", "mood", "sentence"),
    [
        (LINT, "error", "This code spends wrong gradients: 2 errors, 1 warning and 2 hints."),
        (WATCH, "error", "This run spent wrong gradients: 2 errors and 1 warning."),
        (NOTHING, "empty", "Nothing was judged: there was no loop."),
        (
            Results(verb="watch", findings=(), reach=Reach(thing="step", seen=1000, checked=1000)),
            "good",
            "No gradient fault seen in 1,000 steps.",
        ),
        (
            Results(verb="watch", findings=(), reach=Reach(thing="step", seen=1, checked=1)),
            "good",
            "No gradient fault seen in 1 step.",
        ),
        (
            measured(inf, skipped=False),
            "warning",
            "No gradient fault seen in 1 step; it spent inf or NaN.",
        ),
        (measured(inf, skipped=True), "good", "No gradient fault seen in 1 step."),
        (measured(1.0, skipped=False), "good", "No gradient fault seen in 1 step."),
        (
            Results(verb="lint", findings=(), reach=Reach(thing="loop", seen=1, checked=1)),
            "good",
            "No gradient fault in 1 loop.",
        ),
    ],
)
def test_the_verdict_is_one_sentence(results: Results, mood: str, sentence: str) -> None:
    verdict = verdict_of(results)

    assert (verdict.mood, verdict.sentence) == (mood, sentence)


def test_a_card_says_damage_repair_and_how_to_allow_it() -> None:
    text = page(LINT) + page(WATCH)

    assert "7.4x too large (peak 22x), 72 degrees off" in text
    assert "312 times, steps 4 to 1,872, rank 1" in text
    assert "# zerograd: ignore[missing-zero]" in text
    assert 'with zerograd.allow("missing-zero"):' in text
    assert '<span class="added"><i>8</i>+ optimizer.zero_grad()\n</span>' in text


def test_evidence_is_numbered_and_each_leads_to_the_next() -> None:
    text = page(LINT)

    elements = Elements(text)
    links = [
        given["href"] for tag, given, _ in elements.found if tag == "a" and "aria-label" in given
    ]
    assert {"#finding-5-2", "#finding-5-3", "#finding-5-0"} <= set(links)


def test_findings_beyond_the_room_of_a_page_name_their_place_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cards, "LINES", 1)
    first, *others = LINT.findings

    text = page(LINT)

    assert f"the first 1 show their code, the other {len(others)} name their place." in text
    assert f"<figcaption>{words.place(others[-1].location)}</figcaption></figure>" in text
    assert text.count('class="frame"') == len(listings("finding-1", first, SOURCES))


def test_a_page_with_room_for_all_says_nothing_of_it() -> None:
    assert "name their place" not in page(LINT)


def test_what_was_not_seen_is_told_with_its_code_as_code() -> None:
    assert "unresolved <code>engine.run</code> in 1); not judged: windows in 1.</li>" in page(LINT)


def test_a_page_of_source_carries_no_plots_and_is_small() -> None:
    text = page(LINT)

    assert 'id="plotly"' not in text
    assert len(text) < 100_000


def test_a_page_of_a_run_carries_its_plots_packed() -> None:
    text = page(recorded())

    assert 'id="plotly"' in text
    assert 1_000_000 < len(text) < LIMIT // 2


def test_a_run_of_many_restless_optimizers_stays_below_the_limit() -> None:
    text = page(restless())

    assert len(text) < LIMIT
    assert json.loads(Elements(text).texts("script", id="data")[0])["left_out"] == 6


def test_no_optimizer_pays_for_the_others_where_lanes_are_drawn_coarser(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    history = restless().history
    monkeypatch.setattr("zerograd.reports.html.ledger.BUDGET", 1_500_000)

    drawn = ledger_data(history, set())

    assert drawn is not None
    assert {len(lane["series"]["spent"]["step"]) for lane in drawn["lanes"]} == {275}
    assert {max(lane["series"]["spent"]["high"]) for lane in drawn["lanes"]} == {1.0}


def test_lanes_that_cannot_be_coarser_are_left_out_the_calm_ones_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calm, faulty = recorded().history, recorded("missing-zero").history
    assert calm is not None
    assert faulty is not None
    monkeypatch.setattr("zerograd.reports.html.ledger.BUDGET", 1)

    drawn = ledger_data(calm.followed_by(faulty), {"missing-zero"})

    assert drawn is not None
    assert (len(drawn["lanes"]), drawn["left_out"]) == (1, 1)
    assert drawn["rules"] == [{"name": "missing-zero", "code": "ZG101"}]


def test_an_optimizer_without_a_window_is_not_drawn() -> None:
    empty = History(lanes=(OptimizerCourse("SGD", "train.py:8").lane(),))

    drawn = ledger_data(empty, set())

    assert drawn is None


def test_a_title_that_no_utf_8_file_can_hold_is_spelled_out() -> None:
    text = "".join(find_report("html").render(WATCH, View(title="\udcff.py")))

    assert "zerograd watch: \\udcff.py</title>" in text
    assert text.encode().endswith(b"</html>\n")


def test_a_fault_that_is_not_reported_is_not_marked_either() -> None:
    text = page(recorded("missing-zero", "tail-leaks"))

    data = json.loads(Elements(text).texts("script", id="data")[0])
    assert [rule["name"] for rule in data["rules"]] == ["missing-zero"]
    assert [shape[1] for shape in data["lanes"][0]["shapes"]] == [["missing-zero"], [], []]


def test_nothing_hostile_becomes_an_element_or_ends_a_script() -> None:
    ours, theirs = Elements(page(recorded())), Elements(page(hostile()))

    tags = {tag for tag, _, _ in theirs.found}
    scripts = [given for tag, given, _ in theirs.found if tag == "script"]
    assert "img" not in tags
    assert len(scripts) == len([tag for tag, _, _ in ours.found if tag == "script"])
    assert not any(name.startswith("on") for _, given, _ in theirs.found for name in given)


def test_a_hostile_text_is_seen_to_become_an_element_where_it_is_not_escaped() -> None:
    elements = Elements(f"<p>{EVIL}</p>")

    assert "img" in {tag for tag, _, _ in elements.found}


def test_the_policy_lets_only_our_own_scripts_run_and_asks_nobody() -> None:
    elements = Elements(page(recorded()))

    (policy,) = [
        given["content"] or "" for tag, given, _ in elements.found if "http-equiv" in given
    ]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "'unsafe-eval'" not in policy
    assert "http" not in policy


def test_no_address_of_another_machine_is_loaded() -> None:
    elements = Elements(page(recorded()))

    loading = {
        value for _, given, _ in elements.found for name, value in given.items() if name == "src"
    }
    assert loading == set()


def test_parameters_that_will_not_learn_are_a_tree() -> None:
    history = History(
        parameters=(
            Parameter(name="Net.body.weight", size=6, owned=True, reached=True),
            Parameter(name="Net.head.weight", size=4, owned=True, reached=False),
            Parameter(name="Net.head.bias", size=2, owned=False, reached=True),
            Parameter(name="Net.frozen", size=9, owned=False, reached=False, frozen=True),
        )
    )

    tree = tree_of(history)

    assert tree is not None
    (root,) = tree.roots
    head = root.children["head"]
    assert tree.sentence == "2 of 4 parameters will not learn (1 more are frozen)."
    assert (root.name, head.count, head.size) == ("Net", 2, 6)
    assert {name: leaf.trouble for name, leaf in head.children.items()} == {
        "weight": "never got a gradient",
        "bias": "belongs to no optimizer",
    }


def test_parameters_that_all_learn_are_a_sentence() -> None:
    tree = tree_of(
        History(parameters=(Parameter(name="Net.weight", size=6, owned=True, reached=True),))
    )

    assert tree is not None
    assert tree.sentence == "All 1 parameter got gradients and belong to an optimizer."
    assert tree.is_calm


def test_arrows_have_the_damages_ratio_and_angle() -> None:
    damage = Damage(ratio=2.0, peak_ratio=3.0, cosine=0.0, worst_cosine=0.0, measured=1)

    arrows = arrows_of(damage)

    assert arrows is not None
    assert (arrows.meant, arrows.spent) == ((66.0, 0.0), (0.0, -132.0))


def test_damage_without_an_angle_is_not_drawn() -> None:
    nothing = [
        damage for finding in WATCH.findings if (damage := finding.damage) and damage.ratio > 99
    ]

    assert [arrows_of(damage) for damage in (*nothing, None)] == [None, None]


def test_a_source_that_is_gone_leaves_the_words() -> None:
    finding = Finding(
        rule=find_rule("missing-zero"),
        severity=Severity.ERROR,
        location=Location("gone.py", 3),
        message="x",
        help="clear it",
    )
    reach = Reach(thing="loop", seen=1, checked=1)

    text = page(Results(verb="lint", findings=(finding,), reach=reach))

    assert "gone.py:3:1" in text
    assert "clear it" in text


WITHOUT_JINJA = """
import sys
sys.modules["jinja2"] = None
from zerograd.cli import main
sys.exit(main(["lint", "--format", "html", "--isolated", sys.argv[1]]))
"""


def test_without_jinja_the_report_is_refused_with_what_to_type(tmp_path: object) -> None:
    command = [sys.executable, "-c", WITHOUT_JINJA, str(tmp_path)]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "zerograd: the HTML report needs jinja2 and plotly; pip install jinja2 plotly\n"
    )
