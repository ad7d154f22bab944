"""action.yml: what its steps do in a workflow, run here as the runner would run them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ACTION = (Path(__file__).parents[2] / "action.yml").read_text("utf-8")
STEP = re.compile(r"- id: (\w+)\n.*?run: \|\n((?:        [^\n]*\n)+)", re.DOTALL)
SCRIPTS = {name: re.sub("(?m)^        ", "", script) for name, script in STEP.findall(ACTION)}

BROKEN = """\
import torch

model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for inputs, targets in loader:
    loss = (model(inputs) - targets).square().mean()
    loss.backward()
    optimizer.step()
"""


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """Return a checkout with a broken loop, beside a runner that has zerograd installed."""
    (tmp_path / "runner" / "zerograd" / "bin").mkdir(parents=True)
    installed = Path(sys.executable).with_name("zerograd")
    (tmp_path / "runner" / "zerograd" / "bin" / "zerograd").symlink_to(installed)
    (tmp_path / "checkout").mkdir()
    (tmp_path / "checkout" / "train.py").write_text(BROKEN)
    return tmp_path


def ran(step: str, job: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub's runner does: `bash --noprofile --norc -eo pipefail`."""
    given = {"PATHS": ".", "ARGS": "", "BASELINE": "", **inputs}
    runner = {"RUNNER_TEMP": str(job / "runner"), "GITHUB_OUTPUT": str(job / "output")}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", SCRIPTS[step]],
        cwd=job / "checkout",
        env={**os.environ, **given, **runner},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_finding_is_an_annotation_and_fails_the_job(job: Path) -> None:
    done = ran("annotate", job)

    assert done.returncode == 1
    assert done.stdout.startswith("::error file=train.py,line=7,")


def test_paths_and_arguments_may_stand_on_lines_of_their_own(job: Path) -> None:
    (job / "checkout" / "right.py").write_text("")

    done = ran("annotate", job, PATHS="right.py\ntrain.py\n", ARGS="--hints\n--exit-zero\n")

    assert done.returncode == 0
    assert done.stdout.startswith("::error file=train.py,line=7,")


def test_findings_are_written_for_code_scanning_and_the_job_goes_on(job: Path) -> None:
    done = ran("sarif", job)

    file = job / "runner" / "zerograd.sarif"
    (run,) = json.loads(file.read_text())["runs"]
    assert done.returncode == 0
    assert (job / "output").read_text() == f"file={file}\n"
    assert [one["ruleId"] for one in run["results"]] == ["ZG101"]


def test_known_findings_are_left_out(job: Path) -> None:
    known = ["lint", "--write-baseline", "--baseline", "known.json"]
    subprocess.run(
        [str(job / "runner" / "zerograd" / "bin" / "zerograd"), *known],
        cwd=job / "checkout",
        capture_output=True,
        check=True,
    )

    done = ran("annotate", job, BASELINE="known.json")

    assert (done.returncode, done.stdout) == (0, "")


def test_nothing_that_is_typed_is_run(job: Path) -> None:
    done = ran("annotate", job, PATHS="$(touch ran) ; touch ran", ARGS="")

    assert done.returncode == 2
    assert sorted(one.name for one in (job / "checkout").iterdir()) == ["train.py"]


def test_no_input_stands_in_a_script() -> None:
    assert sorted(SCRIPTS) == ["annotate", "install", "sarif"]
    assert not [name for name, script in SCRIPTS.items() if "${{" in script]
