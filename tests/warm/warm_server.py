"""The server: it imports torch once and forks for every program that is asked for."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import multiprocessing
import os
import runpy
import selectors
import signal
import socket
import sys
import threading
import types
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def serve(address: str) -> None:
    """Fork for each connection, and answer it with the process and then its status."""
    running: dict[int, socket.socket] = {}
    wake, waker = socket.socketpair()
    wake.setblocking(False)
    waker.setblocking(False)
    signal.set_wakeup_fd(waker.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    with socket.socket(socket.AF_UNIX) as door, selectors.DefaultSelector() as events:
        door.bind(address)
        door.listen(64)
        events.register(door, selectors.EVENT_READ)
        events.register(wake, selectors.EVENT_READ)
        print("ready", flush=True)
        while True:
            for event, _ in events.select():
                if event.fileobj is door:
                    line, _ = door.accept()
                    program = received(line)
                    process = os.fork()
                    if not process:
                        signal.set_wakeup_fd(-1)
                        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                        events.close()
                        for other in (door, wake, waker, line, *running.values()):
                            other.close()
                        become(program)
                    for stream in program.streams:
                        os.close(stream)
                    running[process] = line
                    line.sendall(f"{process}\n".encode())
                else:
                    with contextlib.suppress(BlockingIOError):
                        wake.recv(4096)
                    reap(running)


def reap(running: dict[int, socket.socket]) -> None:
    """Tell the clients whose processes ended how they ended."""
    with contextlib.suppress(ChildProcessError):
        while True:
            process, status = os.waitpid(-1, os.WNOHANG)
            if not process:
                return
            with contextlib.suppress(OSError), running.pop(process) as line:
                line.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


class Program(types.SimpleNamespace):
    """What a client asked for."""

    arguments: list[str]
    folder: str
    environment: dict[str, str]
    parent: int
    streams: list[int]


def received(line: socket.socket) -> Program:
    size, streams, _, _ = socket.recv_fds(line, 8, 3)
    length, asked = int.from_bytes(size, "big"), b""
    while len(asked) < length:
        asked += line.recv(length - len(asked))
    names = ("arguments", "folder", "environment", "parent")
    return Program(**dict(zip(names, json.loads(asked), strict=True)), streams=streams)


def become(program: Program) -> None:
    """Be the program that was asked for, and end the process as Python would."""
    for number, given in enumerate(program.streams):
        os.dup2(given, number)
        os.close(given)
    unbuffered = program.arguments[0] == "-u"  # as torchrun starts its ranks
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    for name, number, errors in (("stdout", 1, "strict"), ("stderr", 2, "backslashreplace")):
        at_once = name == "stderr" or os.isatty(number)
        stream = open(number, "w", encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
        stream.reconfigure(line_buffering=at_once, write_through=unbuffered)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    os.environ.clear()
    os.environ.update(program.environment)
    os.chdir(program.folder)
    # Where a spawned process looks for the script: the folder in which it was imported.
    multiprocessing.process.ORIGINAL_DIR = program.folder  # type: ignore[attr-defined]
    # Watch knows the script by it. What this process forks has this process as its parent.
    here, real = os.getpid(), os.getppid
    os.getppid = lambda: program.parent if os.getpid() == here else real()
    paths = program.environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[0:1] = [path for path in paths if path]
    status = 1  # whatever happens, this process is not to go on as the server
    try:
        status = ran(lambda: start(program.arguments[unbuffered:]))
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        for written in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                written.flush()
    finally:
        if status < 0:
            signal.signal(-status, signal.SIG_DFL)
            os.kill(os.getpid(), -status)
        os._exit(status)


def start(arguments: list[str]) -> None:
    """Do what Python does after its own start: site's customisation, then the program."""
    with contextlib.suppress(ModuleNotFoundError):
        importlib.import_module("sitecustomize")
    first, *rest = arguments
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main
    match first:
        case "-m":
            sys.path.insert(0, str(Path.cwd()))
            sys.argv = ["-m", *rest[1:]]
            runpy._run_module_as_main(rest[0])  # type: ignore[attr-defined]
        case "-c":
            sys.path.insert(0, "")
            sys.argv = ["-c", *rest[1:]]
            exec(compile(rest[0], "<string>", "exec"), main.__dict__)
        case path:
            sys.path.insert(0, str(Path(path).resolve().parent))
            sys.argv = arguments
            main.__file__ = path
            exec(compile(Path(path).read_bytes(), path, "exec"), main.__dict__)


def ran(call: Callable[[], None]) -> int:
    """Return the status of a program, with its error told as Python tells it."""
    try:
        call()
    except SystemExit as ending:
        if ending.code is None or isinstance(ending.code, int):
            return (ending.code or 0) & 0xFF
        print(ending.code, file=sys.stderr)
        return 1
    except BaseException as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        return -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    return 0


if __name__ == "__main__":
    for name in ("numpy", "torch", "torch._dynamo"):
        importlib.import_module(name)
    multiprocessing.set_executable(sys.executable)  # it hands on more descriptors than three
    sys.executable = sys.argv[2]
    gc.freeze()
    serve(sys.argv[1])
