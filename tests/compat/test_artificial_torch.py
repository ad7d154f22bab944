"""Without any one private part of torch a run goes on, and its report says what was not heard."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from zerograd.hooks.torch_parts import EVAL_FRAME, PARTS, WRAPPER, Part, find, refusal

PROGRAM = Path(__file__).parent / "artificial_torch.py"
WITHOUT = "_as_another_torch_calls_it"
ALL = bool(os.environ.get("ZEROGRAD_ROBUSTNESS"))

PROGRAMS = {
    WRAPPER: "ranks",
    "process groups": "ranks",
    "DDP's reducer": "ranks",
    "FSDP2 states": "shards",
    "FSDP2 modules": "shards",
    "FSDP2 parameters": "shards",
    "FSDP2 groups": "shards",
    "graph nodes": "unequal",
    "torch._C._autograd.SavedTensor": "unequal",
    "torch.Tensor": "unequal",
    "torch._C": "modes",
    EVAL_FRAME: "compiled",
    "compiled modules": "compiled",
    "torch.serialization": "kept",
    "torch.nn.modules.batchnorm": "kept",
}
"""The program that uses a part, by the part's owner; all others are used by `watch`."""

OF_CPP = {"_saved_other", "_rebuild_buckets", "_device_types", "_get_backend", "_input_metadata"}
"""Members of classes that are written in C++: nobody can rename them in torch."""

FUNCTIONS_OF_CPP = {"torch._C", EVAL_FRAME, "torch._C._autograd.SavedTensor", "torch.Tensor"}
"""The same, by their owners; torch's own sources import some of them by name."""

NEEDED = {"accelerator", "_subclasses"}
"""Packages without which torch itself cannot be imported, or make an optimizer."""

NOT_SAMPLED = 8
"""`make robustness` hides every part, `make test` every eighth."""


OLDER_NAMES = {"_fsdp_param_group": "_fsdp_param_groups"}
"""Asked for where the newer name is missing: both are hidden."""


def program_of(part: Part) -> str:
    """Return the name of the program that uses a part."""
    return "kept" if part.name == "accelerator" else PROGRAMS.get(part.owner, "watch")


def is_here(part: Part) -> bool:
    """Whether this torch has the part; that of objects is taken for granted."""
    owned_by_objects = not part.owner.startswith("torch.") or part.owner == "torch.amp.GradScaler"
    return (
        owned_by_objects or part.owner == WRAPPER or find(f"{part.owner}.{part.name}") is not None
    )


HERE = [part for part in PARTS if is_here(part)]
HIDDEN = HERE if ALL else HERE[::NOT_SAMPLED]
RENAMED = [
    part
    for part in (HERE if ALL else [])
    if part.name not in {*OF_CPP, *NEEDED, *OLDER_NAMES} and part.owner not in FUNCTIONS_OF_CPP
]


def said(*arguments: str) -> list[dict[str, Any]]:
    """Return what the artificial torch's programs printed."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line.replace(WITHOUT, "")) for line in done.stdout.splitlines()]


@cache
def without_hidden() -> dict[tuple[str, str], dict[str, Any]]:
    """Return what each program said without each part: all are forks of one process."""
    wholes = [("", program) for program in sorted({program_of(part) for part in HIDDEN})]
    asked = [*wholes, *((part.name, program_of(part)) for part in HIDDEN)]
    names = {one: "+".join([one, *filter(None, [OLDER_NAMES.get(one)])]) for one, _ in asked}
    answers = said("hidden", *(f"{names[one]}:{program}" for one, program in asked))
    return dict(zip(asked, answers, strict=True))


def costs_what_its_row_says(part: Part, found: dict[str, Any], whole: dict[str, Any]) -> bool:
    """Compare a run without a part with the row of the table and with the run with it."""
    assert "died" not in found, found["died"]
    assert found["watch"]["same"]
    assert found["unheard"] == sorted(part.rules)
    assert found["watch"]["found"] == [
        name for name in whole["watch"]["found"] if name not in part.rules
    ]
    assert found["watch"]["last"].partition("; not heard on torch ")[2].partition(": ")[2] == (
        ", ".join(sorted(part.rules)) + ("." if part.rules else "")
    )
    assert found["refused"] == (refusal(part) if part.feature else None)
    assert (found.get("engine"), found.get("differs")) == (
        whole.get("engine"),
        whole.get("differs"),
    )
    return True


def test_on_the_whole_torch_everything_is_heard() -> None:
    whole = without_hidden()["", "watch"]

    assert whole["unheard"] == []
    assert whole["watch"]["found"] == [
        "clip-before-unscale",
        "clip-inside-window",
        "scheduler-in-window",
    ]
    assert whole["watch"]["last"] == (
        "Found 1 error and 2 warnings in 1 file; 3 steps: all checked."
    )


@pytest.mark.parametrize("part", HIDDEN, ids=lambda part: part.name)
def test_a_part_that_zerograd_does_not_find_costs_its_rules_and_not_the_run(part: Part) -> None:
    runs = without_hidden()

    found = runs[part.name, program_of(part)]

    assert costs_what_its_row_says(part, found, runs["", program_of(part)])


@pytest.mark.skipif(not ALL, reason="`make robustness` renames every part, 10 seconds each")
@pytest.mark.parametrize("part", RENAMED, ids=lambda part: part.name)
def test_a_part_that_torch_calls_otherwise_costs_the_same(part: Part) -> None:
    (found,) = said("renamed", part.name, part.owner, program_of(part))

    assert costs_what_its_row_says(part, found, without_hidden()["", program_of(part)])
