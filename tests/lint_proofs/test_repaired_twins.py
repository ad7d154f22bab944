"""What `--fix --unsafe-fixes` writes spends the gradients that a person's repair spends.

Each program is run three times: broken, repaired by lint, and repaired by hand (twins.toml).
"""

from __future__ import annotations

import shutil
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from spending import Spending, spending_of

from zerograd.cli import main
from zerograd.lifecycle import Severity
from zerograd.lint import Analyser, Project, Source
from zerograd.rules import Repair

SCRIPTS = Path(__file__).parents[1] / "scripts"
FIX = ("lint", "--isolated", "--preview", "--quiet", "--fix", "--unsafe-fixes")

NO_REPAIR = {
    "clip_after_step/broken_helpers": "the clip and the step stand in different functions",
    "clip_after_step/broken_trainer_class.py": "the clip and the step stand in different methods",
    "clip_before_unscale/broken_too_late.py": "the statement that unscales would have to move",
    "clip_before_unscale/broken_trainer_flag.py": "the scaler is there only when a flag is set",
    "missing_zero/broken_manual_class.py": "several tensors, each with a line of its own",
    "missing_zero/broken_manual_update.py": "several tensors, each with a line of its own",
    "missing_zero/broken_sibling_module": "the deposit stands in a file that others use too",
    "missing_zero/broken_star_import": "two optimizers, each with a clear of its own",
    "scaler_not_updated/broken_skip.py": "the batch that is skipped needs an update of its own",
    "scaler_not_updated/broken_not_finite.py": "the batch that is skipped needs an update too",
    "unnormalised_window/broken_micro_batches.py": "no name holds the number of micro-batches",
    "zero_before_step/broken_by_hand.py": "the clear is a helper's, the order its caller's",
    "zero_before_step/broken_sibling_module": "the clear is a helper's, the order its caller's",
    "zero_before_step/broken_trainer_class.py": "the clear and the deposit are in two methods",
    "zero_inside_window/broken_sibling_module": "the clear is a helper's, the window its caller's",
    "zero_inside_window/broken_trainer_class.py": "a method clears, its caller has the window",
    "zero_inside_window/broken_two_optimizers.py": "the clear is a loop over optimizers",
    "items_ignored/broken_divergence_trainer": "a mean that a helper takes, and no cross entropy",
    "items_ignored/broken_distilling_trainer": "two terms, and one of them is no cross entropy",
    "items_ignored/broken_own_cross_entropy": "classes have weights, and the count has none",
    "frameworks/broken_accelerate_cleared_first.py": "repaired; not run, as it needs accelerate",
    "frameworks/broken_accelerate_module_zero_grad.py": "shown only: which optimizer is not said",
    "frameworks/broken_fabric_never_cleared.py": "repaired; not run, as it needs lightning",
    "frameworks/broken_ignite_never_cleared.py": "repaired; not run, as it needs ignite",
    "frameworks/broken_lightning_manual_never_cleared.py": "repaired; not run: needs lightning",
}
"""Faults of rules that have a mechanical repair, and why there is none here, or no run."""

PROVED_IN_WINDOWS = {
    "average_in_window/broken_averaged_model.py",
    "average_in_window/broken_shadow_class.py",
    "average_in_window/broken_teacher.py",
    "items_ignored/broken_divided_twice",
    "frameworks/broken_transformers_items_ignored.py",
}
"""Repairs that change no gradient, or need a Trainer: test_repaired_windows.py runs their like."""


@dataclass(frozen=True, slots=True)
class Twin:
    """A broken program and the repair of a person."""

    file: str
    old: str
    new: str
    arguments: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        """The script or folder, as tests/scripts names it."""
        return "/".join(self.file.split("/")[:2])


def read_twins() -> list[Twin]:
    text = Path(__file__).with_name("twins.toml").read_text("utf-8")
    return [
        Twin(item["file"], item["old"], item["new"], tuple(item.get("arguments", ())))
        for item in tomllib.loads(text)["twin"]
    ]


TWINS = read_twins()


def copied(twin: Twin, folder: Path) -> Path:
    """Return the program's copy in a folder of its own."""
    original = SCRIPTS / twin.program
    shutil.copytree(original if original.is_dir() else original.parent, folder)
    return folder / "main.py" if original.is_dir() else folder / original.name


def repaired_by_hand(twin: Twin, program: Path) -> None:
    file = program.parent / Path(twin.file).name
    text = file.read_text("utf-8")
    assert text.count(twin.old) == 1
    file.write_text(text.replace(twin.old, twin.new), "utf-8")


def repaired_by_lint(twin: Twin, program: Path) -> None:
    main([*FIX, str(program.parent / Path(twin.file).name)])


@dataclass(frozen=True, slots=True)
class Runs:
    """What three versions of a program spend."""

    broken: Spending
    by_lint: Spending
    by_hand: Spending


@pytest.fixture(params=TWINS, ids=lambda twin: twin.program)
def runs(request: pytest.FixtureRequest, tmp_path: Path) -> Runs:
    twin: Twin = request.param
    broken, fixed, twinned = (copied(twin, tmp_path / name) for name in ("a", "b", "c"))
    repaired_by_lint(twin, fixed)
    repaired_by_hand(twin, twinned)
    every = [spending_of(program, twin.arguments) for program in (broken, fixed, twinned)]
    return Runs(*every)


def test_the_repaired_program_spends_what_its_twin_spends(runs: Runs) -> None:
    assert runs.by_hand.ending == ""
    assert runs.by_lint.spent == runs.by_hand.spent
    assert runs.by_lint.spent != runs.broken.spent


@cache
def findings_of(program: Path) -> list[tuple[Repair, bool]]:
    """Return, for each loud finding, its rule's kind of repair and whether there is one."""
    files = sorted(program.glob("*.py")) if program.is_dir() else [program]
    analyser = Analyser(Project(files[0].parent))
    return [
        (item.rule.repair, item.fix is not None)
        for file in files
        for item in analyser.analyse(Source(str(file), file.read_text("utf-8"))).findings
        if item.severity is not Severity.HINT
    ]


def broken_programs() -> list[Path]:
    found = [path for path in SCRIPTS.glob("*/broken_*") if path.is_dir() or path.suffix == ".py"]
    about_files = ("unparsable_file", "unreadable_file")
    return sorted(path for path in found if path.parent.name not in about_files)


def test_every_fault_with_a_mechanical_repair_has_a_twin_or_a_reason() -> None:
    mechanical = {
        path.relative_to(SCRIPTS).as_posix()
        for path in broken_programs()
        if any(repair is Repair.UNSAFE for repair, _ in findings_of(path))
    }

    assert mechanical == {twin.program for twin in TWINS} | NO_REPAIR.keys() | PROVED_IN_WINDOWS


def test_every_script_that_gets_a_repair_has_a_twin() -> None:
    repaired = {
        path.relative_to(SCRIPTS).as_posix()
        for path in broken_programs()
        if any(has_fix for _, has_fix in findings_of(path)) and path.parent.name != "frameworks"
    }

    proved = {name for name in PROVED_IN_WINDOWS if not name.startswith("frameworks/")}
    assert repaired == {twin.program for twin in TWINS} | proved
