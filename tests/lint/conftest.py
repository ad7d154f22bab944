"""Small programs in, `line code` out."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from zerograd.lifecycle import Severity
from zerograd.lint import Analyser, Analysis, Project, Source

if TYPE_CHECKING:
    from collections.abc import Callable

PRELUDE = dedent("""\
    import torch
    from torch import nn
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
""")
"""Four lines that most programs below start with."""


@pytest.fixture
def analyse() -> Callable[[str], Analysis]:
    def analyse(program: str) -> Analysis:
        source = Source("train.py", PRELUDE + dedent(program))
        return Analyser(Project()).analyse(source)

    return analyse


@pytest.fixture
def loud(analyse: Callable[[str], Analysis]) -> Callable[[str], list[str]]:
    """Everything but hints, as `line code`; the prelude's lines are not counted."""

    def loud(program: str) -> list[str]:
        found = analyse(program).findings
        return [
            f"{item.location.line - 4} {item.rule.code}"
            for item in found
            if item.severity is not Severity.HINT
        ]

    return loud
