"""What publishing needs agrees with the package: workflows, recipes, templates, citation."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import tomllib
from typing import TYPE_CHECKING

import pytest
from distributions import ROOT

import zerograd
from zerograd.cli import main
from zerograd.rules.rule import HOME
from zerograd.watch.report.tested_versions import TESTED

if TYPE_CHECKING:
    from pathlib import Path

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
RELEASE = zerograd.__version__.partition(".dev")[0]


def text(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


def rows() -> list[list[str]]:
    """Return the cells of the table that `make compat` writes."""
    table = text("docs/compatibility.md").split("<!-- rows: make compat -->\n")[1]
    lines = table.split("<!-- end of rows -->")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def test_there_are_workflows_for_tests_compatibility_docs_and_release() -> None:
    assert [path.stem for path in WORKFLOWS] == ["compatibility", "docs", "release", "tests"]


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml"], ids=lambda path: path.stem)
def test_every_action_is_pinned_and_named_by_its_version(path: Path) -> None:
    used = re.findall(r"uses: (.+)", path.read_text("utf-8"))

    pinned = r"[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+"
    assert used
    assert [one for one in used if not re.fullmatch(pinned, one)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_target_of_a_workflow_exists_and_none_may_write(path: Path) -> None:
    workflow = path.read_text("utf-8")
    targets = re.findall(r"run: make (\S+)", workflow)

    missing = [one for one in targets if not re.search(rf"^{one}:", text("Makefile"), re.MULTILINE)]
    assert missing == []
    assert "permissions:\n  contents: read\n" in workflow


@pytest.mark.skipif(shutil.which("actionlint") is None, reason="needs actionlint")
def test_actionlint_accepts_the_workflows() -> None:
    done = subprocess.run(
        ["actionlint", *map(str, WORKFLOWS)], capture_output=True, text=True, check=False
    )

    assert done.stdout == ""


def test_recipe_and_citation_name_the_release() -> None:
    assert f'version: "{RELEASE}"' in text("conda/recipe.yaml")
    assert f"\nversion: {RELEASE}\n" in text("CITATION.cff")


def test_the_recipe_needs_what_the_package_needs() -> None:
    run = text("conda/recipe.yaml").partition("  run:\n")[2].partition("\n\n")[0]
    required = re.findall(r"- (\S+) >=(\S+)", run)

    named = [f"{name}>={least}" for name, least in required if name != "python"]
    assert named == PROJECT["dependencies"]
    assert ("python", PROJECT["requires-python"].removeprefix(">=")) in required


def test_the_classifiers_name_the_pythons_that_were_run_and_no_others() -> None:
    prefix = "Programming Language :: Python :: 3."
    named = {one.removeprefix(prefix) for one in PROJECT["classifiers"] if one.startswith(prefix)}

    run_with_torch = {row[1].split(".")[1] for row in rows() if row[0] != "none"}

    assert named == run_with_torch
    assert min(named, key=int) == PROJECT["requires-python"].removeprefix(">=3.")


def test_the_classifiers_name_the_system_that_is_tested_and_no_other() -> None:
    systems = [one for one in PROJECT["classifiers"] if one.startswith("Operating System")]
    runners = {one for path in WORKFLOWS for one in re.findall(r"runs-on: (\w+)", path.read_text())}

    assert systems == ["Operating System :: POSIX :: Linux"]
    assert runners == {"ubuntu"}


def test_readme_and_changelog_name_the_oldest_and_the_newest_torch_that_were_run() -> None:
    told = [" ".join(text(name).split()) for name in ("README.md", "CHANGELOG.md")]

    assert [one.count(f"torch {TESTED[0]} to {TESTED[-1]}") for one in told] == [1, 1]


def test_every_extra_has_something_behind_it() -> None:
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    extras = PROJECT["optional-dependencies"]
    needed = [re.split("[>=]", one)[0] for one in extras["report"] + extras["lsp"]]

    assert set(extras) == {"all", "lsp", "report"}
    assert [one for one in needed if f'find_spec("{one}")' not in sources] == []


def test_no_address_is_claimed_that_does_not_exist() -> None:
    claimed = [
        path.relative_to(ROOT).as_posix()
        for folder in ("src", "docs", "conda", ".github")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".md", ".json", ".toml", ".yml", ".yaml"}
        and "_build" not in path.parts
        and "readthedocs.io/en" in path.read_text("utf-8")
        and "zerograd.readthedocs" in path.read_text("utf-8")
    ]

    assert claimed == []
    assert "urls" not in PROJECT


def test_every_address_of_ours_comes_from_one_constant() -> None:
    others = ("https://json-schema.org/", "https://docs.oasis-open.org/", "https://git-scm.com/")
    found = {
        address
        for path in (ROOT / "src").rglob("*.py")
        for address in re.findall(r"https?://[\w.-]+/", path.read_text("utf-8"))
    }

    assert found == set(others)
    assert HOME is None  # and so `url` is null, and reports carry the page's text


def test_the_image_is_built_from_what_docker_is_shown() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", text("Dockerfile"), re.MULTILINE)
    shown = {line[1:] for line in text(".dockerignore").splitlines() if line.startswith("!")}

    assert {name for line in copied for name in line.split()} == shown


def test_tox_runs_tests_that_exist() -> None:
    tox = configparser.ConfigParser(interpolation=None)
    tox.read_string(text("tox.ini"))
    named = [
        path
        for section in tox.values()
        for path in re.findall(r"tests/\S+?(?=[ }])", str(section.get("commands", "")))
    ]

    assert len(named) > 5
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_each_template_asks_what_the_doctor_says() -> None:
    asked = "label: What `zerograd doctor` says"
    forms = [one for one in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if one.stem != "config"]

    assert len(forms) == 3
    assert [one.name for one in forms if asked not in one.read_text("utf-8")] == []


def test_the_hook_of_pre_commit_lints_the_files_that_it_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (entry,) = re.findall(r"^  entry: zerograd (.+)$", text(".pre-commit-hooks.yaml"), re.MULTILINE)
    train = tmp_path / "train.py"
    train.write_text(text("docs/forgotten.py"), "utf-8")

    status = main([*entry.split(), str(train)])

    assert status == 1
    assert "ZG101 missing-zero" in capsys.readouterr().out
