"""Sources pinned by hash: fetched once into a cache, unpacked, never installed."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
import tomllib
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path

PINNED = Path(__file__).with_name("packages.toml")
SOURCES = (".py", ".ipynb")
PATIENCE = 120

SETTINGS = "zerograd.toml"
"""Makes an unpacked package a project of its own, whatever repository the cache lies in."""


class EcosystemError(Exception):
    """Something that only the person who runs this can put right."""


@dataclass(frozen=True, slots=True)
class Package:
    """One release, as PyPI serves it."""

    name: str
    version: str
    url: str
    sha256: str

    @property
    def archive(self) -> str:
        """The file's own name."""
        return self.url.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Checkout:
    """One commit of a repository: of what is not on PyPI. git compares its bytes with its name."""

    name: str
    version: str
    repository: str
    commit: str
    folder: str
    """What is taken of it."""


def read_packages(path: Path = PINNED) -> list[Package]:
    """Return what is pinned, in the order of the file."""
    return [Package(**entry) for entry in tomllib.loads(path.read_text("utf-8"))["package"]]


def unpacked(source: Package | Checkout, cache: Path) -> Path:
    """Return the folder with some sources, fetched and unpacked if it is not there yet."""
    pinned = source.sha256 if isinstance(source, Package) else source.commit
    folder = cache / "sources" / f"{source.name}-{pinned[:12]}"
    if not folder.is_dir():
        get = fetched if isinstance(source, Package) else archived
        archive = get(source, cache / "archives")  # type: ignore[arg-type]
        # Renamed when whole: an interrupted run leaves nothing that looks complete.
        partial = folder.with_name(f"{folder.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        unpack(archive, partial)
        (partial / SETTINGS).write_text("preview = true\nrespect-gitignore = false\n", "utf-8")
        partial.rename(folder)
    return folder


def fetched(package: Package, folder: Path) -> Path:
    """Return the archive, with exactly the pinned bytes."""
    path = folder / package.archive
    if not path.is_file():
        content = download(package)
        if hashlib.sha256(content).hexdigest() != package.sha256:
            raise EcosystemError(f"{package.url} is not the file whose hash is in {PINNED.name}")
        folder.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.partial")
        partial.write_bytes(content)
        partial.rename(path)
    if hashlib.sha256(path.read_bytes()).hexdigest() != package.sha256:
        raise EcosystemError(f"{path} was changed since it was fetched; remove it and run again")
    return path


def archived(checkout: Checkout, folder: Path) -> Path:
    """Return the commit as an archive."""
    path = folder / f"{checkout.name}-{checkout.commit}.tar"
    if not path.is_file():
        partial = path.with_name(f"{path.name}.partial")
        repository = path.with_suffix(".git")
        repository.mkdir(parents=True, exist_ok=True)
        git = ["git", "-C", str(repository)]
        for command in (
            [*git, "init", "--quiet", "--bare"],
            [*git, "fetch", "--quiet", "--depth=1", checkout.repository, checkout.commit],
            [*git, "archive", f"--output={partial}", checkout.commit, checkout.folder],
        ):
            if subprocess.run(command, check=False).returncode:
                raise EcosystemError(f"{checkout.repository} could not be fetched: see git's words")
        shutil.rmtree(repository)
        partial.rename(path)
    return path


def download(package: Package) -> bytes:
    """Return what the package index serves."""
    try:
        with urllib.request.urlopen(package.url, timeout=PATIENCE) as answer:
            content = answer.read()
    except OSError as error:
        raise EcosystemError(f"{package.url} could not be fetched: {error}") from error
    assert isinstance(content, bytes)
    return content


def unpack(archive: Path, folder: Path) -> None:
    """Write the sources of an archive below a folder, and nothing else of it."""
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as wheel:  # leaves out drives, roots and `..` by itself
            wheel.extractall(folder, [name for name in wheel.namelist() if is_source(name)])
        return
    with tarfile.open(archive) as sdist:
        members = [item for item in sdist.getmembers() if item.isfile() and is_source(item.name)]
        sdist.extractall(folder, members, filter="data")


def is_source(name: str) -> bool:
    """Tell whether lint would read a file of this name."""
    return name.endswith(SOURCES)
