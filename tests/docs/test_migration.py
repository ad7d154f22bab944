"""The scripts of the migration guide train alike before and after, and its page shows them."""

from __future__ import annotations

import difflib
import logging
import re
import runpy
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch

if TYPE_CHECKING:
    from torch import Tensor

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "migrate.md"
SCRIPTS = GUIDE.parent / "migrated"
NAMES = sorted(path.stem.removesuffix("_before") for path in SCRIPTS.glob("*_before.py"))

IDENTICAL = ("accelerate", "dcgan")
"""No gradient of these is long enough to be clipped."""

CLIP = 1e-6
"""What torch adds to a norm before it divides by it."""

NEEDS = {"accelerate": "accelerate", "fabric": "lightning", "lightning": "lightning"}

quiet = pytest.mark.filterwarnings("ignore")


def lines(name: str, when: str) -> list[str]:
    return (SCRIPTS / f"{name}_{when}.py").read_text("utf-8").splitlines()


def weights(name: str, when: str) -> Tensor:
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    model = runpy.run_path(str(SCRIPTS / f"{name}_{when}.py"))["train"]()
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


@quiet
@pytest.mark.parametrize("name", NAMES)
def test_a_migrated_script_ends_where_it_ended_before(name: str) -> None:
    pytest.importorskip(NEEDS.get(name, "torch"))

    before, after = weights(name, "before"), weights(name, "after")

    assert float((after - before).norm() / before.norm()) < CLIP
    assert torch.equal(after, before) is (name in IDENTICAL)


@quiet
def test_another_step_would_show() -> None:
    torch.manual_seed(0)
    script = runpy.run_path(str(SCRIPTS / "gpt_before.py"))
    script["train"].__globals__["STEPS"] -= 1

    shorter = torch.cat([one.detach().flatten() for one in script["train"]().parameters()])
    whole = weights("gpt", "before")

    assert float((shorter - whole).norm() / whole.norm()) > 100 * CLIP


@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_the_difference_between_the_two_files(name: str) -> None:
    files = f"{name}_before.py", f"{name}_after.py"
    pair = lines(name, "before"), lines(name, "after")

    diff = "\n".join(difflib.unified_diff(*pair, *files, lineterm="", n=1))

    assert f"```diff\n{diff}\n```" in GUIDE.read_text("utf-8")


def test_the_page_counts_the_lines_that_the_files_have() -> None:
    rows = re.findall(r"^\| \[.*?\| (\d+) \| (\d+) \|", GUIDE.read_text("utf-8"), re.MULTILINE)
    counts = [[sum(map(bool, lines(name, w))) for w in ("before", "after")] for name in NAMES]

    assert sorted([int(before), int(after)] for before, after in rows) == sorted(counts)


def test_there_are_six_scripts_so_the_tests_above_are_not_empty() -> None:
    assert NAMES == ["accelerate", "dcgan", "fabric", "gpt", "lightning", "ppo"]
