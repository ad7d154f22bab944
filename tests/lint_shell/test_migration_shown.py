"""`zerograd lint --migrate`: how a plain loop reads with the engine, shown and never written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

from zerograd.cli import main
from zerograd.lint.repair.migration import migrated

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = """\
import torch
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for _ in range(3):
    for inputs, targets in [(torch.ones(2, 3), torch.ones(2, 1))]:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
"""
SHOWN = """\
--- train.py
+++ train.py with zerograd.Gradients
@@ -2,2 +2,3 @@
 from torch import nn
+import zerograd
\x20
@@ -5,8 +6,6 @@
 optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
+gradients = zerograd.Gradients(optimizer, clip_norm=1.0)
 for _ in range(3):
     for inputs, targets in [(torch.ones(2, 3), torch.ones(2, 1))]:
-        optimizer.zero_grad()
         loss = nn.functional.mse_loss(model(inputs), targets)
-        loss.backward()
-        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
-        optimizer.step()
+        gradients.backward(loss)
"""
WINDOW = """\
import torch
from torch import nn

ACCUMULATE = 4
model = nn.Linear(3, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
optimizer.zero_grad()
for i, (inputs, targets) in enumerate(loader):
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss = loss / ACCUMULATE
    loss.backward()
    if (i + 1) % ACCUMULATE == 0:
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
"""
WINDOW_SHOWN = """\
--- train.py
+++ train.py with zerograd.Gradients
@@ -2,2 +2,3 @@
 from torch import nn
+import zerograd
\x20
@@ -6,10 +7,5 @@
 optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
-optimizer.zero_grad()
-for i, (inputs, targets) in enumerate(loader):
+gradients = zerograd.Gradients(optimizer, accumulate=ACCUMULATE, clip_norm=1.0)
+for i, (inputs, targets) in enumerate(gradients.batches(loader)):
     loss = nn.functional.mse_loss(model(inputs), targets)
-    loss = loss / ACCUMULATE
-    loss.backward()
-    if (i + 1) % ACCUMULATE == 0:
-        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
-        optimizer.step()
-        optimizer.zero_grad()
+    gradients.backward(loss, items=targets.numel())
"""
NOTHING = "no plain loop in train.py: the migration guide has the others, docs/guides/migrate.md\n"

NOT_PLAIN = {
    "two backwards": PLAIN.replace("        loss.backward()\n", "        loss.backward()\n" * 2),
    "a result that is taken": PLAIN.replace("        nn.utils", "        norm = nn.utils"),
    "a clip of something else": PLAIN.replace("_(model.par", "_(model.bias.par"),
    "a scaler": PLAIN.replace(
        "        optimizer.step()", "        scaler.unscale_(optimizer)\n        optimizer.step()"
    ),
    "a condition": PLAIN.replace(
        "        optimizer.step()", "        if targets.any():\n            optimizer.step()"
    ),
    "a closure": PLAIN.replace("optimizer.step()", "optimizer.step(closure)"),
    "a look at gradients": PLAIN + "print(model.weight.grad)\n",
    "a name that is taken": PLAIN + "gradients = []\n",
    "two statements on a line": PLAIN.replace(
        "        loss.backward()\n", "        loss.backward(); print(1)\n"
    ),
    "arguments of backward": PLAIN.replace("backward()", "backward(retain_graph=True)"),
    "work between backward and step": PLAIN.replace(
        "        optimizer.step()", "        model.bias.data.zero_()\n        optimizer.step()"
    ),
    "a clear in the middle": PLAIN.replace("        optimizer.zero_grad()\n", "").replace(
        "        nn.utils", "        optimizer.zero_grad()\n        nn.utils"
    ),
    "a window that starts elsewhere": WINDOW.replace("(i + 1)", "i"),
    "a window of another length": WINDOW.replace("loss / ACCUMULATE", "loss / 2"),
    "more at the end of a window": WINDOW + "        print(i)\n",
    "a part of a mean that is logged": WINDOW.replace(
        "    if (i", "    print(loss.item())\n    if (i"
    ),
    "a loss of unknown items": WINDOW.replace("nn.functional.mse_loss", "own_loss"),
    "a sum": WINDOW.replace("targets)\n", "targets, reduction='sum')\n"),
    "an optimizer from elsewhere": PLAIN.replace(
        "torch.optim.AdamW(model.parameters(), lr=1e-2)", "make(model)"
    ),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_plain_loop_is_shown_with_the_engine_and_left_as_it_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "train.py").write_text(PLAIN)

    status = main(["lint", "--migrate", "train.py"])

    assert status == 0
    assert capsys.readouterr().out == SHOWN
    assert (folder / "train.py").read_text() == PLAIN


def test_a_window_is_shown_with_the_items_of_its_means(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "train.py").write_text(WINDOW)

    main(["lint", "--migrate", "train.py"])

    assert capsys.readouterr().out == WINDOW_SHOWN


def weights_of(program: str) -> torch.Tensor:
    torch.manual_seed(0)
    names: dict[str, Any] = {}
    exec(program, names)
    weight: torch.Tensor = names["model"].weight
    return weight.detach()


def test_the_suggested_program_trains_like_the_one_before() -> None:
    unclipped = PLAIN.replace("1.0", "1000.0")
    suggested = migrated(unclipped)

    assert suggested is not None
    assert torch.equal(weights_of(suggested), weights_of(unclipped))
    assert "zero_grad" not in suggested


@pytest.mark.parametrize("why", NOT_PLAIN)
def test_a_loop_that_is_not_plain_is_left_alone(
    why: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "train.py").write_text(NOT_PLAIN[why])

    status = main(["lint", "--migrate", "train.py"])

    assert status == 0
    assert capsys.readouterr().out == NOTHING


REFUSED = {
    "a line that is no Python": (b"for\n", "train.py is no program that can be read"),
    "zero bytes": (b"\0", "train.py holds zero bytes, as binary files do"),
    "another encoding": (b"# \xe9\n", "train.py is no utf-8 text: line 1 has other bytes"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_a_file_that_is_no_program_is_refused_by_name(
    why: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, said = REFUSED[why]
    (folder / "train.py").write_bytes(content)

    status = main(["lint", "--migrate", "train.py"])

    assert status == 2
    assert said in capsys.readouterr().err


def test_a_long_file_is_shown_whole(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "train.py").write_text("# a long preface\n" * 60_000 + PLAIN)

    main(["lint", "--migrate", "train.py"])

    assert "+        gradients.backward(loss)\n" in capsys.readouterr().out
