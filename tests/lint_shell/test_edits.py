"""Edits change the text that they name, and nothing else."""

from __future__ import annotations

import json

import pytest

from zerograd.findings import Edit, Fix
from zerograd.lint import Analyser, Project, Source
from zerograd.lint.repair.edits import apply_edits, compatible
from zerograd.lint.repair.notebook_cells import edit_cell
from zerograd.rules import Repair


def fix(*edits: Edit, cell: int | None = None) -> Fix:
    return Fix(Repair.UNSAFE, "repair", edits, cell)


def test_edits_count_in_the_text_as_it_was() -> None:
    edits = [Edit(1, 1, 1, 2, "first"), Edit(3, 1, 3, 1, "new\n"), Edit(3, 1, 3, 2, "third")]

    assert apply_edits("a\nb\nc\n", edits) == "first\nb\nnew\nthird\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_new_lines_end_as_the_others_do(end: str) -> None:
    assert apply_edits(f"a{end}b{end}", [Edit(2, 1, 2, 1, "x\ny\n")]) == end.join("axyb") + end


def test_a_form_feed_ends_no_line() -> None:
    assert apply_edits("a = '\x0c'\nb\n", [Edit(2, 1, 2, 2, "c")]) == "a = '\x0c'\nc\n"


def test_a_separator_in_a_string_moves_no_finding_and_no_repair() -> None:
    text = (
        "import torch\n"
        "text = 'a\u2028b\x0cc'\n"
        "model = torch.nn.Linear(2, 1)\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for inputs in loader:\n"
        "    é = 1\n"
        "    model(inputs, '\N{ROCKET}').sum().backward()\n"
        "    optimizer.step()\n"
    )

    found = Analyser(Project()).analyse(Source("train.py", text)).findings

    (finding,) = (one for one in found if one.rule.name == "missing-zero")
    assert (finding.location.line, finding.location.column) == (7, 5)
    assert finding.location.end_column == 40
    assert finding.fix is not None
    assert apply_edits(text, finding.fix.edits) == text.replace(
        "    model(", "    optimizer.zero_grad()\n    model("
    )


def test_columns_count_characters() -> None:
    assert apply_edits("é = 'ü'; x\n", [Edit(1, 10, 1, 11, "y")]) == "é = 'ü'; y\n"


def test_a_place_below_the_last_line_is_the_end() -> None:
    assert apply_edits("a\n", [Edit(3, 1, 3, 1, "b\n")]) == "a\nb\n"


def test_of_fixes_that_overlap_or_touch_the_first_is_applied() -> None:
    first = fix(Edit(2, 1, 2, 1, "a\n"), Edit(5, 1, 6, 1, ""))
    overlapping, touching = fix(Edit(5, 3, 5, 4, "x")), fix(Edit(2, 1, 2, 1, "b\n"))
    apart = fix(Edit(9, 1, 9, 1, "c\n"))

    assert compatible([apart, touching, overlapping, first]) == [first, apart]


def test_fixes_of_two_cells_never_meet() -> None:
    fixes = [fix(Edit(1, 1, 1, 2, "a"), cell=1), fix(Edit(1, 1, 1, 2, "b"), cell=2)]

    assert compatible(fixes) == fixes


NOTEBOOK = """{
 "cells": [
  {"cell_type": "markdown", "source": ["text"]},
  {
   "cell_type": "code",
   "metadata": {"tags":   ["odd spacing"]},
   "source": [
    "x = '\\u00e9'\\n",
    "loss.backward()\\n",
    "optimizer.step()"
   ],
   "outputs": []
  },
  {"cell_type": "code", "source": "one = 'string'"}
 ],
 "nbformat": 4
}
"""


def test_an_edit_of_a_cell_leaves_every_other_byte() -> None:
    edited = edit_cell(NOTEBOOK, 1, [Edit(2, 1, 2, 1, "optimizer.zero_grad()\n")])

    added = '    "optimizer.zero_grad()\\n",\n    "loss.backward()\\n"'
    assert edited == NOTEBOOK.replace('    "loss.backward()\\n"', added)


def test_a_cell_that_is_one_string_stays_one() -> None:
    edited = edit_cell(NOTEBOOK, 2, [Edit(1, 7, 1, 15, '"no"'), Edit(1, 15, 1, 15, "\nnew")])

    assert edited == NOTEBOOK.replace("one = 'string'", 'one = \\"no\\"\\nnew')
    assert json.loads(edited)["cells"][2]["source"] == 'one = "no"\nnew'


def test_a_list_of_one_line_grows_in_its_own_indentation() -> None:
    raw = '{"cells": [{"cell_type": "code", "source": [\n    "x = 1"\n   ]}]}'

    edited = edit_cell(raw, 1, [Edit(1, 1, 1, 1, "import os\n")])

    assert edited == raw.replace('"x = 1"', '"import os\\n",\n    "x = 1"')


def test_a_cell_that_is_not_there_changes_nothing() -> None:
    assert edit_cell(NOTEBOOK, 7, [Edit(1, 1, 1, 1, "x")]) == NOTEBOOK
