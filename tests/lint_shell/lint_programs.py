"""Programs to lint: one that never clears, its repair, and both as a notebook."""

from __future__ import annotations

import json

MISSING_ZERO = """\
import torch

model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    loss = model(torch.randn(5, 3)).pow(2).mean()
    loss.backward()
    optimizer.step()
"""

CLEARED = MISSING_ZERO.replace(
    "    loss.backward()", "    optimizer.zero_grad()\n    loss.backward()"
)

HEADLINE = "7:5: ZG101 missing-zero: `loss.backward()` adds to gradients that were already spent"


def notebook(*cells: str) -> str:
    """Return a notebook with these code cells."""
    code: list[object] = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"cell-{number}",
            "metadata": {},
            "outputs": [],
            "source": cell.splitlines(keepends=True),
        }
        for number, cell in enumerate(cells)
    ]
    whole = {"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1) + "\n"
