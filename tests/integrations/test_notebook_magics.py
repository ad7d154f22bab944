"""`%%watch` and `%zerograd` in a real kernel: all tests are cells of one notebook."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel", reason="no kernel to run a notebook in")
nbclient = pytest.importorskip("nbclient")

pytestmark = pytest.mark.filterwarnings("ignore")

LOAD = "%load_ext zerograd\nimport sys\nprint('torch' in sys.modules)"
SETUP = """
import torch
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
""".lstrip()
WRONG = """
for _ in range(3):
    loss = model(torch.ones(4, 3)).mean()
    loss.backward()
    optimizer.step()
""".lstrip()
RIGHT = WRONG.replace("    loss.backward()", "    optimizer.zero_grad()\n    loss.backward()")


class Kernel:
    """A notebook that is written while it runs."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def run(self, source: str) -> list[Any]:
        """Run one more cell and return its outputs."""
        cell = nbformat.v4.new_code_cell(source)
        self._client.nb.cells.append(cell)
        self._client.execute_cell(cell, len(self._client.nb.cells) - 1)
        outputs: list[Any] = cell.outputs
        return outputs

    @property
    def number(self) -> int:
        """What the last cell is called: `In [number]`."""
        number: int = self._client.nb.cells[-1].execution_count
        return number


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    folder = tmp_path_factory.mktemp("notebook")
    client = nbclient.NotebookClient(
        nbformat.v4.new_notebook(),
        timeout=240,
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
    )
    with client.setup_kernel():
        kernel = Kernel(client)
        assert [one["text"] for one in kernel.run(LOAD)] == ["False\n"]
        kernel.run(SETUP)
        yield kernel


def html_of(outputs: list[Any]) -> str:
    """Return the HTML that is shown, and that it has a text beside it."""
    shown = [one["data"] for one in outputs if one["output_type"] == "display_data"]
    assert all(set(data) == {"text/html", "text/plain"} for data in shown)
    return "".join(data["text/html"] for data in shown)


def text_of(html: str) -> str:
    """Return what a reader sees of it."""
    return re.sub(r"<[^>]+>", "", html).replace("&lt;", "<").replace("&gt;", ">")


def test_a_watched_cell_shows_its_fault_with_the_code_frame_under_it(kernel: Kernel) -> None:
    html = html_of(kernel.run(f"%%watch\n{WRONG}"))

    seen = text_of(html)
    assert f"In [{kernel.number}]:4:5: ZG101 missing-zero: `loss.backward()` adds to " in seen
    assert "    4 | loss.backward()\n" in seen
    assert "happened: 2 times, steps 2 to 3" in seen
    assert "zerograd: Found 1 error in 1 file; 3 steps: all checked." in seen
    assert "<script" not in html


def test_a_cell_that_is_run_twice_is_two_runs(kernel: Kernel) -> None:
    source = f"%%watch\noptimizer.zero_grad()\n{WRONG}"
    first = text_of(html_of(kernel.run(source)))
    number = kernel.number

    second = text_of(html_of(kernel.run(source)))

    assert first.replace(f"In [{number}]", "In [n]") == second.replace(
        f"In [{kernel.number}]", "In [n]"
    )
    assert kernel.number == number + 1


def test_a_right_cell_says_that_nothing_was_found(kernel: Kernel) -> None:
    outputs = kernel.run(f"%%watch\noptimizer.zero_grad()\n{RIGHT}")

    assert text_of(html_of(outputs)) == "zerograd: Found nothing; 3 steps: all checked."


def test_a_watched_cell_runs_as_any_other(kernel: Kernel) -> None:
    value = kernel.run("%%watch\nimport asyncio\nawait asyncio.sleep(0)\nlen([1, 2])")
    timed = kernel.run(f"%%watch\n%%time\noptimizer.zero_grad()\n{WRONG}")
    failed = kernel.run("%%watch\n\nraise ArithmeticError('their own')")

    assert next(one["data"]["text/plain"] for one in value if "data" in one) == "2"
    assert "ZG101 missing-zero" in text_of(html_of(timed))
    assert "CPU times" in "".join(one.get("text", "") for one in timed)
    (error,) = [one for one in failed if one["output_type"] == "error"]
    assert (error["ename"], error["evalue"]) == ("ArithmeticError", "their own")
    assert "----> 3 raise" in re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error["traceback"]))


@pytest.mark.parametrize(
    ("above", "line"),
    [
        ("%%watch\n%%time\n", 6),
        ("%%watch\n%%capture\n", 6),
        ("%%watch\n%%timeit -n 1 -r 1\n", 6),
        ("%%watch\n%%prun\n", 6),
        ("%%time\n%%watch\n", 6),
        ("%%capture\n%%time\n%%watch\n\n", 8),
    ],
)
def test_below_other_cell_magics_a_fault_stands_on_its_own_line_of_the_cell(
    kernel: Kernel, above: str, line: int
) -> None:
    outputs = kernel.run(f"{above}optimizer.zero_grad()\n{WRONG}")

    seen = text_of(html_of(outputs))
    assert f"In [{kernel.number}]:{line}:5: ZG101 missing-zero: `loss.backward()` adds to " in seen
    assert f"    {line} | loss.backward()\n" in seen


def test_the_line_that_ended_a_timed_cell_is_the_cells_own(kernel: Kernel) -> None:
    outputs = kernel.run("%%watch\n%%time\nfresh = torch.nn.Linear(3, 1)\nfresh.weight.grad.norm()")

    assert f"In [{kernel.number}]:4:1: ZG105 none-grad: " in text_of(html_of(outputs))


def test_a_function_that_a_timed_cell_defines_keeps_its_lines_when_a_later_cell_calls_it(
    kernel: Kernel,
) -> None:
    body = f"def train():\noptimizer.zero_grad()\n{WRONG}".rstrip().replace("\n", "\n    ")
    kernel.run(f"%%watch\n%%time\n{body}\ntrain()")
    defined = kernel.number

    seen = text_of(html_of(kernel.run("%%watch\n%%time\n# again\ntrain()")))

    assert f"In [{defined}]:7:9: ZG101 missing-zero: `loss.backward()` adds to " in seen
    assert f"--> In [{kernel.number}]:4:1\n    4 | train()\n" in seen


def test_cells_that_a_watched_cell_runs_do_not_end_it(kernel: Kernel) -> None:
    within = "get_ipython().run_cell('%%watch\\npass')\nget_ipython().run_cell('')\n"

    inner, outer = kernel.run(f"%%watch\noptimizer.zero_grad()\n{within}{WRONG}")

    assert text_of(html_of([inner])) == "zerograd: Found nothing; no step to check."
    assert "ZG101 missing-zero" in text_of(html_of([outer]))


def test_a_variable_that_cannot_be_looked_at_is_left_alone(kernel: Kernel) -> None:
    lazy = "class Lazy:\n    __class__ = property(lambda self: 1 / 0)\nlazy = Lazy()\n"
    kernel.run(lazy)

    outputs = kernel.run(f"%%watch\ndel lazy\noptimizer.zero_grad()\n{RIGHT}")

    assert text_of(html_of(outputs)) == "zerograd: Found nothing; 3 steps: all checked."


def test_a_session_shows_each_execution_under_its_own_cell_and_reports_all(
    kernel: Kernel,
) -> None:
    kernel.run("%zerograd on")
    quiet = kernel.run(f"optimizer.zero_grad()\n{RIGHT}")
    first = text_of(html_of(kernel.run(WRONG)))
    second = text_of(html_of(kernel.run(f"%%capture\n{WRONG}")))
    report = text_of(html_of(kernel.run("%zerograd report")))
    last = kernel.number - 1

    off = kernel.run("%zerograd off")
    after = kernel.run(WRONG)

    assert quiet == off == after == []
    assert "happened: 3 times" in first
    assert "happened: 3 times, steps 7 to 9" in second
    assert f"In [{last - 1}]:3:5: ZG101" in first
    assert f"In [{last}]:4:5: ZG101" in second
    assert "3 steps: all checked." in second
    assert first in report
    assert second in report


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("%zerograd of", "write %zerograd on, %zerograd off or %zerograd report"),
        ("%zerograd off", "nothing is watched; %zerograd on begins to watch"),
        (
            "%%watch --hint\npass",
            "unrecognized arguments: --hint; %%watch takes --select, --ignore, --hints and ",
        ),
        ("%%watch --select missing-zer\npass", "unknown rule 'missing-zer'"),
        ("%%watch --select 'ZG1\npass", "No closing quotation; %%watch takes --select, "),
    ],
)
def test_a_mistake_is_one_sentence(kernel: Kernel, line: str, sentence: str) -> None:
    outputs = kernel.run(line)

    told = "".join(one.get("text", "") for one in outputs)
    assert told.startswith("UsageError: ")
    assert sentence in told


def test_the_engine_names_cells_as_the_notebook_does(kernel: Kernel) -> None:
    (error,) = kernel.run(
        "import zerograd\nown = torch.nn.Linear(3, 1)\n"
        "sgd = torch.optim.SGD(own.parameters(), lr=0.1)\n"
        "gradients = zerograd.Gradients(sgd, accumulate=2)\n"
        "gradients.backward(own(torch.ones(4, 3)).mean())\n"
        "sgd.step()"
    )

    assert f"In [{kernel.number}]:6" in error["evalue"]
    assert f"the engine's last deposit was at In [{kernel.number}]:5" in error["evalue"]


def test_what_the_html_holds_is_escaped(kernel: Kernel) -> None:
    source = WRONG.replace("loss.backward()", "loss.backward()  # <b>not bold</b>")

    html = html_of(kernel.run(f"%%watch\n{source}"))

    assert "&lt;b&gt;not bold&lt;/b&gt;" in html
    assert "<b>" not in html


def test_an_unloaded_extension_leaves_nothing(kernel: Kernel) -> None:
    kernel.run("%zerograd on")
    kernel.run("%unload_ext zerograd")

    silent = kernel.run(WRONG)
    gone = kernel.run("%zerograd report")
    kernel.run("%load_ext zerograd")

    assert silent == []
    assert "not found" in json.dumps(gone)
