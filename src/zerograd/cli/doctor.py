"""`zerograd doctor`: what is installed, what works here, and what to type where it does not."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import click

from zerograd import __version__
from zerograd.errors import SettingsError
from zerograd.printable import printable
from zerograd.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

HELP = """Say what works here, and what to type where it does not.

Both lint and watch are tried on a loop that never clears its gradients: they work if they find it.
Paste the lines into an issue. Nothing is sent anywhere, and no file of yours is run.

\b
Examples:
  zerograd doctor

Exit status: 0 when everything works that is installed, 1 when something does not.
"""

TRIAL = """\
import torch

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    model(torch.ones(1, 1)).sum().backward()
    optimizer.step()
"""
FOUND = "ZG101"
PATIENCE = 300
"""Seconds; the first import of torch from a slow disk may take minutes."""

REPORT = ("jinja2", "plotly")
FRAMEWORKS = ("lightning", "transformers", "accelerate", "pytorch-ignite", "skorch", "pytest")


class Checkup(NamedTuple):
    """One thing that was looked at."""

    thing: str
    told: str
    is_wrong: bool = False


@click.command("doctor", help=HELP, short_help="say what works here, and what to type where not")
def command() -> int:
    """Show a line for each thing, and tell by the status whether all is well."""
    is_wrong = False
    for line in examination():
        # Each when it is known: the trial of watch takes seconds.
        sys.stdout.write(f"{line.thing:<10}{printable(line.told)}\n")
        sys.stdout.flush()
        is_wrong = is_wrong or line.is_wrong
    return 1 if is_wrong else 0


def examination() -> Iterator[Checkup]:
    """Yield what there is, what works, and what to type."""
    yield Checkup("zerograd", f"{__version__}, in {Path(__file__).parents[1]}")
    yield Checkup(
        "python",
        f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}, "
        f"{platform.platform()}",
    )
    yield settings()
    yield tried("lint", "lint", "finds a loop that never clears")
    yield torch()
    if find_spec("torch") is not None:
        yield tried("watch", "watch", "sees it happen; the engine runs on the same torch")
    yield extra("report", REPORT, "HTML reports")
    yield extra("server", ("pygls",), "findings in editors", name="lsp")
    yield git()
    others = [f"{name} {found}" for name in FRAMEWORKS if (found := installed(name))]
    yield Checkup("beside", ", ".join(others) or "no training library that zerograd knows")


def settings() -> Checkup:
    """Say which settings hold in the working directory."""
    try:
        file = load_settings(Path.cwd()).file
    except SettingsError as error:
        return Checkup("settings", str(error), is_wrong=True)
    return Checkup("settings", str(file) if file else "none: no zerograd.toml or [tool.zerograd]")


def torch() -> Checkup:
    """Say which torch is there, without importing it."""
    found = installed("torch")
    if find_spec("torch") is None or found is None:
        told = "not installed: lint works without; pip install torch for watch and Gradients"
        return Checkup("torch", told)
    # Imported here: it is next to the watcher, which only watching loads.
    from zerograd.watch.report.tested_versions import untested

    return Checkup("torch", untested(found) or found)


def installed(package: str) -> str | None:
    """Return the version of a package, None where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def extra(thing: str, packages: tuple[str, ...], use: str, *, name: str | None = None) -> Checkup:
    """Say whether what an extra brings is there."""
    found = [(package, installed(package)) for package in packages]
    if all(has for _, has in found):
        return Checkup(thing, ", ".join(f"{package} {has}" for package, has in found))
    return Checkup(thing, f"not installed: pip install 'zerograd[{name or thing}]' for {use}")


def git() -> Checkup:
    """Say whether what git ignores can be left out."""
    path = shutil.which("git")
    return Checkup("git", path or "not found: what is in the repository's index is not known")


def tried(thing: str, verb: str, works: str) -> Checkup:
    """Try a verb on the broken loop, in a folder and a process of its own."""
    with TemporaryDirectory(prefix="zerograd-doctor-") as folder:
        Path(folder, "trial.py").write_text(TRIAL, encoding="utf-8")
        command = [sys.executable, "-m", "zerograd", verb, "--format", "json", "-q", "trial.py"]
        if verb == "lint":
            command.insert(4, "--isolated")
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env={**os.environ, "PYTHONWARNINGS": "ignore"},
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return Checkup(thing, f"does not work: {error}", is_wrong=True)
    if FOUND in codes(done.stdout):
        return Checkup(thing, f"works: {works}{unheard(done.stdout)}")
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()
    why = said[-1] if said else f"status {done.returncode}"
    return Checkup(thing, f"does not work: {why}", is_wrong=True)


def codes(document: str) -> list[str]:
    """Return the codes in a JSON report; of what is none, none."""
    try:
        return [finding["code"] for finding in json.loads(document)["findings"]]
    except (ValueError, KeyError, TypeError):
        return []


def unheard(document: str) -> str:
    """Return the rules that watch cannot judge by on this torch."""
    told = json.loads(document)["reach"].get("unheard")
    return f"; not heard on this torch: {', '.join(told['rules'])}" if told else ""
