"""What the shell opened for the script, `zerograd watch train.py 3>log`, is open in the script."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os, sys
opened = int(sys.argv[1])
os.write(opened, b"of the script")
for name in os.listdir("/proc/self/fd"):
    try:
        print(os.readlink(f"/proc/self/fd/{name}"))
    except OSError:
        pass  # the folder that was just listed
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="lists what is open")
def test_a_descriptor_of_the_shells_is_the_scripts_and_none_of_ours_is(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    with (tmp_path / "log").open("wb") as log:
        run = subprocess.run(
            [sys.executable, "-m", "zerograd", "watch", "-q", "train.py", str(log.fileno())],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            pass_fds=[log.fileno()],
            env=os.environ | {"TMPDIR": str(tmp_path)},
        )

    assert run.stderr == ""
    assert (tmp_path / "log").read_bytes() == b"of the script"
    files = [line for line in run.stdout.splitlines() if line.startswith(str(tmp_path))]
    assert files == [str(tmp_path / "log")]
