"""`zerograd rules` lists the catalogue: as lines in a pipe, in colour on a terminal, as JSON."""

from __future__ import annotations

import json

import pytest

from zerograd.cli import main
from zerograd.rules import CATALOGUE, find_rule
from zerograd.rules.page import read_page


def listed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the codes that were listed, in their order."""
    return [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]]


def test_every_rule_is_listed_in_the_catalogues_order(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["rules"])

    assert status == 0
    assert listed(capsys) == [rule.code for rule in CATALOGUE]


def test_a_pipe_gets_one_aligned_line_a_rule(capsys: pytest.CaptureFixture[str]) -> None:
    main(["rules", "ZG002", "step-without-effect"])

    assert capsys.readouterr().out == (
        "CODE   NAME                 SEVERITY  SEEN  STATUS   REAL  FALSE  FAULT\n"
        "ZG002  unused-ignore        hint      LW-   stable   0     0      "
        "a pragma that silences nothing\n"
        "ZG308  step-without-effect  warning   -W-   preview  0     0      "
        "a step on non-zero gradients that changed no parameter\n"
    )


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        (["ranks"], ["ZG501", "ZG502", "ZG503", "ZG504"]),
        (["Speed"], ["ZG701", "ZG702", "ZG703"]),
        (["zg10", "ZG702"], ["ZG101", "ZG102", "ZG103", "ZG104", "ZG105", "ZG106", "ZG702"]),
        (["tail-leaks", "missing-zero", "ZG101"], ["ZG101", "ZG202"]),
    ],
)
def test_sections_codes_and_names_choose_what_is_listed(
    words: list[str], codes: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["rules", *words])

    assert listed(capsys) == codes


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("clearng", "unknown rule or section 'clearng'; did you mean clearing?"),
        (
            "missing-zer",
            (
                "unknown rule or section 'missing-zer'; did you mean missing-zero? "
                "`zerograd rules` lists them"
            ),
        ),
        ("\x1b[31m", "unknown rule or section '\\x1b[31m'; `zerograd rules` lists them"),
    ],
)
def test_an_unknown_rule_or_section_is_refused_with_the_nearest(
    word: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["rules", word])

    out, err = capsys.readouterr()
    assert (status, out, err) == (2, "", f"zerograd: {sentence}\n")


def test_json_says_everything_that_the_catalogue_knows(capsys: pytest.CaptureFixture[str]) -> None:
    main(["rules", "clip-before-unscale", "--format", "json"])

    assert json.loads(capsys.readouterr().out) == {
        "version": 1,
        "rules": [
            {
                "code": "ZG402",
                "name": "clip-before-unscale",
                "section": "scaling",
                "severity": "error",
                "seen": ["lint", "watch", "engine"],
                "status": "stable",
                "real": 17,
                "false": 0,
                "fault": "clipping gradients that still carry the loss scale",
                "at": "the clip",
                "repair": "unsafe",
                "url": None,
                "page": read_page(find_rule("clip-before-unscale")).text,
            }
        ],
    }
