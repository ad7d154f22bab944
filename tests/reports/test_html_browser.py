"""The page in a real browser: it opens, draws, can be used, and asks nobody for anything."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from chromium import PATIENCE, missing, opened, wait_until_drawn
from report_samples import LINT
from run_samples import EVIL, hostile, million, nonfinite, page_run, restless
from script_expectations import SCRIPTS
from warm_python import warm_python

from zerograd.findings import Sources
from zerograd.reports import View, find_report
from zerograd.rules import find_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page, ViewportSize

    from zerograd.findings import Results

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "there is one")

MOST_ELEMENTS = 4000
"""However long a run is: what a browser lays out without a pause."""

# One rule of each section that a single process can break; ranks have a test of their own.
SECTIONS = (
    "missing-zero",
    "unnormalised-window",
    "step-without-effect",
    "clip-before-unscale",
    "kept-graph",
    "unfused-optimizer",
)


SCREEN: ViewportSize = {"width": 1180, "height": 900}


@dataclass
class Opened:
    """A page in the browser, and everything that it complained of or asked for."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def count(self, selector: str) -> int:
        return self.page.locator(selector).count()

    def text(self, selector: str) -> str:
        return self.page.locator(selector).first.inner_text()

    def view(self) -> tuple[int, int]:
        """Return the first and the last step that the ledger shows."""
        lanes = self.page.locator("#lanes")
        return int(lanes.get_attribute("data-from") or 0), int(lanes.get_attribute("data-to") or 0)

    def lane(self, attribute: str) -> str:
        return self.page.locator(".lane svg").first.get_attribute(attribute) or ""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with opened() as browser:
        yield browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def look(browser: Browser, folder: Path) -> Callable[..., Opened]:
    """Return how to open a page; all are closed with the browser.

    Pages of one profile share a process, while one of them is open: a third of the whole time.
    """
    profile = browser.new_context(viewport=SCREEN)
    (folder / "open.html").write_text("<title>It stays open</title>", "utf-8")
    profile.new_page().goto((folder / "open.html").as_uri(), timeout=PATIENCE)

    def looked(file: Path, *, drawn: bool = True, **context: str) -> Opened:
        own = browser.new_context(viewport=SCREEN, **context) if context else profile  # type: ignore[arg-type]
        page = own.new_page()
        page.set_default_timeout(PATIENCE)
        opened = Opened(page)
        page.on("console", lambda said: opened.complaints.append(said.text))
        page.on("pageerror", lambda error: opened.complaints.append(str(error)))
        page.on("request", lambda request: opened.requests.append(request.url))
        page.goto(file.as_uri(), timeout=PATIENCE)
        if drawn:
            wait_until_drawn(page)
        return opened

    return looked


@pytest.fixture(scope="module")
def show(look: Callable[..., Opened], folder: Path) -> Callable[..., Opened]:
    """Return how to open the page of some results."""

    def shown(results: Results, **context: str) -> Opened:
        view = View(sources=Sources(folder), title="train.py")
        file = folder / "report.html"
        file.write_text("".join(find_report("html").render(results, view)), encoding="utf-8")
        lanes = results.history is not None and bool(results.history.lanes)
        return look(file, drawn=lanes, **context)

    return shown


def assert_quiet(opened: Opened) -> None:
    assert opened.complaints == []
    assert [url for url in opened.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert sum(url.startswith("file:") for url in opened.requests) == 1
    assert opened.count("*") < MOST_ELEMENTS


@pytest.fixture(scope="module")
def faulty(show: Callable[..., Opened], folder: Path) -> Opened:
    return show(page_run(find_rule("missing-zero"), folder))


@pytest.fixture(scope="module")
def longest(show: Callable[..., Opened]) -> Opened:
    return show(million())


@pytest.mark.parametrize("rule", SECTIONS)
def test_the_report_of_each_sections_fault_opens_and_shows_its_card(
    rule: str, show: Callable[..., Opened], folder: Path
) -> None:
    opened = show(page_run(find_rule(rule), folder))

    assert_quiet(opened)
    assert opened.count(f'article[data-rule="{rule}"]') >= 1
    assert opened.count(".lane svg path") > 0
    assert opened.count(".js-plotly-plot") >= 1
    opened.page.close()


def test_the_report_of_ranks_that_part_opens_and_names_them(
    look: Callable[..., Opened], tmp_path: Path
) -> None:
    script = SCRIPTS / "ranks_diverge" / "broken_clip_on_rank_zero.py"
    command = [warm_python(), "-m", "zerograd", "watch", "-q", "--html", "ranks.html"]
    run = subprocess.run([*command, str(script)], cwd=tmp_path, capture_output=True, text=True)

    opened = look(tmp_path / "ranks.html")

    assert run.returncode == 0, run.stderr
    assert_quiet(opened)
    assert "ranks 0 and 1" in opened.text('article[data-rule="ranks-diverge"]')
    assert opened.count(".lane svg path") > 0
    opened.page.close()


def test_the_report_of_a_clean_run_is_calm(show: Callable[..., Opened], folder: Path) -> None:
    opened = show(page_run(find_rule("missing-zero"), folder, repaired=True))

    assert_quiet(opened)
    assert opened.count("article") == 0
    assert opened.text("h1") == "No gradient fault seen in 40 steps."
    assert opened.text(".lane h3 .calm") == "✓ in order"
    assert opened.view() == (21, 40)  # the last windows of a clean run
    assert opened.count(".lane .tint, .lane .flag, .lane .wrong") == 0
    opened.page.close()


def test_the_report_of_lint_opens(show: Callable[..., Opened]) -> None:
    opened = show(LINT)

    assert_quiet(opened)
    assert opened.count("article") == 5
    opened.page.close()


def test_a_run_of_a_million_steps_opens_bounded(longest: Opened) -> None:
    assert_quiet(longest)
    assert longest.view() == (992, 1_011)  # around the first fault, of step 1,000
    assert longest.lane("data-detail") == "windows"
    assert longest.text(".lane h3 .faulty") == "✕ 1,000 faulty windows"


def test_dragging_the_frame_in_the_strip_moves_the_ledger_over_the_whole_run(
    longest: Opened,
) -> None:
    strip = longest.page.locator("#overview").bounding_box()
    assert strip is not None
    at, height = strip["x"] + strip["width"] * 0.001, strip["y"] + strip["height"] / 2

    longest.page.mouse.move(at, height)
    longest.page.mouse.down()
    longest.page.mouse.move(strip["x"] + strip["width"] / 2, height, steps=4)
    halfway = longest.view()
    longest.page.mouse.move(strip["x"] + strip["width"] + 200, height)
    longest.page.mouse.up()
    longest.page.mouse.move(at, height)

    assert halfway[0] == pytest.approx(500_000, abs=1_000)
    assert longest.view() == (999_981, 1_000_000)


def test_the_strip_moves_by_the_keyboard_and_says_where_it_is(longest: Opened) -> None:
    longest.page.locator("#overview").focus()

    longest.page.keyboard.press("Home")
    longest.page.keyboard.press("ArrowRight")

    assert longest.view() == (11, 30)
    told = longest.page.locator("#overview").get_attribute("aria-valuetext")
    assert told == "steps 11 to 30 of 1,000,000"


def test_a_million_steps_zoom_to_one(longest: Opened) -> None:
    longest.page.locator("#from").fill("500000")
    longest.page.locator("#from").press("Enter")
    moved = longest.view()
    longest.page.locator("#to").fill("500000")
    longest.page.locator("#to").press("Enter")

    assert moved == (500_000, 500_019)
    assert longest.view() == (500_000, 500_000)
    assert longest.lane("data-detail") == "windows"
    assert longest.lane("data-faulty") == "1"
    longest.page.get_by_role("button", name="Whole run").click()
    assert longest.view() == (1, 1_000_000)


def test_many_restless_optimizers_open_bounded(show: Callable[..., Opened]) -> None:
    opened = show(restless())

    assert opened.complaints == []
    assert opened.count(".lane svg") == 24
    assert opened.count("*") < 40_000
    opened.page.close()


def test_norms_and_losses_that_are_nan_are_marked_and_said(show: Callable[..., Opened]) -> None:
    opened = show(nonfinite())
    norms, losses = opened.page.locator("#figures figure").all()

    marks = opened.page.locator("#figures .xy2 .point").count()

    assert_quiet(opened)
    assert "SGD: highest 1,000,000 at step 2" in norms.inner_text()
    assert "SGD: inf or NaN at first, inf or NaN at last" in losses.inner_text()
    assert marks == 4
    opened.page.close()


def test_each_step_is_named_once_below_a_plot(show: Callable[..., Opened]) -> None:
    opened = show(nonfinite())

    named = opened.page.locator("#figures figure").first.locator(".xtick").all_text_contents()

    assert named == ["1", "2", "3"]
    opened.page.close()


def test_each_thing_is_said_once(faulty: Opened) -> None:
    said = faulty.text("body")

    repair = "call zero_grad() once per step, before the first backward of the next window"
    assert said.count(repair) == 1
    assert said.count("1 error") == 1
    assert said.count("looked at: 1 optimizer, 40 steps, 40 backwards") == 1
    assert "Found" not in said


def test_the_page_and_the_json_report_agree(faulty: Opened) -> None:
    document = json.loads(faulty.page.locator("#document").text_content() or "")
    (finding,) = document["findings"]

    assert faulty.text("article .rule") == finding["name"]
    assert faulty.text("article .code") == finding["code"]
    assert faulty.text("article .badge") == finding["severity"]
    assert faulty.text("article .message") == finding["message"].replace("`", "")
    assert faulty.text("article figcaption") == (
        f"{finding['path']}:{finding['line']}:{finding['column']}"
    )
    assert f"{finding['count']} times" in faulty.text("article .damage")
    assert faulty.text(".lane h3 .faulty") == f"✕ {finding['count']} faulty windows"


def test_hovering_tells_step_and_lines(faulty: Opened) -> None:
    faulty.page.locator(".lane svg").first.scroll_into_view_if_needed()

    faulty.page.locator(".lane svg").first.hover(position={"x": 500, "y": 50})

    told = faulty.text("#tip")
    assert told.startswith("SGD, step ")
    assert "backward deposits " in told
    assert "missing_zero_False.py:13" in told
    assert "✕ missing-zero (ZG101)" in told


def test_zooming_in_and_out_changes_what_is_shown(faulty: Opened) -> None:
    opened_at = faulty.view()
    faulty.page.get_by_role("button", name="Whole run").click()
    whole = faulty.view()
    faulty.page.get_by_role("button", name="Zoom in").click()
    nearer = faulty.view()
    faulty.page.get_by_role("button", name="Whole run").click()

    assert opened_at == (1, 20)
    assert whole == (1, 40)
    assert nearer[1] - nearer[0] < 22
    assert faulty.view() == whole


def test_scrolling_with_control_zooms_at_the_pointer(faulty: Opened) -> None:
    faulty.page.locator(".lane svg").first.hover(position={"x": 10, "y": 50})

    faulty.page.keyboard.down("Control")
    faulty.page.mouse.wheel(0, -300)
    faulty.page.keyboard.up("Control")

    faulty.page.wait_for_selector('#lanes:not([data-to="40"])')
    assert faulty.view()[0] == 1
    faulty.page.get_by_role("button", name="Whole run").click()


def test_a_rule_that_is_filtered_out_is_no_longer_marked(faulty: Opened) -> None:
    box = faulty.page.locator('#filters input[data-rule="missing-zero"]')

    box.uncheck()
    unmarked = (faulty.lane("data-faulty"), faulty.count(".lane .flag"))
    box.check()

    assert unmarked == ("0", 0)
    assert faulty.lane("data-faulty") == "39"


def test_the_ledger_can_be_read_with_the_keyboard_alone(faulty: Opened) -> None:
    faulty.page.locator(".lane svg").first.focus()

    faulty.page.keyboard.press("n")
    fault = faulty.text("#said")
    faulty.page.keyboard.press("ArrowLeft")
    before = faulty.text("#said")
    faulty.page.keyboard.press("Home")

    assert fault.startswith("SGD, step 2; ")
    assert "missing-zero" in fault
    assert before.startswith("SGD, step 1; ")
    assert faulty.view() == (1, 40)


def test_everything_that_can_be_used_has_a_name(faulty: Opened) -> None:
    nameless = faulty.page.evaluate(
        """() => [...document.querySelectorAll("button, a, input, summary, [role=img]")]
        .filter((one) => !one.closest(".js-plotly-plot") || one.matches(".js-plotly-plot"))
        .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim()
            || one.closest("label")?.textContent.trim()))
        .map((one) => one.outerHTML)"""
    )

    assert nameless == []


# Of every text that is seen: its colour against what is behind it, as WCAG counts.
FAINT = """() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = colour.map((one) => one / 255)
      .map((one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = numbers(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour.slice(0, 3);
    }
  };
  const own = (element) =>
    [...element.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
  return [...document.querySelectorAll("body *")]
    .filter((one) => own(one) && one.offsetParent && !one.closest("svg, :disabled"))
    .filter((one) => {
      const [a, b] = [light(numbers(getComputedStyle(one).color)), light(behind(one))];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
    })
    .map((one) => `${one.className} ${one.textContent}`);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_what_is_behind_it(
    scheme: str, show: Callable[..., Opened]
) -> None:
    opened = show(LINT, color_scheme=scheme)

    assert opened.page.evaluate(FAINT) == []
    opened.page.add_style_tag(content=".message { color: #7a7a7a }")
    assert opened.page.evaluate(FAINT) != []
    opened.page.close()


def test_without_scripts_the_findings_are_there_and_nothing_dead(
    browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "report.html"
    file.write_text("".join(find_report("html").render(hostile(), View())), encoding="utf-8")
    page = browser.new_context(java_script_enabled=False).new_page()

    page.goto(file.as_uri(), timeout=PATIENCE)

    assert page.locator("article").first.is_visible()
    assert page.locator("#ledger noscript p").is_visible()
    assert not page.locator("button").first.is_visible()
    assert not page.locator(".tools").is_visible()
    page.context.close()


def test_dark_and_light_follow_the_system_and_the_button(
    show: Callable[..., Opened], folder: Path
) -> None:
    opened = show(page_run(find_rule("missing-zero"), folder), color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"

    dark = opened.page.evaluate(background)
    opened.page.locator("#theme").click()
    light = opened.page.evaluate(background)

    assert (dark, light) == ("rgb(14, 17, 21)", "rgb(247, 247, 245)")
    assert_quiet(opened)
    opened.page.close()


def test_on_paper_there_are_no_buttons(faulty: Opened) -> None:
    faulty.page.emulate_media(media="print")
    shown = faulty.page.locator(".tools").is_visible()
    faulty.page.emulate_media(media="screen")

    assert not shown
    assert faulty.page.locator(".tools").is_visible()


def test_a_page_can_be_printed_and_is_as_before_afterwards(faulty: Opened) -> None:
    paper = faulty.page.pdf()

    assert paper.startswith(b"%PDF")
    assert len(paper) > 20_000
    assert faulty.page.evaluate("document.documentElement.dataset.theme") is None
    assert faulty.count(".js-plotly-plot") >= 1


def test_nothing_hostile_runs_or_becomes_markup(show: Callable[..., Opened]) -> None:
    opened = show(hostile())
    opened.page.locator(".lane svg").first.hover(position={"x": 300, "y": 50})
    opened.page.locator(".lane svg").first.focus()
    opened.page.keyboard.press("n")

    assert_quiet(opened)
    assert opened.page.evaluate("window.hacked") is None
    assert opened.count("img") == 0
    assert opened.count("article b[onmouseover], .legend b, #tip b") == 0
    assert EVIL[:40] in opened.text("#tip")
    opened.page.close()


def test_a_script_that_got_into_the_page_would_not_run(faulty: Opened) -> None:
    faulty.page.evaluate(
        """() => { const one = document.createElement("script");
        one.textContent = "window.hacked = 1"; document.body.append(one); }"""
    )

    assert faulty.page.evaluate("window.hacked") is None
    assert faulty.complaints.pop().startswith("Executing inline script violates")
