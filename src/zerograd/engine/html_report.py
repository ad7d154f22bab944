"""Writes an engine's HTML report."""

from __future__ import annotations

import sys
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.atomic import write_atomically
from zerograd.engine.describe import described
from zerograd.errors import ArgumentError, UnreadableError
from zerograd.findings import Reach, Results
from zerograd.reports import View, find_report

if TYPE_CHECKING:
    from zerograd.engine.recording import Recording
    from zerograd.engine.window_keeper import WindowKeeper


def write_report(
    keeper: WindowKeeper, recording: Recording | None, path: str | PathLike[str]
) -> None:
    """Write what was recorded so far as one HTML file."""
    if recording is None:
        raise ArgumentError(
            "nothing was recorded; write zerograd.Gradients(..., record=True) to have a report"
        )
    results = Results(
        verb="engine",
        findings=(),
        reach=Reach(thing="step", seen=keeper.windows, checked=keeper.windows),
        notes=(described(keeper),),
        history=recording.history(),
    )
    text = "".join(find_report("html").render(results, View(title="".join(sys.argv[:1]))))
    try:
        write_atomically(Path(fspath(path)), text.encode())
    except UnreadableError as error:
        raise UnreadableError(f"{error}; name a file in a folder that can be written") from error
