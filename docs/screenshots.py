"""Draws the pictures of README and docs from real runs: `make screenshots`."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from chromium import PATIENCE, missing, opened, wait_until_drawn

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HERE = Path(__file__).parent
IMAGES = HERE / "images"
SCHEMES = ("light", "dark")
SIZE = {"width": 1160, "height": 760}


def page_of(browser: Browser, file: Path, scheme: str) -> Page:
    """Open a report and wait until it is drawn."""
    page = browser.new_page(viewport=SIZE, color_scheme=scheme, reduced_motion="reduce")
    page.set_default_timeout(PATIENCE)
    page.goto(file.as_uri())
    wait_until_drawn(page)
    return page


def save(page: Page, name: str, selector: str) -> None:
    """Keep a picture of one part of a page."""
    page.locator(selector).first.screenshot(path=IMAGES / f"{name}.png", animations="disabled")
    print(f"docs/images/{name}.png")


def report(folder: Path) -> Path:
    """Watch the loop of the README and return its report."""
    shutil.copy(HERE / "forgotten.py", folder / "train.py")
    command = [sys.executable, "-m", "zerograd", "watch", "-q", "--isolated", "--html", "run.html"]
    subprocess.run([*command, "train.py"], cwd=folder, check=True, capture_output=True)
    return folder / "run.html"


def explained(folder: Path) -> Path:
    """Run both loops of a page and return what was drawn."""
    command = [sys.executable, "-m", "zerograd", "explain", "missing-zero", "--run"]
    subprocess.run(
        [*command, "--html", "explained.html"], cwd=folder, check=True, capture_output=True
    )
    return folder / "explained.html"


CELLS = (
    "%load_ext zerograd\nimport torch",
    "model = torch.nn.Linear(3, 1)\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)",
    """%%watch
for step in range(40):
    loss = model(torch.randn(64, 3)).square().mean()
    loss.backward()
    optimizer.step()""",
)
NOTEBOOK = """<!doctype html><meta charset="utf-8"><style>
:root { color-scheme: light dark; --back: #fff; --cell: #f7f7f7; --ink: #111 }
@media (prefers-color-scheme: dark) { :root { --back: #111; --cell: #1d1d1d; --ink: #ddd } }
body { background: var(--back); color: var(--ink); font: 14px/1.5 sans-serif; margin: 0 }
main { padding: 14px 18px; width: 900px }
.cell { background: var(--cell); border: 1px solid #8884; border-radius: 3px; padding: 6px 10px }
.cell pre { margin: 0; font-size: 13px }
.in { color: #3a6ea5; font: 12px monospace; margin-top: 12px }
</style><main>%s</main>"""


def notebook(folder: Path) -> Path:
    """Run three cells in a kernel and return them with what stands under them."""
    import nbclient
    import nbformat

    code = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    whole = nbformat.v4.new_notebook(cells=code)
    nbclient.NotebookClient(whole, resources={"metadata": {"path": str(folder)}}).execute()
    parts = []
    for cell in whole.cells:
        shown = "".join(one["data"]["text/html"] for one in cell.outputs if "data" in one)
        parts.append(f'<div class="in">In [{cell.execution_count}]:</div>')
        parts.append(f'<div class="cell"><pre>{escape(cell.source)}</pre></div>{shown}')
    file = folder / "notebook.html"
    file.write_text(NOTEBOOK % "".join(parts), "utf-8")
    return file


GALLERY = {
    "unequal-micro-batches": "unequal_micro_batches/broken_causal_language_model.py",
    "clip-before-unscale": "clip_before_unscale/broken_float16.py",
    "leaked-deposit": "leaked_deposit/broken_flat_gan.py",
    "tail-leaks": "tail_leaks/broken_functions.py",
}
"""Faults that stood in public code, each with a script that has it."""


def draw_gallery(folder: Path) -> None:
    """Draw the finding of each script of the gallery in light and dark."""
    for rule, script in GALLERY.items():
        source = (HERE.parent / "tests/scripts" / script).read_text("utf-8")
        # Without the comments by which the tests know what is found.
        (folder / "train.py").write_text(re.sub(r" +# ZG\d.*", "", source), "utf-8")
        command = [sys.executable, "-m", "zerograd", "watch", "-q", "--isolated", "--select", rule]
        subprocess.run(
            [*command, "--html", "run.html", "train.py"],
            cwd=folder,
            check=True,
            capture_output=True,
        )
        with opened() as browser:
            for scheme in SCHEMES:
                page = page_of(browser, folder / "run.html", scheme)
                save(page, f"gallery/{rule}-{scheme}", "#findings article")


def draw_notebook(folder: Path) -> None:
    """Draw a watched notebook in light and dark."""
    file = notebook(folder)
    with opened() as browser:
        for scheme in SCHEMES:
            page = browser.new_page(viewport=SIZE, color_scheme=scheme)
            page.goto(file.as_uri())
            save(page, f"notebook-{scheme}", "main")


def draw(folder: Path) -> None:
    """Draw every picture in light and dark."""
    run, page = report(folder), explained(folder)
    with opened() as browser:
        for scheme in SCHEMES:
            shown = page_of(browser, run, scheme)
            head = {"x": 0, "y": 0, "width": SIZE["width"], "height": 1345}
            shown.screenshot(path=IMAGES / f"report-{scheme}.png", full_page=True, clip=head)
            print(f"docs/images/report-{scheme}.png")
            save(shown, f"finding-{scheme}", "#findings article")
            both = page_of(browser, page, scheme)
            save(both, f"ledgers-{scheme}", "#lanes")
            save(both, f"norms-{scheme}", "#figures figure.wide")


PARTS = {"reports": draw, "gallery": draw_gallery, "notebook": draw_notebook}
"""What `python docs/screenshots.py gallery` draws alone."""

if __name__ == "__main__":
    if missing():
        sys.exit(f"zerograd: no pictures: {missing()}")
    IMAGES.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="zerograd-pictures-") as temporary:
        (IMAGES / "gallery").mkdir(exist_ok=True)
        for part in PARTS if len(sys.argv) == 1 else sys.argv[1:]:
            PARTS[part](Path(temporary))
