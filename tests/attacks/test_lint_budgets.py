"""Programs that cost more than they are worth: lint ends soon, in little memory, and says so."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import hostile_programs as hostile
import pytest

if TYPE_CHECKING:
    from pathlib import Path

MEGABYTE = 1_000_000
SECONDS = 60
"""CPU time; the dearest of these programs takes four on two busy cores."""

SHARE = 1 if os.environ.get("ZEROGRAD_ROBUSTNESS") else 10
"""Of its full size that a program has: `make robustness` tries all of it."""

PEAK = "[line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')][0]"
"""The most that a process has held since it began, in kB.

Not `ru_maxrss`: that one counts the memory of the process that forked it as well, here pytest's.
"""

pytestmark = pytest.mark.timeout(300)


LINT = f"""
import importlib, os, pkgutil, resource, sys
import zerograd.lint
from zerograd.cli.main import main

for module in pkgutil.walk_packages(zerograd.lint.__path__, "zerograd.lint."):
    importlib.import_module(module.name)
seconds, path, *folders = sys.argv[1:]
sys.argv[1:] = ["lint", "--isolated", "--jobs", "1", "--format", "json", "--quiet", path]
for folder in folders:
    if os.fork():
        print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)  # not in what forks inherit
        continue
    os.chdir(folder)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(name, os.O_CREAT | os.O_WRONLY), number)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
    resource.setrlimit(resource.RLIMIT_AS, ({3_000 * MEGABYTE}, {3_000 * MEGABYTE}))
    try:
        main()
    finally:
        print({PEAK}, file=sys.stderr)
    sys.exit()
"""
"""Lint one path in each of some folders, in a fork with little time and memory; print statuses."""


def lint(folder: Path, path: str, seconds: int = SECONDS) -> dict[str, Any]:
    """Lint in a process with little time and memory; return its document and its peak in MB."""
    (document,) = lint_each([folder], path, seconds)
    return document


def lint_each(folders: list[Path], path: str, seconds: int = SECONDS) -> list[dict[str, Any]]:
    """Lint a path of each folder: a process imports zerograd, and a fork of it lints."""
    done = subprocess.run(
        [sys.executable, "-c", LINT, str(seconds), path, *map(str, folders)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "100"},
    )
    statuses = [int(status) for status in done.stdout.split()]
    return [_document(*one) for one in zip(folders, statuses, strict=True)]


def _document(folder: Path, status: int) -> dict[str, Any]:
    said = (folder / "stderr").read_text("utf-8")
    assert status in (0, 1), f"{folder.name}: {status}: {said}"
    document: dict[str, Any] = json.loads((folder / "stdout").read_text("utf-8"))
    document["peak"] = int(said.split()[-1]) // 1024
    return document


def program(folder: Path, text: str) -> Path:
    """Write a program to lint."""
    (folder / "train.py").write_text(text, "utf-8")
    return folder


def codes(document: dict[str, Any]) -> list[str]:
    return [item["code"] for item in document["findings"]]


def reasons(document: dict[str, Any]) -> list[str]:
    return [item["reason"] for item in document["reach"]["unchecked"]]


Make = Callable[[int], str]


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[Make, dict[str, Any]]:
    """Return what was said of each hostile program: one process imports zerograd for all."""
    folders = {}
    for make, size in hostile.PROGRAMS.items():
        folders[make] = tmp_path_factory.mktemp(make.__name__)
        program(folders[make], make(max(2, size // SHARE)))
    found = lint_each(list(folders.values()), "train.py")
    return dict(zip(folders, found, strict=True))


@pytest.mark.parametrize("make", hostile.PROGRAMS, ids=lambda make: make.__name__)
def test_a_hostile_program_is_judged_or_the_reach_says_what_was_not(
    make: Make, documents: dict[Make, dict[str, Any]]
) -> None:
    found = documents[make]

    assert "ZG004" not in codes(found)
    assert found["reach"]["seen"] >= 1
    assert found["peak"] <= 400


def test_a_chain_of_191_aliases_is_followed_to_its_end(tmp_path: Path) -> None:
    found = lint(program(tmp_path, hostile.alias_chain(191)), "train.py")

    assert codes(found) == ["ZG101"]
    assert reasons(found) == []


def test_98_swaps_are_followed(tmp_path: Path) -> None:
    found = lint(program(tmp_path, hostile.swaps(98)), "train.py")

    assert reasons(found) == []
    assert found["reach"]["checked"] == 1


def test_984_cases_are_judged_or_said_to_be_too_many_states(tmp_path: Path) -> None:
    found = lint(program(tmp_path, hostile.match_cases(984)), "train.py")

    assert reasons(found) == ["more than 256 states"]


def test_984_quiet_cases_cost_nothing(tmp_path: Path) -> None:
    cases = hostile.lines("        case {0}:\n            y = {1}\n", 984)
    text = f"{hostile.PRELUDE}{hostile.FAULT}    match x:\n{cases}"

    found = lint(program(tmp_path, text), "train.py")

    assert codes(found) == ["ZG101"]
    assert reasons(found) == []


def test_a_loop_15_calls_above_its_backward_is_judged(tmp_path: Path) -> None:
    found = lint(program(tmp_path, hostile.calls_above_backward(15)), "train.py")

    assert codes(found) == ["ZG101"]
    assert (found["reach"]["seen"], found["reach"]["checked"]) == (1, 1)
    assert found["reach"]["unchecked"] == []


def test_a_loop_80_calls_above_its_backward_is_said_to_be_too_deep(tmp_path: Path) -> None:
    found = lint(program(tmp_path, hostile.calls_above_backward(80)), "train.py")

    assert codes(found) == []
    assert reasons(found) == ["more than 64 calls within calls"]


def test_what_a_files_budget_left_unread_is_in_the_reach(tmp_path: Path) -> None:
    found = lint(program(tmp_path, hostile.swaps(1_000)), "train.py")

    assert reasons(found) == ["the file's budget of 200,000 operations"]


def test_what_a_functions_budget_left_unread_is_in_the_reach(tmp_path: Path) -> None:
    found = lint(program(tmp_path, hostile.loss_bindings(1_000)), "train.py")

    assert reasons(found) == ["one function's budget of 100,000 operations"]


def test_the_same_program_is_cut_at_the_same_place_each_time(tmp_path: Path) -> None:
    folder = program(tmp_path, hostile.many_functions(1_200))

    once, again = lint(folder, "train.py"), lint(folder, "train.py")

    assert once["reach"] == again["reach"]
    assert codes(once) == codes(again)
    assert 0 < once["reach"]["checked"] < once["reach"]["seen"]


def test_an_import_cycle_of_300_modules_is_linted(tmp_path: Path) -> None:
    for at in range(300):
        after = (at + 1) % 300
        (tmp_path / f"m{at}.py").write_text(
            f"import torch\nfrom m{after} import fit{after}\n"
            f"def fit{at}(model, optimizer, loader):\n{hostile.indented(hostile.FAULT, 1)}"
            f"    fit{after}(model, optimizer, loader)\n",
            "utf-8",
        )

    found = lint(tmp_path, ".", seconds=100)

    assert "ZG004" not in codes(found)
    # Which of the two comes first depends on the modules that earlier files have brought.
    limits = {"the project's budget of 64 modules for one file", "more than 64 calls within calls"}
    assert set(reasons(found)) <= limits
    assert len(reasons(found)) == found["reach"]["seen"] == 300


DENSE = {
    "numbers": "x = [" + "0," * 900_000 + "]\n",
    "names": "a\n" * 900_000,
    "calls": "a()\n" * 450_000,
    "formatted": "x = f'" + "{a}" * 600_000 + "'\n",
    "signs": ("x=" + "~" * 1_000 + "x\n") * 1_800,
    "empty formatted texts": "x = [" + "f''," * 480_000 + "]\n",
    "texts joined to formatted ones": "x = (f''" + "''" * 650_000 + ")\n",
    "ellipses": "x = [" + "...," * 490_000 + "]\n",
}


@pytest.mark.parametrize("kind", DENSE)
def test_a_dense_file_of_nearly_two_megabytes_is_not_parsed(kind: str, tmp_path: Path) -> None:
    text = hostile.PRELUDE + hostile.FAULT + DENSE[kind]

    found = lint(program(tmp_path, text), "train.py")

    assert reasons(found) == ["the file's budget of 300 MB for its syntax"]
    assert found["peak"] <= 400


@pytest.mark.parametrize("count", [3_500] if SHARE > 1 else [3_500, 14_000])
def test_a_megabyte_of_loops_is_read_within_400_megabytes(count: int, tmp_path: Path) -> None:
    found = lint(program(tmp_path, hostile.many_loops(count)), "train.py")

    assert found["reach"]["seen"] >= 1
    assert found["peak"] <= 400


def test_a_long_text_in_a_string_is_no_syntax(tmp_path: Path) -> None:
    prose = '"""' + "the cat sat on the mat. " * 50_000 + '"""\n'

    found = lint(program(tmp_path, hostile.PRELUDE + hostile.FAULT + prose), "train.py")

    assert codes(found) == ["ZG101"]


@pytest.mark.parametrize("pattern", ["*a" * 40 + "*b", "/".join(["**", "a"] * 40) + "/b"])
def test_a_pattern_of_many_stars_is_matched_at_once(pattern: str, tmp_path: Path) -> None:
    (tmp_path / "zerograd.toml").write_text(f"exclude = [{pattern!r}]\n", "utf-8")
    folder = tmp_path.joinpath(*["a"] * 60)
    folder.mkdir(parents=True)
    program(folder, hostile.PRELUDE + hostile.FAULT)
    (folder / ("a" * 200 + ".py")).write_text(hostile.PRELUDE + hostile.FAULT, "utf-8")
    asked = ["-m", "zerograd", "lint", "--jobs", "1", "--format", "json", "--quiet", "."]

    done = subprocess.run(
        [sys.executable, *asked],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (30, 30)),  # as above
    )

    assert codes(json.loads(done.stdout)) == ["ZG101", "ZG101"]
