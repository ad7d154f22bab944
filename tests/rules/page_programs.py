"""Run a page's program as a user would, without paying for `import torch` each time."""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

# The fork server imports torch once and has run nothing: a child forked from the test process
# instead could inherit OpenMP's threads from an earlier test, and hang in its first large sum.
SERVER = multiprocessing.get_context("forkserver")
# `torch._dynamo` is what the first optimizer of a process imports, and it takes as long again.
SERVER.set_forkserver_preload(["torch", "torch._dynamo"])

# The programs use nothing that `make coverage` measures, and tracing them would trace torch.
os.environ.pop("COVERAGE_PROCESS_CONFIG", None)

PATIENCE = 120.0


def output_of(source: str, folder: Path) -> str:
    """Run a program as a file of its own in this folder and return what its page must say.

    That is what it printed or, if an exception stopped it, the last line of the traceback.
    """
    (folder / "program.py").write_text(source, "utf-8")
    child = SERVER.Process(target=run_in_folder, args=(folder,))
    child.start()
    child.join(PATIENCE)
    if child.is_alive():
        child.kill()
        return f"(still running after {PATIENCE:.0f} s)\n"
    printed, complaint = ((folder / name).read_text("utf-8") for name in ("stdout", "stderr"))
    return printed if child.exitcode == 0 else complaint.rstrip().rpartition("\n")[2] + "\n"


def run_in_folder(folder: Path) -> None:
    """Be the process `python program.py`, with both streams in files.

    The descriptors are redirected, not `sys.stdout`, so that spawned ranks are heard too.
    """
    import torch  # already imported by the server; the test process itself does without

    # OpenMP's threads spin while they wait: on a busy machine a tiny program takes seconds.
    torch.set_num_threads(1)
    os.environ["OMP_NUM_THREADS"] = "1"  # for ranks that the program spawns
    os.chdir(folder)
    streams: tuple[tuple[Any, str], ...] = ((sys.stdout, "stdout"), (sys.stderr, "stderr"))
    for stream, name in streams:
        file = os.open(name, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        os.dup2(file, stream.fileno())
        # A line at a time, whatever the environment says: parts of lines mix with other ranks'.
        stream.reconfigure(line_buffering=True, write_through=False)
    runpy.run_path(str(folder / "program.py"), run_name="__main__")
