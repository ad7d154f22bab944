"""The small program: it is copied to the name of each program that starts warm.

It asks the server for what it was called as, and ends as that ended.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys

FOLDER, NAME = os.path.split(__file__)


def main() -> None:
    """Be a process that another one computes for."""
    arguments = [*(() if NAME == "python" else ("-m", NAME)), *sys.argv[1:]]
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in {"-u", "-m", "-c"}):
        os.execv(sys.executable, [sys.executable, *arguments])  # options are for a new interpreter
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(f"{FOLDER}/socket")
        here = os.getcwd()  # noqa: PTH109  `pathlib` alone takes as long to import as all of this
        asked = json.dumps([arguments, here, dict(os.environ), os.getppid()]).encode()
        socket.send_fds(line, [len(asked).to_bytes(8, "big")], [0, 1, 2])
        line.sendall(asked)
        answers = line.makefile()
        process = int(answers.readline())
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _: os.kill(process, number))
        status = int(answers.readline())
    end(status)


def end(status: int) -> None:
    """End by the signal that ended the other process, or with its status."""
    if status < 0:
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


if __name__ == "__main__":
    main()
