"""`pytest --zerograd`: findings fail tests, and what is meant is admitted.

The runs are real and shared: torch cannot be imported twice into one process, as pytester would.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from warm_python import warm_python

if TYPE_CHECKING:
    from pathlib import Path

OUTCOME = re.compile(r"^(PASSED|FAILED|ERROR) \S+::(\w+)", re.MULTILINE)

TESTS = """
import pytest, torch, zerograd


def train(clear):
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        if clear:
            optimizer.zero_grad()
        model(torch.ones(4, 3)).mean().backward()
        optimizer.step()


@pytest.fixture
def trained():
    train(clear=False)


def test_faulty():
    train(clear=False)


def test_correct():
    train(clear=True)


def test_faulty_and_failing():
    train(clear=False)
    assert "by itself" == ""


def test_faulty_fixture(trained):
    pass


@pytest.mark.zerograd_allow("missing-zero")
def test_marked():
    train(clear=False)


@pytest.mark.zerograd_allow("missing-zer")
def test_marked_wrongly():
    pass


@zerograd.allow("ZG101")
def test_allowed():
    train(clear=False)


def test_judges_itself(zerograd_watching):
    train(clear=False)
    assert [found.rule.name for found in zerograd_watching.findings] == ["missing-zero"]


def test_never_steps():
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(4, 3)).mean().backward()
    assert model.weight.grad is not None
"""

LOADED = """
import sys

def test_what_is_loaded():
    ours = sorted(name for name in sys.modules if name.startswith("zerograd."))
    assert ours == ["zerograd.integrations", "zerograd.integrations.pytest_plugin"]
    assert "torch" not in sys.modules
"""


@dataclass(frozen=True)
class Run:
    """What one run of pytest said."""

    status: int
    said: str

    @property
    def outcomes(self) -> dict[str, str]:
        """The outcome of each test by its name."""
        return {test: outcome for outcome, test in OUTCOME.findall(self.said)}


def run(folder: Path, source: str, *options: str, python: str | None = None) -> Run:
    """Run one file of tests in a process of its own."""
    (folder / "test_program.py").write_text(source)
    command = [python or warm_python(), "-m", "pytest", "-rA", "-p", "no:cacheprovider", *options]
    finished = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return Run(finished.returncode, finished.stdout + finished.stderr)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """With the option, in a worker of xdist."""
    folder = tmp_path_factory.mktemp("watched")
    return run(folder, TESTS, "--zerograd", "--zerograd-preview", "-n", "1")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Without the option."""
    return run(tmp_path_factory.mktemp("bare"), TESTS, "--zerograd-preview")


@pytest.mark.parametrize(
    ("test", "outcome"),
    [
        ("test_faulty", "FAILED"),
        ("test_correct", "PASSED"),
        ("test_faulty_fixture", "FAILED"),
        ("test_marked", "PASSED"),
        ("test_allowed", "PASSED"),
        ("test_judges_itself", "PASSED"),
        ("test_never_steps", "PASSED"),  # a test is not a whole run
    ],
)
def test_what_is_found_and_not_meant_fails_its_test(watched: Run, test: str, outcome: str) -> None:
    assert watched.outcomes[test] == outcome


def test_a_failure_shows_the_code_frame_and_no_traceback(watched: Run) -> None:
    _, _, after = watched.said.partition("_ test_faulty _")

    assert re.search(
        r"^test_program.py:11:9: ZG101 missing-zero: .*\n"
        r"    11 | +model\(torch.ones\(4, 3\)\).mean\(\).backward\(\)\n"
        r" +\| +\^+ call `zero_grad\(\)` once per step, ",
        after,
        re.MULTILINE,
    )
    assert "    = happened: 2 times, steps 2 to 3\n" in after


def test_a_test_that_fails_by_itself_shows_the_findings_beside(watched: Run) -> None:
    _, _, after = watched.said.partition("_ test_faulty_and_failing _")

    assert "assert 'by itself' == ''" in after
    assert "- Captured zerograd call -" in after


def test_a_marker_with_an_unknown_rule_is_a_sentence(watched: Run) -> None:
    assert watched.outcomes["test_marked_wrongly"] == "ERROR"
    assert (
        "test_marked_wrongly: unknown rule 'missing-zer' in the marker zerograd_allow; "
        "did you mean missing-zero?"
    ) in watched.said


def test_without_the_option_nothing_fails_and_the_fixture_works(bare: Run) -> None:
    failed = [test for test, outcome in bare.outcomes.items() if outcome != "PASSED"]

    assert failed == ["test_faulty_and_failing"]
    assert bare.outcomes["test_judges_itself"] == "PASSED"


@pytest.mark.parametrize(("options", "status"), [([], 0), (["--zerograd"], 1)])
def test_it_loads_neither_torch_nor_the_watcher_when_it_is_off(
    tmp_path: Path, options: list[str], status: int
) -> None:
    finished = run(tmp_path, LOADED, *options, python=sys.executable)

    assert finished.status == status


def test_a_broken_choice_is_a_usage_error(tmp_path: Path) -> None:
    finished = run(tmp_path, LOADED, "--zerograd", "--zerograd-select", "nope")

    assert finished.status == pytest.ExitCode.USAGE_ERROR
    assert "ERROR: zerograd: unknown rule 'nope' in --select; " in finished.said
