"""What a release consists of, and an environment to install it into that holds nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Distributions:
    """A wheel, made of the sdist beside it."""

    wheel: Path
    sdist: Path

    def in_wheel(self) -> set[str]:
        """Return the paths of the wheel's files."""
        with zipfile.ZipFile(self.wheel) as archive:
            return set(archive.namelist())

    def in_sdist(self) -> set[str]:
        """Return the paths of the sdist's files, below its one folder."""
        with tarfile.open(self.sdist) as archive:
            files = [member.name for member in archive.getmembers() if member.isfile()]
        return {file.partition("/")[2] for file in files}

    def described(self, file: str) -> str:
        """Return a file of the wheel's metadata."""
        with zipfile.ZipFile(self.wheel) as archive:
            (path,) = (name for name in archive.namelist() if name.endswith(f".dist-info/{file}"))
            return archive.read(path).decode()


def build(into: Path) -> Distributions:
    """Build both, with the tools of this environment."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(into), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return Distributions(next(into.glob("*.whl")), next(into.glob("*.tar.gz")))


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment with the wheel and what the wheel requires: no torch, no tools."""

    folder: Path

    def run(self, *command: str, within: Path) -> subprocess.CompletedProcess[str]:
        """Run a command of the environment, which sees nothing of the one that runs the tests."""
        path = f"{self.folder / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"
        return subprocess.run(
            [self.folder / "bin" / command[0], *command[1:]],
            cwd=within,
            env={"PATH": path, "HOME": str(self.folder)},
            capture_output=True,
            text=True,
        )


def install(wheel: Path, folder: Path) -> Environment:
    """Make an environment and put the wheel into it, requirements first."""
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    for name in required_by("zerograd"):
        _link(name, packages)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin/python")]
    options = ["--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", *options, str(wheel)], check=True, capture_output=True)
    return Environment(folder)


def required_by(name: str) -> set[str]:
    """Return the distributions that one needs without extras, those that they need included."""
    needed = [Requirement(line) for line in distribution(name).requires or []]
    direct = {one.name for one in needed if one.marker is None or one.marker.evaluate()}
    return direct.union(*(required_by(one) for one in direct))


def _link(name: str, packages: Path) -> None:
    """Let an environment use a distribution of this one: no download, and nothing beside it."""
    found = distribution(name)
    tops = {file.parts[0] for file in found.files or [] if file.parts[0] != ".."}
    for top in tops - {"__pycache__"}:
        (packages / top).symlink_to(Path(str(found.locate_file(top))))
