"""The folder that the watchers of one torchrun share: theirs alone, whoever took its name."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from zerograd.watch.process import multi_process_run as company
from zerograd.watch.process.multi_process_run import begun_run, launch_here


@pytest.fixture(autouse=True)
def started_by_torchrun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")


def predicted(folder: Path) -> Path:
    """Return the name that anybody can foretell."""
    launch = launch_here()
    assert launch is not None
    return folder / f"zerograd-watch-{launch.name}"


def foreign_folder(name: Path) -> None:
    name.mkdir(mode=0o700)
    os.chown(name, 65534, 65534)


def open_folder(name: Path) -> None:
    name.mkdir()
    name.chmod(0o777)


def link(name: Path) -> None:
    (name.parent / "elsewhere").mkdir(mode=0o700)
    name.symlink_to(name.parent / "elsewhere")


def loose_link(name: Path) -> None:
    name.symlink_to(name.parent / "nowhere")


def plain_file(name: Path) -> None:
    name.write_text("mine")


KINDS = [open_folder, link, loose_link, plain_file]


def assert_shared_and_private(tmp_path: Path) -> None:
    with begun_run(["train.py"]) as first, begun_run(["train.py"]) as second:
        assert first.folder == second.folder
        assert first.folder != predicted(tmp_path)
        assert first.folder.lstat().st_mode & 0o777 == 0o700
        assert first.folder.lstat().st_uid == os.getuid()
        assert [first.leave(), second.leave()] == [False, True]
        second.clean_up()


@pytest.mark.parametrize("taken_by", KINDS, ids=lambda kind: kind.__name__)
def test_a_name_that_is_taken_is_left_to_who_took_it(tmp_path: Path, taken_by: object) -> None:
    assert callable(taken_by)
    taken_by(predicted(tmp_path))
    before = sorted(tmp_path.rglob("*"))

    assert_shared_and_private(tmp_path)

    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_another_users_folder_stops_no_run(tmp_path: Path) -> None:
    foreign_folder(predicted(tmp_path))

    assert_shared_and_private(tmp_path)


def test_when_every_name_is_taken_each_watcher_reports_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(company, "NAMES", 2)
    plain_file(predicted(tmp_path))
    plain_file(Path(f"{predicted(tmp_path)}-1"))

    with begun_run(["train.py"]) as one, begun_run(["train.py"]) as other:
        reports = [one.leave(), other.leave()]

    assert reports == [True, True]
    assert one.folder != other.folder
