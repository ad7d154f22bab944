"""Without any one private part of torch a run goes on, and its report says what was not heard."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from zerograd.hooks.torch_parts import PARTS, Part, find, refusal

PROGRAM = Path(__file__).parent / "artificial_torch.py"
RANKS = ("torch.nn.parallel.DistributedDataParallel", "process groups", "DDP's reducer")
OF_CPP = {
    *("_saved_other", "_rebuild_buckets", "_device_types", "_get_backend"),
    *("grad_dtype", "unpack_hook"),
}
"""Members of classes that are written in C++: nobody can take them away."""

NEEDED = {"accelerator"}
"""Public, and torch itself cannot be imported without it."""

OF_THE_EXTENSION = "torch._C"
"""Functions that torch's own sources import by name: tests/watch/test_modes_of_the_program.py."""

SHARDS = {"FSDP2 states", "FSDP2 modules", "FSDP2 parameters", "FSDP2 groups"}
"""Their program needs two ranks: tests/compat/test_capabilities.py asks for them one by one."""


def on_a_torch_without(part: Part | None, program: str) -> dict[str, Any]:
    named = (part.name, part.owner) if part else ("", "")
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *named, program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


STRIDE = 1 if os.environ.get("ZEROGRAD_ROBUSTNESS") else 6
"""Each takes ten seconds: `make robustness` takes away every part, `make test` every sixth."""


def removable(owners: tuple[str, ...] | None) -> list[Part]:
    """Return the parts that this torch has and that can be taken away, of these owners."""
    fixed = SHARDS | {OF_THE_EXTENSION}
    kept = [part for part in PARTS if part.name not in OF_CPP | NEEDED and part.owner not in fixed]
    mine = [part for part in kept if (part.owner in RANKS) is (owners is not None)]
    return [part for part in mine if part.owner in RANKS or is_here(part)][::STRIDE]


def is_here(part: Part) -> bool:
    owned_by_objects = part.owner == "torch.amp.GradScaler"
    return owned_by_objects or find(f"{part.owner}.{part.name}") is not None


@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    return on_a_torch_without(None, "watch")


def test_on_the_whole_torch_everything_is_heard(whole: dict[str, Any]) -> None:
    assert whole["unheard"] == []
    assert whole["watch"]["found"] == [
        "clip-before-unscale",
        "clip-inside-window",
        "scheduler-in-window",
    ]
    assert whole["watch"]["last"] == (
        "Found 1 error and 2 warnings in 1 file; 3 steps: all checked."
    )


@pytest.mark.parametrize("part", removable(None), ids=lambda part: part.name)
def test_a_missing_part_costs_its_rules_and_not_the_run(part: Part, whole: dict[str, Any]) -> None:
    said = on_a_torch_without(part, "watch")

    assert said["watch"]["same"]
    assert said["unheard"] == sorted(part.rules)
    assert said["watch"]["found"] == [
        name for name in whole["watch"]["found"] if name not in part.rules
    ]
    assert said["watch"]["last"].partition("; not heard on torch ")[2].partition(": ")[2] == (
        ", ".join(sorted(part.rules)) + ("." if part.rules else "")
    )
    assert said["engine"] == whole["engine"]
    assert said["scaled"]["refused"] == (refusal(part) if part.feature == "scaler=" else None)


@pytest.mark.parametrize("part", removable(RANKS), ids=lambda part: part.name)
def test_a_wrapper_without_a_part_is_watched_and_owned_all_the_same(part: Part) -> None:
    said = on_a_torch_without(part, "ranks")

    assert said["ranks"]["same"]
    assert said["ranks"]["found"] == []
    assert said["ranks_engine"]["refused"] == (refusal(part) if part.feature else None)
