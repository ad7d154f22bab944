"""Neovim with its own client: it shows the finding of a broken loop, and applies the repair."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NEOVIM = shutil.which("nvim")
CLIENT = Path(__file__).with_name("neovim_client.lua")
BROKEN = """\
import torch

model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for inputs, targets in loader:
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
"""

REPAIR = "insert `optimizer.zero_grad()` before the backward"


@pytest.mark.skipif(NEOVIM is None, reason="Neovim is not installed: apt-get install neovim")
def test_neovim_shows_a_broken_loop_and_repairs_it(tmp_path: Path) -> None:
    script, told = tmp_path / "train.py", tmp_path / "told.json"
    script.write_text(BROKEN)

    done = subprocess.run(
        [str(NEOVIM), "--headless", "--clean", "-n", "train.py", "-c", f"luafile {CLIENT}"],
        cwd=tmp_path,
        env={
            **os.environ,
            "ZEROGRAD": f"{sys.exec_prefix}/bin/zerograd",
            "ZEROGRAD_TOLD": str(told),
            "XDG_STATE_HOME": str(tmp_path / "state"),
            "XDG_DATA_HOME": str(tmp_path / "data"),
        },
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    seen = json.loads(told.read_text())
    assert (seen["line"], seen["code"]) == (7, "ZG101")
    assert seen["message"].startswith("missing-zero: `loss.backward()` adds to gradients")
    assert "# missing-zero (ZG101)" in seen["hover"]
    assert seen["titles"][:3] == [
        f"missing-zero: {REPAIR} (changes what is computed)",
        "Ignore missing-zero here",
        "Explain missing-zero (ZG101)",
    ]
    assert seen["cleared"] is True
    assert script.read_text() == BROKEN.replace(
        "    loss.b", "    optimizer.zero_grad()\n    loss.b"
    )
