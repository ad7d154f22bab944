"""Programs of several ranks meet through a file, and leave without tearing their group down.

A port that is free when it is probed may be taken when it is used. And a process that tears down
right after a collective may hang or abort in torch 2.13: gloo's thread wants Python's lock to let
go of the tensors, while the lock's holder waits for that thread or finalises the interpreter.
Ranks that multiprocessing forks leave by `os._exit`, which does neither.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from zerograd.rules import CATALOGUE
from zerograd.rules.page import read_page

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "tests" / "scripts").rglob("*.py"))
PROGRAMS = {
    **{
        f"{rule.name}-{index}": program.source
        for rule in CATALOGUE
        for index, program in enumerate(read_page(rule).programs)
    },
    **{str(path.relative_to(ROOT)): path.read_text("latin-1") for path in SCRIPTS},
    "topic": (ROOT / "src/zerograd/rules/topics/ranks.md").read_text("utf-8"),
}
OF_RANKS = {name: source for name, source in PROGRAMS.items() if "init_process_group" in source}

every_rank_program = pytest.mark.parametrize("name", OF_RANKS)


def test_there_are_such_programs() -> None:
    assert len(OF_RANKS) > 40
    assert "sync-each-micro-batch-0" in OF_RANKS


@every_rank_program
def test_it_probes_no_port(name: str) -> None:
    assert "socket" not in OF_RANKS[name]
    assert "tcp://" not in OF_RANKS[name]


@every_rank_program
def test_it_leaves_without_tearing_down(name: str) -> None:
    assert "destroy_process_group" not in OF_RANKS[name]
    assert "mp.spawn" not in OF_RANKS[name]
