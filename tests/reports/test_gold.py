"""Every format prints every case exactly as the gold files say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from report_samples import CASES, SOURCES

from zerograd import __version__
from zerograd.reports import FORMATS, View, find_report

GOLD = Path(__file__).parent / "gold"


def compare(name: str, text: str) -> None:
    """Compare with a gold file, or write it when asked to."""
    text = text.replace(__version__, "VERSION")
    if os.environ.get("ZEROGRAD_UPDATE_GOLD"):
        (GOLD / name).write_text(text, encoding="utf-8", newline="\n")
    assert text == (GOLD / name).read_text(encoding="utf-8")


# A browser reads the page, not a diff: test_html_page.py and test_html_browser.py do.
TEXTS = tuple(form for form in FORMATS if form != "html")


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize("case", CASES)
def test_a_report_is_as_its_gold_file(case: str, form: str) -> None:
    text = "".join(find_report(form).render(CASES[case], View(sources=SOURCES)))

    compare(f"{case}.{form}", text)


def test_the_full_report_in_colour_is_as_its_gold_file() -> None:
    text = "".join(find_report("full").render(CASES["lint"], View(sources=SOURCES, color=True)))

    compare("lint.colour.full", text.replace("\x1b", "ESC"))


def test_every_gold_file_belongs_to_a_case() -> None:
    expected = {f"{case}.{form}" for case in CASES for form in TEXTS} | {"lint.colour.full"}

    assert {file.name for file in GOLD.iterdir()} == expected


def test_a_gold_file_that_differs_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ZEROGRAD_UPDATE_GOLD", raising=False)

    with pytest.raises(AssertionError):
        compare("nothing.full", "Found something.\n")
