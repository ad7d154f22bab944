"""Start ranks with torchrun, and recognise a process that is torchrun."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from zerograd.errors import ScriptError

if TYPE_CHECKING:
    from collections.abc import Sequence

MODULE = "torch.distributed.run"
HERE = "127.0.0.1"
PER_NODE = ("auto", "cpu", "gpu", "xpu")


def on_ranks(arguments: Sequence[str], ranks: str) -> list[str]:
    """Return what follows `python` to run the same on so many ranks of this machine."""
    if not ranks.isdigit() and ranks not in PER_NODE:
        raise ScriptError(f"--nproc {ranks} is no number of ranks; pass --nproc 2")
    if arguments[0] == "-":
        raise ScriptError("several ranks cannot read one script from stdin; put it into a file")
    # Port 0: the store of the ranks' meeting takes a free one itself and keeps it.
    meeting = ["--rdzv-backend", "c10d", "--rdzv-endpoint", f"{HERE}:0", "--rdzv-id", uuid4().hex]
    options = ["--nproc-per-node", ranks, "--local-addr", HERE, *meeting]
    return ["-m", MODULE, *options, *arguments]


def is_torchrun() -> bool:
    """Whether this process only starts others: the ranks train, not it."""
    given = sys.orig_argv[1:]
    return ["-m", MODULE] in [given[at : at + 2] for at in range(len(given))] or any(
        Path(argument).name == "torchrun" for argument in given[:1]
    )
