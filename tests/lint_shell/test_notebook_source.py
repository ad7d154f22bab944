"""A notebook is one module, in which only Python is left."""

from __future__ import annotations

import ast
import json

import pytest

from zerograd.errors import UnreadableError
from zerograd.lint.program.notebook_source import notebook_source, plain_lines


def notebook(*cells: str, language: str = "python") -> str:
    code = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    prose = {"cell_type": "markdown", "source": ["# Title"]}
    kernel = {"kernelspec": {"language": language}}
    return json.dumps({"cells": [prose, *code], "metadata": kernel, "nbformat": 4})


def test_code_cells_in_order_are_one_module() -> None:
    source = notebook_source("train.ipynb", notebook("import torch", "x = 1\ny = 2\n", "z = 3"))

    assert source.text == "import torch\nx = 1\ny = 2\n\nz = 3\n"
    assert [(cell.number, cell.first_line) for cell in source.cells] == [(1, 1), (2, 2), (3, 5)]
    assert source.cell_of(3) == (2, 2)


@pytest.mark.parametrize(
    ("cell", "lines"),
    [
        ("%%time\nx = 1", ["", "x = 1"]),
        ("\n%%capture out\nx = 1", ["", "", "x = 1"]),
        ("%%watch --hints\nx = 1", ["", "x = 1"]),
        ("%%bash\nls | wc", ["", ""]),
        ("%%writefile train.py\nloss.backward()", ["", ""]),
        ("%matplotlib inline\nx = 1", ["pass", "x = 1"]),
        ("for x in y:\n    !ls {x}\n    f(x)", ["for x in y:", "    pass", "    f(x)"]),
        ("!pip install \\\n  torch\nx = 1", ["pass", "", "x = 1"]),
        ("files = !ls\nt = %timeit -o f()", ["files = None", "t = None"]),
        ("model?\ntorch.nn??\n?x\nx = 1", ["pass", "pass", "pass", "x = 1"]),
        ("pip install torch\nx = 1", ["pass", "x = 1"]),
        ("x = (a\n     % b)\nprint('%d' % x)", ["x = (a", "     % b)", "print('%d' % x)"]),
        ('s = """\n!ls\n"""', ['s = """', "!ls", '"""']),
        ("await train()\nx = 1", ["await train()", "x = 1"]),
        ("x = 1\r\ny = 2", ["x = 1", "y = 2"]),
    ],
)
def test_what_only_ipython_understands_becomes_harmless(cell: str, lines: list[str]) -> None:
    assert plain_lines(cell) == lines
    ast.parse("\n".join(lines))


def test_a_notebook_of_another_language_has_no_source() -> None:
    assert notebook_source("train.ipynb", notebook("x <- 1", language="R")).text == ""


@pytest.mark.parametrize("raw", ["", "[]", '{"cells": 1}', '{"worksheets": []}', "<<<<<<< HEAD"])
def test_what_is_no_notebook_is_refused(raw: str) -> None:
    with pytest.raises(UnreadableError) as refusal:
        notebook_source("train.ipynb", raw)

    assert str(refusal.value) == "is no notebook: no JSON with a list of cells"
