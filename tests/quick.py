"""Run the tests of what has changed, or a core, and ruff: an inner loop of under two minutes.

`make quick` runs it; `make test` is the whole, and the only answer that counts.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = Path(__file__).parents[1]

LIMIT = 100
"""Seconds after which pytest begins no further test."""

TESTS_OF = {
    "src/zerograd/lifecycle/": ("tests/lifecycle",),
    "src/zerograd/rules/": ("tests/rules", "tests/docs/test_names.py"),
    "src/zerograd/findings/": ("tests/findings", "tests/reports/test_formats.py"),
    "src/zerograd/settings/": ("tests/settings", "tests/lint_shell/test_find_files.py"),
    "src/zerograd/history/": ("tests/history", "tests/watch/test_recording.py"),
    "src/zerograd/hooks/": ("tests/hooks", "tests/watch/test_kinds_of_clear.py"),
    "src/zerograd/source/": ("tests/source", "tests/lint_layers", "tests/watch/test_schedules.py"),
    "src/zerograd/engine/ranks/": ("tests/engine/ranks/test_rank_decisions.py",),
    "src/zerograd/engine/": (
        "tests/engine/test_arguments.py",
        "tests/engine/test_bit_identity.py",
        "tests/engine/test_gradients.py",
        "tests/engine/test_interference.py",
        "tests/engine/test_resume.py",
    ),
    "src/zerograd/testing/": ("tests/testing/test_same_gradients.py",),
    "src/zerograd/lint/": (
        "tests/lint_layers",
        "tests/lint/test_paths.py",
        "tests/lint/test_project.py",
        "tests/lint/test_witness.py",
        "tests/lint_shell/test_lint_verb.py",
        "tests/lint_shell/test_run_files.py",
    ),
    "src/zerograd/watch/": (
        "tests/watch/test_damage.py",
        "tests/watch/test_kinds_of_clear.py",
        "tests/watch/test_fast_path.py",
        "tests/watch/test_recording.py",
        "tests/watch/test_watching_call.py",
    ),
    "src/zerograd/reports/": ("tests/reports",),
    "src/zerograd/integrations/": ("tests/integrations",),
    "src/zerograd/server/": ("tests/server",),
    "src/zerograd/cli/": ("tests/cli/test_main.py", "tests/cli/test_rules_verb.py"),
    "src/zerograd/": ("tests/test_package.py",),
    "examples/": ("tests/examples/test_side_by_side.py", "tests/examples/test_articles.py"),
    "benchmarks/": ("tests/benchmarks",),
    "ecosystem/": ("tests/ecosystem",),
    "docs/": ("tests/docs/test_names.py", "tests/test_guides.py"),
    "README.md": ("tests/test_readme.py",),
    "Makefile": ("tests/test_quick.py", "tests/test_surroundings.py"),
}
"""What a change is tried with; the first line that a path begins with counts."""

CORE = (
    "tests/engine/test_bit_identity.py",
    "tests/lifecycle",
    "tests/lint/test_paths.py",
    "tests/rules/test_catalogue.py",
    "tests/test_package.py",
    "tests/watch/test_kinds_of_clear.py",
)
"""What is run where nothing has changed, or nothing that has tests."""

SLOW = (
    "tests/lifecycle/test_ledger_against_oracle.py",
    "tests/reports/test_html_browser.py",
    "tests/rules/test_page_programs.py",
    "tests/rules/test_rank_programs.py",
)
"""What takes a minute by itself: run here only if it was changed itself."""


def chosen_for(changed: Iterable[str]) -> list[str]:
    """Return the tests to run, none of which lies in another: each is run once."""
    chosen = {test for path in changed for test in _chosen_for(path)} or set(CORE)
    return sorted(
        test for test in chosen if not any(f"{test}/".startswith(f"{o}/") for o in chosen - {test})
    )


def _chosen_for(path: str) -> tuple[str, ...]:
    if path.startswith("tests/"):
        return _beside(path)
    return next((tests for start, tests in TESTS_OF.items() if path.startswith(start)), ())


def _beside(path: str) -> tuple[str, ...]:
    """Return a test itself, and for what tests read or import all tests of its folder."""
    name = Path(path)
    if name.match("test_*.py") and (ROOT / name).exists():
        return (path,)
    folder = Path(*name.parts[:2])
    return (str(folder),) if any((ROOT / folder).glob("test_*.py")) else ()


def changed_files(root: Path = ROOT) -> list[str]:
    """Return what differs from where this branch left main, and what git does not know yet."""
    left = _git(root, "merge-base", "HEAD", "main") or ["HEAD"]
    known = _git(root, "diff", "--name-only", left[0])
    return sorted({*known, *_git(root, "ls-files", "--others", "--exclude-standard")})


def _git(root: Path, *command: str) -> list[str]:
    """Return the lines that git prints; none where it cannot, as in an unpacked sdist."""
    found = subprocess.run(["git", "-C", root, *command], capture_output=True, text=True)
    return found.stdout.splitlines() if found.returncode == 0 else []


def pytest_arguments(changed: Sequence[str]) -> list[str]:
    """Return what pytest is started with."""
    left_out = [f"--ignore={test}" for test in SLOW if test not in changed]
    options = ["--quiet", "--numprocesses=2", f"--session-timeout={LIMIT}"]
    return [*options, *left_out, *chosen_for(changed)]


CHECKS = (["format", "--check"], ["check"])

INTERRUPTED = 2
"""How pytest ends where the limit was reached."""


def main() -> int:
    """Say what is chosen and why, and run it."""
    changed = changed_files()
    print(f"zerograd: {len(changed)} files differ from main" if changed else "zerograd: no change")
    print("zerograd: tests:", *chosen_for(changed), sep="\n  ")
    print("zerograd: this is a part, for in between; `make test` is the whole", flush=True)
    sources = [path for path in changed if path.endswith(".py") and (ROOT / path).exists()]
    checked = [_run("ruff", *how, "--force-exclude", *sources) for how in CHECKS if sources]
    tested = _run("pytest", *pytest_arguments(changed))
    if tested == INTERRUPTED:
        print(f"zerograd: stopped after {LIMIT} seconds; `make test` runs the rest too")
    return max(*checked, tested) if checked else tested


def _run(*command: str) -> int:
    return subprocess.run([sys.executable, "-m", *command], cwd=ROOT).returncode


if __name__ == "__main__":
    raise SystemExit(main())
