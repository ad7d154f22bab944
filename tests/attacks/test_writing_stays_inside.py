"""What an untrusted tree says and links to makes lint write nothing outside of that tree."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from repairable import BROKEN, REPAIRED

from zerograd.atomic import write_atomically
from zerograd.cli import main
from zerograd.errors import UnreadableError

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ["untrusted_project"]


def test_settings_that_repair_do_so_inside_the_project(project: Path) -> None:
    (project / "train.py").write_text(BROKEN)

    main(["lint"])

    assert (project / "train.py").read_text() == REPAIRED


def test_a_link_that_stays_inside_is_repaired_and_stays_a_link(project: Path) -> None:
    (project / "train.py").write_text(BROKEN)
    (project / "link.py").symlink_to("train.py")

    main(["lint", "link.py"])

    assert (project / "train.py").read_text() == REPAIRED
    assert (project / "link.py").is_symlink()


def test_a_link_out_of_the_project_is_not_written_through(project: Path, outside: Path) -> None:
    (project / "link.py").symlink_to(outside / "train.py")

    main(["lint"])

    assert (outside / "train.py").read_text() == BROKEN


def test_a_linked_folder_out_of_the_project_is_not_written_through(
    project: Path, outside: Path
) -> None:
    (project / "linked").symlink_to(outside)

    main(["lint"])
    main(["lint", "linked"])
    main(["lint", "linked/train.py"])

    assert (outside / "train.py").read_text() == BROKEN


def test_a_named_link_out_of_the_project_is_refused_with_link_and_target(
    project: Path, outside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "link.py").symlink_to(outside / "train.py")

    status = main(["lint", "link.py", "--format", "concise"])

    assert capsys.readouterr().err.splitlines()[0] == (
        f"zerograd: link.py leads to {outside}/train.py, outside of {project}, and is left as it "
        "is; name that file itself"
    )
    assert status == 2


def test_the_target_itself_is_repaired_when_the_user_names_it(project: Path, outside: Path) -> None:
    (project / "link.py").symlink_to(outside / "train.py")

    main(["lint", str(outside / "train.py"), "--config", "zerograd.toml"])

    assert (outside / "train.py").read_text() == REPAIRED


def test_a_project_that_is_reached_through_a_link_is_repaired(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "train.py").write_text(BROKEN)
    (tmp_path / "home").symlink_to(project)
    monkeypatch.chdir(tmp_path / "home")

    main(["lint", str(tmp_path / "home")])

    assert (project / "train.py").read_text() == REPAIRED


def test_a_folder_that_became_a_link_after_it_was_checked_is_not_written_through(
    project: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "folder").mkdir()
    (project / "folder" / "train.py").write_text(BROKEN)
    realpath = os.path.realpath

    def swap(path: str | Path, **options: bool) -> str:
        found = realpath(path, **options)
        if (project / "folder").is_dir() and not (project / "folder").is_symlink():
            (project / "folder").rename(project / "moved")
            (project / "folder").symlink_to(outside)
        return found

    monkeypatch.setattr(os.path, "realpath", swap)
    with pytest.raises(UnreadableError):
        write_atomically(project / "folder" / "train.py", b"new", inside=project)

    assert (outside / "train.py").read_text() == BROKEN
    assert (project / "moved" / "train.py").read_text() == BROKEN


@pytest.mark.parametrize("value", ["../x", "{outside}/x", "linked/x", "link.json"])
def test_a_baseline_in_the_settings_cannot_lead_out_of_their_folder(
    project: Path, outside: Path, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (outside / "x").write_text("precious")
    (outside.parent / "x").write_text("precious")
    (project / "linked").symlink_to(outside)
    (project / "link.json").symlink_to(outside / "x")
    named = value.format(outside=outside)
    (project / "zerograd.toml").write_text(f'baseline = "{named}"\n')

    status = main(["lint", "--write-baseline"])

    assert capsys.readouterr().err == (
        f"zerograd: zerograd.toml: baseline has {named!r}, which leads out of {project}; name a "
        f"file below that folder, or pass --baseline\n"
    )
    assert status == 2
    assert (outside / "x").read_text() == (outside.parent / "x").read_text() == "precious"


def test_a_planted_link_by_the_usual_name_of_a_baseline_is_not_written_through(
    project: Path, outside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "zerograd-baseline.json").symlink_to(outside / "train.py")

    status = main(["lint", "--write-baseline"])

    assert capsys.readouterr().err == (
        f"zerograd: zerograd-baseline.json leads to {outside}/train.py, outside of {project}, and "
        "is left as it is; name that file itself\n"
    )
    assert status == 2
    assert (outside / "train.py").read_text() == BROKEN


def test_a_baseline_that_the_user_names_may_be_anywhere(project: Path, outside: Path) -> None:
    status = main(["lint", "--baseline", str(outside / "known.json"), "--write-baseline"])

    assert (outside / "known.json").exists()
    assert status == 0


@pytest.mark.parametrize("value", ["..", "linked"])
def test_a_project_root_in_the_settings_does_not_widen_what_is_written(
    project: Path, outside: Path, value: str
) -> None:
    (project / "linked").symlink_to(outside)
    (project / "link.py").symlink_to(outside / "train.py")
    settings = (project / "zerograd.toml").read_text()
    (project / "zerograd.toml").write_text(f'{settings}project-root = "{value}"\n')

    main(["lint"])
    main(["lint", "link.py", "linked/train.py"])

    assert (outside / "train.py").read_text() == BROKEN


def test_a_package_does_not_reach_its_neighbours_through_a_link(
    project: Path, outside: Path
) -> None:
    (project / "zerograd.toml").unlink()
    (project / "__init__.py").touch()
    (project / "link.py").symlink_to(outside / "train.py")

    main(["lint", "--fix", "--hints"])
    main(["lint", "--fix", "--hints", "link.py"])

    assert (outside / "train.py").read_text() == BROKEN


def test_a_repository_is_repaired_wherever_its_links_lead_in_it(project: Path) -> None:
    (project / "zerograd.toml").unlink()
    (project / ".git").mkdir()
    (project / "sub").mkdir()
    (project / "train.py").write_text(BROKEN)
    (project / "sub" / "link.py").symlink_to("../train.py")

    main(["lint", "--fix", "--hints", "sub/link.py"])

    assert (project / "train.py").read_text() == REPAIRED


def test_a_hard_link_to_a_file_outside_is_neither_parted_nor_followed(
    project: Path, outside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.link(outside / "train.py", project / "train.py")

    status = main(["lint", "train.py", "--format", "concise"])

    assert (project / "train.py").samefile(outside / "train.py")
    assert (outside / "train.py").read_text() == BROKEN
    assert capsys.readouterr().err.splitlines()[0] == (
        "zerograd: train.py has 2 names (hard links), which a repair would part, and is left as "
        "it is; copy it to repair the copy"
    )
    assert status == 2


def test_a_repaired_file_keeps_its_mode(project: Path) -> None:
    (project / "train.py").write_text(BROKEN)
    (project / "train.py").chmod(0o4751)

    main(["lint"])

    assert (project / "train.py").read_text() == REPAIRED
    assert (project / "train.py").stat().st_mode & 0o7777 == 0o4751


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_repaired_file_keeps_its_owner(project: Path) -> None:
    (project / "train.py").write_text(BROKEN)
    os.chown(project / "train.py", 65534, 65534)

    main(["lint"])

    status = (project / "train.py").stat()
    assert (project / "train.py").read_text() == REPAIRED
    assert (status.st_uid, status.st_gid) == (65534, 65534)


def test_a_file_whose_owner_cannot_be_kept_is_left_as_it_is(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(BROKEN)

    def refuse(*arguments: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", refuse)
    status = main(["lint", "--format", "concise"])

    assert (project / "train.py").read_text() == BROKEN
    assert capsys.readouterr().err.splitlines()[0] == (
        "zerograd: train.py would change its owner or group and is left as it is; "
        "repair it as the user that it belongs to"
    )
    assert status == 2


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="attributes of Linux")
def test_a_repaired_file_keeps_its_attributes(project: Path) -> None:
    (project / "train.py").write_text(BROKEN)
    os.setxattr(project / "train.py", "user.origin", b"a colleague")

    main(["lint"])

    assert (project / "train.py").read_text() == REPAIRED
    assert os.getxattr(project / "train.py", "user.origin") == b"a colleague"


def test_what_a_killed_writer_left_is_removed_by_the_next_whoever_it_was(tmp_path: Path) -> None:
    killed = (
        "import os, pathlib, signal, sys\n"
        "from zerograd.atomic import write_atomically\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_atomically(pathlib.Path(sys.argv[1]), b'new')\n"
    )

    subprocess.run([sys.executable, "-c", killed, str(tmp_path / "report.html")], check=False)
    left = len(list(tmp_path.iterdir()))
    write_atomically(tmp_path / "report.html", b"new")

    assert left == 1
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
