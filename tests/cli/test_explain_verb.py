"""`zerograd explain` finds a page by code, name or beginning, and leads from questions to pages."""

from __future__ import annotations

import pytest

from zerograd.cli import main
from zerograd.rules import find_rule
from zerograd.rules.page import read_page
from zerograd.rules.questions import QUESTIONS, read_topic


@pytest.mark.parametrize(
    "text",
    ["missing-zero", "ZG101", "zg101", "Missing-Zero", "missing", "missing_zero", "missing zero"],
)
def test_a_pipe_gets_the_rules_page_as_it_is(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["explain", text])

    assert status == 0
    assert capsys.readouterr().out == read_page(find_rule("missing-zero")).text.rstrip("\n") + "\n"


@pytest.mark.parametrize("text", ["adam", "Adam", "ada"])
def test_a_topic_is_found_like_a_rule(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["explain", text])

    assert status == 0
    assert capsys.readouterr().out == read_topic("adam")


def test_a_whole_topic_wins_over_the_rules_that_begin_with_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["explain", "ranks"])

    assert capsys.readouterr().out == read_topic("ranks")


def test_without_a_rule_every_question_is_asked_with_what_to_type(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = main(["explain"])

    said = capsys.readouterr().out
    lines = "\n".join(f"- {asked.text}\n  `zerograd explain {asked.page}`" for asked in QUESTIONS)
    assert status == 0
    assert said == (
        f"# What people ask\n\n{lines}\n\nEvery rule has a page too; `zerograd rules` lists them.\n"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "misssing-zero",
            (
                "no page 'misssing-zero'; did you mean missing-zero? "
                "`zerograd explain` lists the questions, `zerograd rules` the rules"
            ),
        ),
        (
            "mising",
            (
                "no page 'mising'; did you mean missing-zero? "
                "`zerograd explain` lists the questions, `zerograd rules` the rules"
            ),
        ),
        (
            "qqq",
            "no page 'qqq'; `zerograd explain` lists the questions, `zerograd rules` the rules",
        ),
        ("ZG9", "unknown rule 'ZG9'; `zerograd rules` lists them"),
        ("never-s", "'never-s' is the beginning of 2 pages: never-spent, never-synced"),
        (
            "clip",
            (
                "'clip' is the beginning of 6 pages: clip-after-step, clip-before-unscale, "
                "clip-before-backward, clip-inside-window, clip-other-parameters, ..."
            ),
        ),
        (
            "",
            (
                "'' is the beginning of 61 pages: unparsable-file, unused-ignore, unknown-ignore, "
                "unreadable-file, missing-zero, ..."
            ),
        ),
    ],
)
def test_what_has_no_page_is_refused_with_the_nearest(
    text: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["explain", text])

    out, err = capsys.readouterr()
    assert (status, out, err) == (2, "", f"zerograd: {sentence}\n")


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ("zero_grad", "when-to-clear"),
        ("optimizer.zero_grad()", "when-to-clear"),
        ("accumulate", "accumulation"),
        ("DDP", "ranks"),
        ("GradScaler", "mixed-precision"),
        ("loss is nan", "nan-loss"),
        ("my loss goes to inf", "nan-loss"),
        ("exploding gradients", "nan-loss"),
    ],
)
def test_what_people_type_leads_to_a_topic(
    typed: str, page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["explain", typed])

    assert (status, capsys.readouterr().out) == (0, read_topic(page))


def test_a_question_needs_no_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["explain", "loss", "is", "nan"])

    assert (status, capsys.readouterr().out) == (0, read_topic("nan-loss"))


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ("loss not decreasing", "step-without-effect"),
        ("GAN", "leaked-deposit"),
        ("retain_graph", "backward-twice"),
        ("EMA", "average-in-window"),
    ],
)
def test_what_people_type_leads_to_a_rule(
    typed: str, page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["explain", typed])

    assert (status, capsys.readouterr().out) == (0, read_page(find_rule(page)).text)


def test_a_word_that_only_pages_have_lists_those(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["explain", "learning rate"])

    out = capsys.readouterr().out
    assert status == 0
    assert out.startswith("# Pages that mention learning rate\n\n- ")
    assert "\n  `zerograd explain scheduler-in-window`\n" in out


@pytest.mark.parametrize("text", ["topics", "questions"])
def test_the_questions_have_a_name_too(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["explain", text])

    assert status == 0
    assert capsys.readouterr().out.startswith("# What people ask\n")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "is the moon round",
            (
                "no page answers 'is the moon round'; "
                "`zerograd explain` lists the questions, `zerograd rules` the rules"
            ),
        ),
        (
            "memory or gpus",
            "'memory or gpus' may be answered by ranks, kept-graph; name one of them",
        ),
    ],
)
def test_a_question_without_one_answer_is_refused(
    text: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["explain", text])

    assert (status, capsys.readouterr().err) == (2, f"zerograd: {sentence}\n")
