"""The wheel and the sdist hold what they should and nothing else; the wheel works without torch."""

from __future__ import annotations

import tomllib
from email import message_from_string
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest
from distributions import ROOT, Distributions, Environment, build, install

from zerograd.rules import CATALOGUE

SOURCES = ROOT / "src"
LOOP = (ROOT / "docs/forgotten.py").read_text("utf-8")


def files_below(folder: Path) -> set[str]:
    """Return the paths of a folder's files, relative to the folder above it."""
    return {
        path.relative_to(folder.parent).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def bare(built: Distributions, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return install(built.wheel, tmp_path_factory.mktemp("bare"))


def test_the_wheel_holds_the_package_and_its_description_only(built: Distributions) -> None:
    described = f"zerograd-{version('zerograd')}.dist-info"
    readmes = {path for path in files_below(SOURCES / "zerograd") if path.endswith("/README.md")}

    held = built.in_wheel()

    assert held - files_below(SOURCES / "zerograd") == {
        f"{described}/METADATA",
        f"{described}/RECORD",
        f"{described}/WHEEL",
        f"{described}/entry_points.txt",
        f"{described}/licenses/LICENSE",
    }
    assert files_below(SOURCES / "zerograd") - held == readmes


def test_the_wheel_holds_all_that_is_not_python(built: Distributions) -> None:
    pages = {f"zerograd/rules/pages/{rule.name}.md" for rule in CATALOGUE}
    others = {
        "zerograd/py.typed",
        "zerograd/reports/html/assets/page.html",
        "zerograd/reports/schema/findings-1.json",
        "zerograd/rules/topics/when-to-clear.md",
    }

    assert pages | others <= built.in_wheel()


def test_the_wheel_brings_the_command_and_the_pytest_plugin(built: Distributions) -> None:
    assert built.described("entry_points.txt").split("\n\n") == [
        "[console_scripts]\nzerograd = zerograd.__main__:main",
        "[pytest11]\nzerograd = zerograd.integrations.pytest_plugin\n",
    ]


def test_the_description_is_complete(built: Distributions) -> None:
    described = message_from_string(built.described("METADATA"))

    assert described["Metadata-Version"] == "2.4"  # the pinned action that publishes knows it
    assert described["Requires-Python"] == ">=3.11"
    assert described["License-Expression"] == "MIT"
    assert described["Author"] == "The zerograd authors"
    assert described["Description-Content-Type"] == "text/markdown"
    assert described.get_payload() == (ROOT / "README.md").read_text("utf-8")
    assert described.get_all("Project-URL") is None  # nothing is published yet
    assert "Typing :: Typed" in described.get_all("Classifier", [])


def test_no_way_of_installing_pulls_torch(built: Distributions) -> None:
    required = message_from_string(built.described("METADATA")).get_all("Requires-Dist", [])

    assert [one for one in required if "extra" not in one] == ["click>=8.1", "rich>=13.7"]
    assert [one for one in required if "torch" in one] == []


def test_the_sdist_holds_what_its_tests_need(built: Distributions) -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    ini = settings["tool"]["pytest"]["ini_options"]
    held = built.in_sdist()

    folders = [*ini["testpaths"], *ini["pythonpath"], "demo", "docs", "examples", "src"]

    assert [one for one in folders if not any(path.startswith(f"{one}/") for path in held)] == []
    assert {"LICENSE", "Makefile", "README.md", "constraints.txt", "pyproject.toml"} <= held


def test_the_sdist_holds_no_leavings(built: Distributions) -> None:
    left = {".venv", ".git", "__pycache__", ".mypy_cache", ".ruff_cache", "dist", ".ci"}

    assert [path for path in built.in_sdist() if left & set(Path(path).parts)] == []


def test_lint_finds_a_fault_where_torch_is_not_installed(bare: Environment, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(LOOP, "utf-8")

    run = bare.run("zerograd", "lint", "train.py", within=tmp_path)

    assert run.returncode == 1, run.stderr
    assert run.stdout.startswith("train.py:13:5: ZG101 missing-zero: ")
    assert run.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "begin"),
    [
        (["--version"], f"zerograd, version {version('zerograd')}\n"),
        (["--help"], "Usage: zerograd "),
        (["rules"], "CODE   NAME "),
        (["explain", "missing-zero"], "# missing-zero (ZG101)\n"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_only_reads_works_without_torch(
    arguments: list[str], begin: str, bare: Environment, tmp_path: Path
) -> None:
    run = bare.run("zerograd", *arguments, within=tmp_path)

    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith(begin)


def test_the_module_is_the_command(bare: Environment, tmp_path: Path) -> None:
    run = bare.run("python", "-m", "zerograd", "--version", within=tmp_path)

    assert run.stdout == f"zerograd, version {version('zerograd')}\n"


def test_watch_says_in_one_sentence_what_to_install(bare: Environment, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(LOOP, "utf-8")

    run = bare.run("zerograd", "watch", "train.py", within=tmp_path)

    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == (
        f"zerograd: watching needs PyTorch, and {bare.folder}/bin/python has none;"
        " pip install torch\n"
    )


def test_the_engine_says_in_one_sentence_what_to_install(bare: Environment, tmp_path: Path) -> None:
    program = "import zerograd; zerograd.Gradients"

    run = bare.run("python", "-c", program, within=tmp_path)

    assert run.stderr.splitlines()[-1] == (
        "ImportError: zerograd.Gradients needs PyTorch, which is not installed: pip install torch"
    )


def test_the_bare_environment_has_no_torch_and_this_one_has(
    bare: Environment, tmp_path: Path
) -> None:
    looks = "import importlib.util; print(importlib.util.find_spec('torch'))"

    assert bare.run("python", "-c", looks, within=tmp_path).stdout == "None\n"
    assert find_spec("torch") is not None
