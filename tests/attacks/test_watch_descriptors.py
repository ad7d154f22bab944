"""Watch holds no descriptor that a program could close, and writes into no file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warm_python import warm_python
from watched_programs import FAULT, TRAINING, bare, watch

if TYPE_CHECKING:
    from pathlib import Path

CLOSING = (
    TRAINING
    + """
train(2)
os.closerange(3, 256)
own = [os.open(f"own{number}.bin", os.O_RDWR | os.O_CREAT) for number in range(8)]
train(20)
print("descriptors", own)
"""
)

# What a daemon does that forgets to give its streams a new place: file 2 is now its own.
WITHOUT_STREAMS = (
    TRAINING
    + """
os.closerange(0, 256)
own = [os.open(f"own{number}.bin", os.O_RDWR | os.O_CREAT) for number in range(8)]
train(20)
os._exit(0)
"""
)

LAST_DESCRIPTORS = (
    TRAINING
    + """
import resource
train(2)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
taken = []
try:
    while True:
        taken.append(os.open("own0.bin", os.O_RDWR | os.O_CREAT))
except OSError:
    pass
train(20)
for one in taken:
    os.close(one)
"""
)


def own_files(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in sorted(folder.glob("own*.bin"))]


def test_a_program_that_closes_descriptors_keeps_its_files_to_itself(tmp_path: Path) -> None:
    alone = bare(tmp_path, CLOSING, python=warm_python())
    run = watch(tmp_path, CLOSING, "-q", "--strict", python=warm_python())

    assert own_files(tmp_path) == [b""] * 8
    assert run.returncode == 1
    assert run.stdout.startswith(alone.stdout)
    assert FAULT in run.stdout
    assert "= happened: 20 times, " in run.stdout


def test_what_took_the_place_of_stderr_is_not_written_to(tmp_path: Path) -> None:
    run = watch(tmp_path, WITHOUT_STREAMS, "--strict", python=warm_python())

    assert own_files(tmp_path) == [b""] * 8
    assert run.returncode == 1
    assert FAULT in run.stdout


def test_a_program_without_a_free_descriptor_loses_no_finding(tmp_path: Path) -> None:
    run = watch(tmp_path, LAST_DESCRIPTORS, "-q", "--strict", python=warm_python())

    assert run.returncode == 1
    assert run.stderr == ""
    assert "= happened: 20 times, " in run.stdout
