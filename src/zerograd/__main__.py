"""The `zerograd` command and `python -m zerograd`: nothing is imported from where they are run."""

import os
import sys


def main() -> int:
    """Run one command, with the working directory off the path that modules are imported from."""
    leave_working_directory_out()
    # Only now: a linted tree may hold a `click.py`.
    from zerograd.cli import main as run

    return run()


def leave_working_directory_out() -> None:
    """Drop the entries that `python -m` and a PYTHONPATH like `.` or `:/opt/lib` add.

    `os` and `sys` are part of the interpreter: no file takes their place. What Python itself
    imports before it comes here, `sitecustomize` above all, it takes from wherever PYTHONPATH says.
    """
    try:
        here = os.path.realpath(os.getcwd())  # noqa: PTH109  pathlib is a file, and not loaded yet
    except OSError:  # the working directory is gone
        return
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    sys.path[:] = [
        entry for entry in sys.path if entry and (entry == own or os.path.realpath(entry) != here)
    ]


if __name__ == "__main__":
    sys.exit(main())
