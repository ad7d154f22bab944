"""Archives are taken only with the pinned bytes, and only their sources are unpacked."""

from __future__ import annotations

import hashlib
import io
import subprocess
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest
from archives import Checkout, EcosystemError, Package, unpacked

if TYPE_CHECKING:
    from pathlib import Path


def in_cache(cache: Path, archive: str, content: bytes) -> Package:
    """Put an archive where a download would have put it."""
    (cache / "archives").mkdir(parents=True)
    (cache / "archives" / archive).write_bytes(content)
    url = f"https://example.invalid/{archive}"
    return Package("thing", "1.0", url, hashlib.sha256(content).hexdigest())


def sdist(*members: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name in members:
            archive.addfile(tarfile.TarInfo(name))
    return stream.getvalue()


def files(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def test_only_the_sources_of_an_sdist_are_unpacked(tmp_path: Path) -> None:
    content = sdist("thing-1.0/train.py", "thing-1.0/weights.bin", "thing-1.0/demo.ipynb")
    package = in_cache(tmp_path, "thing-1.0.tar.gz", content)

    folder = unpacked(package, tmp_path)

    assert files(folder) == ["thing-1.0/demo.ipynb", "thing-1.0/train.py", "zerograd.toml"]


def test_a_wheel_is_unpacked_too(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as wheel:
        wheel.writestr("thing/train.py", "")
    package = in_cache(tmp_path, "thing-1.0-py3-none-any.whl", stream.getvalue())

    folder = unpacked(package, tmp_path)

    assert files(folder) == ["thing/train.py", "zerograd.toml"]


def test_a_member_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    package = in_cache(tmp_path, "thing-1.0.tar.gz", sdist("../outside.py"))

    with pytest.raises(tarfile.OutsideDestinationError):
        unpacked(package, tmp_path)

    assert not (tmp_path / "sources" / "outside.py").exists()


def test_an_archive_with_other_bytes_is_refused(tmp_path: Path) -> None:
    package = in_cache(tmp_path, "thing-1.0.tar.gz", sdist("thing-1.0/train.py"))
    archive = tmp_path / "archives" / "thing-1.0.tar.gz"
    archive.write_bytes(b"something else")

    with pytest.raises(EcosystemError) as refused:
        unpacked(package, tmp_path)

    assert str(refused.value) == (
        f"{archive} was changed since it was fetched; remove it and run again"
    )


def test_of_a_commit_only_the_folder_that_is_asked_for_is_unpacked(tmp_path: Path) -> None:
    origin = tmp_path / "origin"
    for name in ("tests/test_loop.py", "src/loop.py"):
        (origin / name).parent.mkdir(parents=True)
        (origin / name).write_text("")
    git = ["git", "-C", str(origin), "-c", "user.name=a", "-c", "user.email=a@example.invalid"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *command], check=True)
    found = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)

    folder = unpacked(
        Checkout("thing", "1.0", str(origin), found.stdout.strip(), "tests"), tmp_path / "cache"
    )

    assert files(folder) == ["tests/test_loop.py", "zerograd.toml"]


def test_a_repository_that_cannot_be_fetched_is_said(tmp_path: Path) -> None:
    nowhere = Checkout("thing", "1.0", str(tmp_path / "nowhere"), "0" * 40, "tests")

    with pytest.raises(EcosystemError, match="nowhere could not be fetched: see git's words"):
        unpacked(nowhere, tmp_path / "cache")
