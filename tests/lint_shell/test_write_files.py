"""A file is replaced as a whole, or left as it was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from zerograd.atomic import write_atomically
from zerograd.errors import UnreadableError


def test_the_permissions_stay(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_bytes(b"old")
    file.chmod(0o750)

    write_atomically(file, b"new", expected=b"old")

    assert file.read_bytes() == b"new"
    assert file.stat().st_mode & 0o777 == 0o750


def test_a_link_stays_a_link_and_its_file_changes(tmp_path: Path) -> None:
    file, link = tmp_path / "train.py", tmp_path / "link.py"
    file.write_bytes(b"old")
    link.symlink_to(file)

    write_atomically(link, b"new", expected=b"old")

    assert link.is_symlink()
    assert file.read_bytes() == b"new"


def test_a_file_that_was_changed_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_bytes(b"edited by hand")

    with pytest.raises(UnreadableError) as refusal:
        write_atomically(file, b"new", expected=b"old")

    assert str(refusal.value) == f"{file} was changed meanwhile and is left as it is; run again"
    assert file.read_bytes() == b"edited by hand"


def test_a_new_file_has_the_permissions_that_the_user_chose(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_atomically(tmp_path / "new.json", b"{}")
    finally:
        os.umask(mask)

    assert (tmp_path / "new.json").stat().st_mode & 0o777 == 0o640


def test_nothing_else_is_left_behind(tmp_path: Path) -> None:
    write_atomically(tmp_path / "new.json", b"{}")

    assert [file.name for file in tmp_path.iterdir()] == ["new.json"]


def test_a_folder_that_does_not_exist_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "no" / "report.json"

    with pytest.raises(UnreadableError) as refusal:
        write_atomically(file, b"{}")

    assert str(refusal.value) == f"cannot write {file}: No such file or directory"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_is_one_sentence() -> None:
    with pytest.raises(UnreadableError) as refusal:
        write_atomically(Path("/dev/full"), b"{}")

    assert str(refusal.value) == "cannot write /dev/full: No space left on device"
