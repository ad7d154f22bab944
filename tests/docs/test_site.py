"""The site builds without a warning, no link is dead, and a browser shows it on any screen."""

from __future__ import annotations

import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

import chromium
import pytest

import zerograd
from zerograd.rules import CATALOGUE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

# Found, not imported: every worker collects these tests, and one of them runs them.
if not all(find_spec(name) for name in ("furo", "myst_parser")):
    pytest.skip("the documentation's tools are not installed", allow_module_level=True)

ROOT = Path(__file__).parents[2]
BESIDE = ("SECURITY.md", "benchmarks", "ecosystem", "examples", "src")
"""What pages include or link to, next to docs/."""


def built(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "--quiet", "--builder", "html"]
    return subprocess.run(
        [*command, folder / "docs", folder / "site"], capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sources: a build writes rules and questions beside them."""
    folder = tmp_path_factory.mktemp("site")
    made = shutil.ignore_patterns("_build", "rules", "questions", "__pycache__")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=made)
    for name in BESIDE:
        (folder / name).symlink_to(ROOT / name)
    return folder


@pytest.fixture(scope="module")
def site(copied: Path) -> Path:
    """Return the built site: once for all tests here."""
    run = built(copied)
    assert run.returncode == 0, run.stderr
    return copied / "site"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if chromium.missing():
        pytest.skip(chromium.missing())
    with chromium.opened() as running:
        yield running


def test_the_site_builds_without_a_warning(site: Path) -> None:
    assert [
        rule.name for rule in CATALOGUE if not (site / f"rules/{rule.name}.html").exists()
    ] == []
    assert (site / "schema" / "findings-1.json").exists()
    assert (site / "images" / "report-dark.png").exists()
    # A rule's name in the prose leads to its page.
    index = (site / "index.html").read_text("utf-8")
    assert 'href="rules/missing-zero.html"' in index
    assert "2026, the zerograd authors" in index
    assert f"zerograd {zerograd.__version__}" in index


class Anchors(HTMLParser):
    """Collects where a page links to, what it shows and where it can be linked to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.names: set[str] = set()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        self.targets += [value for name, value in attrs if name in ("href", "src") and value]
        self.names |= {value for name, value in attrs if name == "id" and value}


def dead_links(site: Path) -> list[str]:
    """Return the links within a site that lead to no file, or to no place in it."""
    pages = {page.resolve(): Anchors(page) for page in site.rglob("*.html")}
    dead = []
    for page, anchors in pages.items():
        for target in anchors.targets:
            address = urlsplit(target)
            if address.scheme or address.netloc:
                continue
            path = (page.parent / unquote(address.path)).resolve() if address.path else page
            names = pages[path].names if path in pages else set()
            is_there = path.exists() and (path not in pages or not address.fragment)
            if not is_there and unquote(address.fragment) not in names:
                dead.append(f"{page.name}: {target}")
    return dead


def test_no_link_of_the_site_is_dead(site: Path) -> None:
    assert dead_links(site) == []


def test_a_dead_link_would_be_noticed(tmp_path: Path) -> None:
    (tmp_path / "one.html").write_text(
        '<a id="here" href="two.html">x</a><a href="#here">x</a><a href="#gone">x</a>'
    )

    assert dead_links(tmp_path) == ["one.html: two.html", "one.html: #gone"]


PAGES = (
    "index.html",
    "rules/index.html",
    "gallery.html",
    "integrations.html",
    "reference/api.html",
    "reference/command-line.html",
    "guides/migrate.html",
    "guides/notebooks.html",
    "explanation/comparison.html",
    "found-in-public-code.html",
    "rules/missing-zero.html",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_a_phone(site: Path, browser: Browser, scheme: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.set_default_timeout(chromium.PATIENCE)

    wide = []
    for name in PAGES:
        page.goto((site / name).as_uri())
        if page.evaluate("document.documentElement.scrollWidth") > 390:
            wide.append(name)

    context.close()
    assert wide == []


def test_on_a_phone_the_fault_of_each_rule_can_be_read_without_scrolling_sideways(
    site: Path, browser: Browser
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto((site / "rules/index.html").as_uri())

    right = page.evaluate(
        "Math.max(...[...document.querySelectorAll('.rules td')]"
        ".map(cell => cell.getBoundingClientRect().right))"
    )

    page.close()
    assert 0 < right <= 390


@pytest.mark.parametrize(
    ("name", "block", "typed"),
    [
        (
            "guides/notebooks.html",
            "div.highlight-console",
            "python make.py && zerograd lint --diff --unsafe-fixes train.ipynb",
        ),
        (
            "reference/api.html",
            "div.doctest, div.highlight-pycon, div.highlight-default",
            (
                "gradients = zerograd.Gradients(optimizer)\n"
                "for inputs, targets in loader:\n"
                "    loss = criterion(model(inputs), targets)\n"
                "    gradients.backward(loss)"
            ),
        ),
    ],
    ids=["console", "doctest"],
)
def test_a_button_copies_what_one_types_and_not_what_is_printed(
    site: Path, browser: Browser, name: str, block: str, typed: str
) -> None:
    page = browser.new_page()
    page.set_default_timeout(chromium.PATIENCE)
    page.add_init_script(
        "Object.defineProperty(navigator, 'clipboard',"
        "{value: {writeText: async (text) => { window.copied = text; }}});"
    )
    page.goto((site / name).as_uri())

    page.locator(f":is({block}) button.copy").first.click(force=True)

    copied_text = page.evaluate("window.copied")
    page.close()
    assert copied_text == typed


@pytest.mark.parametrize(
    ("words", "page_title"),
    [
        ("zero_grad where", "When do I call zero_grad"),
        ("GradScaler", "scaler"),
        ("gradient accumulation wrong", "How do I accumulate"),
        ("loss is nan", "Why is my loss NaN"),
        ("why is my loss not decreasing", "step-without-effect"),
    ],
)
def test_the_search_finds_the_questions(
    site: Path, browser: Browser, words: str, page_title: str
) -> None:
    page = browser.new_page()
    page.set_default_timeout(chromium.PATIENCE)
    page.goto(f"{(site / 'search.html').as_uri()}?q={quote(words)}")

    # Results come one by one: wait for the one that is meant.
    found = page.locator("ul.search li a", has_text=page_title).first
    found.wait_for()

    title = found.inner_text()
    page.close()
    assert page_title.lower() in title.lower()


def test_a_link_that_leads_nowhere_breaks_the_build(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "conf.py").write_text("extensions = ['myst_parser']\n")
    (tmp_path / "docs" / "index.md").write_text("# Page\n\n[gone](gone.md)\n")

    run = built(tmp_path)

    assert run.returncode == 1
    assert "'gone.md'" in run.stderr
