"""Layer: control flow. What a body keeps, and in which shape."""

from __future__ import annotations

import pytest
from layer_programs import Opened, drawn

STEP = "optimizer.step()"
FLOWS = {
    "a line without a relevant word is dropped": ("x = 1\nprint(x)", ""),
    "a line with one is an act": (STEP, "act"),
    "a loop without an act is dropped": ("for x in y:\n    print(x)", ""),
    "a loop keeps its acts": (f"for x in y:\n    {STEP}", "loop(act)"),
    "`else` of a loop is kept apart": (
        f"for x in y:\n    {STEP}\nelse:\n    {STEP}",
        "loop(act) else(act)",
    ),
    "a branch without an act on either side is dropped": ("if a:\n    print(1)", ""),
    "a branch keeps the side that acts": (f"if a:\n    {STEP}", "if(act | )"),
    "a branch keeps both sides": (f"if a:\n    {STEP}\nelse:\n    {STEP}", "if(act | act)"),
    "`elif` is a branch in the other side": (
        f"if a:\n    {STEP}\nelif b:\n    {STEP}",
        "if(act | if(act | ))",
    ),
    "`and` is a branch": (f"a and {STEP}", "if(act | )"),
    "`or` is a branch the other way": (f"a or {STEP}", "if( | act)"),
    "a conditional expression is a branch": (f"{STEP} if a else 0", "if(act | )"),
    "`match` is a chain of branches": (
        f"match a:\n    case 1:\n        {STEP}\n    case _:\n        {STEP}",
        "if(act | act)",
    ),
    "`try` keeps body, handlers and `finally` apart": (
        f"try:\n    {STEP}\nexcept E:\n    {STEP}\nfinally:\n    {STEP}",
        "try(act | act | act)",
    ),
    "`with` keeps its body": (f"with a:\n    {STEP}", "with(act)"),
    "`break` leaves": (f"for x in y:\n    {STEP}\n    break", "loop(act break)"),
    "`continue` in a branch is kept": (
        f"for x in y:\n    if a:\n        continue\n    {STEP}",
        "loop(if(continue | ) act)",
    ),
    "`sys.exit()` leaves like an exception": (f"import sys\n{STEP}\nsys.exit()", "act raise"),
    "a name that a test reads is bound": (
        f"a = f()\nif a:\n    {STEP}",
        "bind:a if(act | )",
    ),
    "a name that no test reads is not": (f"a = f()\n{STEP}", "act"),
    "a comprehension is a loop": ("[o.step() for o in opts]", "loop(act)"),
    "a nested function is no part of the flow": (f"def f():\n    {STEP}", ""),
}


@pytest.mark.parametrize(("program", "flow"), FLOWS.values(), ids=FLOWS)
def test_flow(program: str, flow: str) -> None:
    assert drawn(Opened(program, prelude="").flow()) == flow


def test_while_true_is_endless() -> None:
    loop = Opened(f"while True:\n    {STEP}", prelude="").flow()[0]

    assert getattr(loop, "endless", None) is True


def test_a_loop_over_data_is_not_endless() -> None:
    loop = Opened(f"for x in y:\n    {STEP}", prelude="").flow()[0]

    assert getattr(loop, "endless", None) is False
