"""`--fix` says what it wrote and no more, leaves nothing behind, and keeps every other byte."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from repairable import BROKEN, REPAIRED

from zerograd.cli import main

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ["untrusted_project"]

FIX = ["lint", "--fix", "--format", "concise"]

HINT = "2:18: ZG002 unused-ignore: `ZG101, ZG302` silence nothing here"


def test_what_could_not_be_written_is_not_called_repaired(
    project: Path, outside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "one.py").symlink_to(outside / "train.py")
    (project / "two.py").write_text(BROKEN)
    (project / "other.py").hardlink_to(project / "two.py")

    status = main([*FIX, "one.py", "two.py"])

    out, err = capsys.readouterr()
    assert "repaired" not in err
    assert [line.split(": ")[0] for line in out.splitlines()] == ["one.py:2:18", "two.py:2:18"]
    assert err.splitlines()[-1].startswith("Found 2 hints in 2 files; ")
    assert status == 2


def test_only_what_was_written_is_counted(
    project: Path, outside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "link.py").symlink_to(outside / "train.py")
    (project / "train.py").write_text(BROKEN)

    status = main([*FIX, "link.py", "train.py"])

    out, err = capsys.readouterr()
    assert err.splitlines()[1] == "zerograd: repaired 1 finding in 1 file"
    assert out.startswith("link.py:2:18: ZG002 ")
    assert out.count("\n") == 1
    assert status == 2


def test_two_names_of_one_file_are_one_repair(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(BROKEN)
    (project / "link.py").symlink_to("train.py")

    status = main([*FIX, "link.py", "train.py"])

    assert capsys.readouterr() == (
        "",
        "zerograd: repaired 1 finding in 1 file\nFound nothing; no loop to check.\n",
    )
    assert (project / "train.py").read_text() == REPAIRED
    assert status == 0


INTERRUPTED = """\
import os, signal, sys
from zerograd.cli import main

fsync = os.fsync

def end_here(descriptor):
    os.kill(os.getpid(), signal.{name})
    fsync(descriptor)

os.fsync = end_here
sys.exit(main(["lint", "--fix", "--hints"]))
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_in_the_middle_of_a_repair_leaves_one_whole_file(project: Path, name: str) -> None:
    (project / "train.py").write_text(BROKEN)

    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(name=name)], capture_output=True, check=False
    )

    ended = {"SIGINT": 130}.get(name, -signal.Signals[name])
    assert run.returncode == ended, run.stderr.decode()
    assert sorted(file.name for file in project.iterdir()) == ["train.py", "zerograd.toml"]
    assert (project / "train.py").read_text() == REPAIRED


def test_a_write_that_fails_leaves_nothing_behind(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(BROKEN)

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    status = main(FIX)

    assert capsys.readouterr().err.splitlines()[0] == (
        "zerograd: cannot write train.py: No space left on device"
    )
    assert sorted(file.name for file in project.iterdir()) == ["train.py", "zerograd.toml"]
    assert (project / "train.py").read_text() == BROKEN
    assert status == 2


def test_a_name_as_long_as_a_name_can_be_is_repaired(project: Path) -> None:
    file = project / ("x" * 252 + ".py")
    file.write_text(BROKEN)

    main(FIX)

    assert file.read_text() == REPAIRED


UNFAITHFUL = {
    "unicode_escape": b"",
    "unicode-escape": b"# \\u0041\n",
    "raw_unicode_escape": b"# \\u0041\n",
    "utf-7": b"x = 1 +- 1\n",
    "iso2022_jp": b'# \x1b$B$"\x1b(B\x1b$B$"\x1b(B\n',
    "hz": b"# ~~\n",
}


@pytest.mark.parametrize(("encoding", "line"), UNFAITHFUL.items(), ids=UNFAITHFUL)
def test_a_file_whose_encoding_would_rewrite_it_is_linted_and_left_as_it_is(
    project: Path, encoding: str, line: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    content = f"# coding: {encoding}\n".encode() + line + BROKEN.encode()
    (project / "train.py").write_bytes(content)

    status = main(FIX)

    out, err = capsys.readouterr()
    assert (project / "train.py").read_bytes() == content
    assert "ZG002 unused-ignore" in out
    assert err.splitlines()[0] == (
        f"zerograd: train.py is left as it is: its declared encoding, {encoding}, spells text in "
        "ways that a repair would not keep; save it as UTF-8"
    )
    assert status == 2


@pytest.mark.parametrize(
    ("encoding", "line"),
    [
        ("latin-1", b"x = '\xe9'\n"),
        ("cp1252", b"x = '\x80'\n"),
        ("shift_jis", b"x = '\x83\x5c'\n"),
        ("euc_jp", b"x = '\xa4\xa2'\n"),
        ("raw_unicode_escape", b"x = 1\n"),
        ("ascii", b""),
    ],
)
def test_a_file_in_an_encoding_that_keeps_its_bytes_is_repaired(
    project: Path, encoding: str, line: bytes
) -> None:
    head = f"# coding: {encoding}\n".encode() + line
    (project / "train.py").write_bytes(head + BROKEN.encode())

    status = main(FIX)

    assert (project / "train.py").read_bytes() == head + REPAIRED.encode()
    assert status == 0


def test_a_difference_that_cannot_be_written_is_not_shown_either(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text("# coding: unicode_escape\n" + BROKEN)

    status = main(["lint", "--diff"])

    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("zerograd: train.py is left as it is: ")
    assert "would repair" not in err
    assert status == 2


@pytest.mark.parametrize("encoding", ["punycode", "idna"])
def test_an_encoding_of_host_names_is_refused_before_it_takes_hours(
    project: Path, encoding: str, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = b"loss.backward()" + b"a" * 400_000 + b"-" + b"b" * 400_000
    (project / "train.py").write_bytes(f"# coding: {encoding}\n".encode() + slow)

    status = main(["lint", "train.py", "--no-fix", "--format", "concise"])

    assert capsys.readouterr().out == (
        f"train.py:1:1: ZG004 unreadable-file: this file declares {encoding}, which is no encoding "
        "of programs\n"
    )
    assert status == 2
