"""A Python that has imported torch already: a process that uses it starts in 0.1 s instead of 4.

`warm_bin()` is a folder with `python`, `zerograd` and `pytest`, to be put first on a PATH, and
`warm_python()` the first of them. Each is a small program that hands its arguments, its environment
and its three streams to one server per pytest worker. The server forks; the fork becomes
what was asked for, and its status becomes that of the small program.

What it does not do as a new Python does: import torch after zerograd (the hooks that wait for torch
find it there), end by tearing down the interpreter, have a process group with its starter.
Tests of just these, of signals and of `exec` start a real Python.
"""

from __future__ import annotations

import atexit
import functools
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

SERVER = Path(__file__).with_name("warm_server.py")
CLIENT = Path(__file__).with_name("warm_client.py")
PROGRAMS = ("python", "zerograd", "pytest")


@functools.cache
def warm_bin() -> Path:
    """Start the server, once per worker, and return the folder of programs that use it."""
    # Not among the temporary files of the test that happens to be the first to ask.
    folder = Path(tempfile.mkdtemp(prefix="zerograd-warm-", dir="/tmp"))
    for name in PROGRAMS:
        program = folder / name
        # Without site and the environment: it starts in 20 ms.
        program.write_text(f"#!{sys.executable} -IS\n{CLIENT.read_text('utf-8')}")
        program.chmod(0o755)
    server = subprocess.Popen(
        [sys.executable, str(SERVER), str(folder / "socket"), str(folder / "python")],
        stdout=subprocess.PIPE,
        # A worker's own Ctrl-C is not the server's: it ends when the worker does.
        process_group=0,
    )
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(server.send_signal, signal.SIGTERM)
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    return folder


def warm_python() -> str:
    """Return the path of a Python that starts warm."""
    return str(warm_bin() / "python")
