"""Any text in any field stays harmless in every format."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from report_samples import HOSTILE

from zerograd.findings import (
    Damage,
    Edit,
    Evidence,
    Finding,
    Fix,
    Location,
    Reach,
    Results,
    Sources,
    Unchecked,
    Withheld,
)
from zerograd.reports import FORMATS, View, find_report
from zerograd.rules import CATALOGUE, Repair
from zerograd.severity import Severity

HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}

# Lone surrogates are Python strings too: undecodable file names are made of them.
TEXTS = st.text(st.characters(), max_size=60) | st.text(
    st.sampled_from("a:%,\n\r\x1b[\u202e\u2028\ud800`{}]()模\t\0 "), max_size=60
)
MODEST = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
NUMBERS = st.integers(1, 30)
LOCATIONS = st.builds(
    Location,
    TEXTS | st.just("source.py"),
    NUMBERS,
    NUMBERS,
    st.none() | NUMBERS,
    st.none() | NUMBERS,
    st.none() | NUMBERS,
)
FIXES = st.builds(
    Fix,
    st.sampled_from(Repair),
    TEXTS,
    st.lists(st.builds(Edit, NUMBERS, NUMBERS, NUMBERS, NUMBERS, TEXTS), max_size=3).map(tuple),
)
DAMAGES = st.builds(
    Damage,
    ratio=st.floats(),
    peak_ratio=st.floats(),
    cosine=st.floats(),
    worst_cosine=st.floats(),
    measured=NUMBERS,
)
FINDINGS = st.builds(
    Finding,
    rule=st.sampled_from(CATALOGUE),
    severity=st.sampled_from(Severity),
    location=LOCATIONS,
    message=TEXTS,
    help=st.none() | TEXTS,
    evidence=st.lists(st.builds(Evidence, TEXTS, LOCATIONS), max_size=3).map(tuple),
    fix=st.none() | FIXES,
    fingerprint=TEXTS,
    count=st.none() | NUMBERS,
    first_step=st.none() | NUMBERS,
    last_step=st.none() | NUMBERS,
    rank=st.none() | NUMBERS,
    damage=st.none() | DAMAGES,
)
RESULTS = st.builds(
    Results,
    verb=st.sampled_from(["lint", "watch"]),
    findings=st.lists(FINDINGS, max_size=3).map(tuple),
    reach=st.builds(
        Reach,
        thing=st.just("loop"),
        seen=NUMBERS,
        checked=NUMBERS,
        unchecked=st.lists(st.builds(Unchecked, TEXTS, LOCATIONS), max_size=3).map(tuple),
        withheld=st.builds(
            Withheld, st.just("missing-zero"), st.just(("it is so",)), LOCATIONS
        ).map(lambda one: (one,)),
    ),
    notes=st.lists(TEXTS, max_size=2).map(tuple),
)


def rendered(form: str, results: Results, source: str = "") -> str:
    view = View(sources=Sources(texts={"source.py": source}))
    return "".join(find_report(form).render(results, view))


def hidden(text: str) -> set[str]:
    """Return the characters of a text that a terminal would obey, line ends apart."""
    return {one for one in text if unicodedata.category(one) in HIDDEN and one != "\n"}


@pytest.mark.parametrize("form", FORMATS)
@given(results=RESULTS, source=TEXTS)
@MODEST
def test_any_text_in_any_field_comes_out_as_harmless_utf8(
    form: str, results: Results, source: str
) -> None:
    text = rendered(form, results, source)

    text.encode("utf-8")
    assert hidden(text) == set()


@pytest.mark.parametrize("form", ["json", "sarif"])
@given(results=RESULTS)
@MODEST
def test_any_text_in_any_field_gives_a_document_of_ascii_without_surrogates(
    form: str, results: Results
) -> None:
    text = rendered(form, results)

    assert text.isascii()
    json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize("form", ["concise", "github"])
@given(results=RESULTS)
@MODEST
def test_any_text_in_any_field_stays_on_the_line_of_its_finding(
    form: str, results: Results
) -> None:
    lines = rendered(form, results).splitlines()

    assert len(lines) == len(results.findings)


@pytest.mark.parametrize("form", ["full", "concise"])
@given(results=RESULTS, source=TEXTS)
@MODEST
def test_no_line_of_a_report_for_people_is_a_workflow_command(
    form: str, results: Results, source: str
) -> None:
    lines = rendered(form, results, source).splitlines()

    assert not [line for line in lines if line.lstrip().startswith("::")]


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_results_give_the_same_text(form: str) -> None:
    shuffled = Results(
        verb="lint", findings=HOSTILE.findings[::-1], reach=HOSTILE.reach, notes=HOSTILE.notes
    )

    assert rendered(form, shuffled) == rendered(form, HOSTILE)


def test_the_search_for_hidden_characters_finds_them() -> None:
    assert hidden("a\n\x1b\u202e\ud800") == {"\x1b", "\u202e", "\ud800"}
