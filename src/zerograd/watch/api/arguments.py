"""Check the arguments of `zerograd.watch(...)` and start to watch."""

from __future__ import annotations

from importlib.util import find_spec
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.errors import MissingDependencyError
from zerograd.history.tracker import refuse_no_tracker
from zerograd.settings import load_settings
from zerograd.system import here

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zerograd.history import Tracker
    from zerograd.watch.api.watching import Watching


def begin(
    lists: Mapping[str, str | Iterable[str]],
    choices: Mapping[str, object],
    *,
    strict: bool,
    fail_fast: bool,
    output: str | PathLike[str] | None,
    html: str | PathLike[str] | None,
    quiet: bool,
    report: bool,
    track: Tracker | None,
    config: str | PathLike[str] | None,
    isolated: bool,
) -> Watching:
    """Check the choices and start to listen."""
    if find_spec("torch") is None:
        raise MissingDependencyError("zerograd.watch() needs PyTorch; pip install torch")
    refuse_no_tracker(track)
    # Imported here: these load torch, and the sentence above must come first.
    from zerograd.watch.api import notebook_cells as cells
    from zerograd.watch.api.watching import Watching
    from zerograd.watch.process import child
    from zerograd.watch.report.console_report import ConsoleReport, NoReport

    settings = load_settings(
        here(),
        config=None if config is None else Path(config),
        isolated=isolated,
        command_line={key: named(rules) for key, rules in lists.items()} | {**choices},
    )
    # Under `zerograd watch` the journal already says what this process finds.
    file, drawn = (None if path is None else Path(fspath(path)) for path in (output, html))
    speaks = not child.is_reported() and (report or file is not None or drawn is not None)
    teller = (
        ConsoleReport(settings.format, file, quiet=quiet, html=drawn, silent=not report)
        if speaks
        else NoReport()
    )
    record = speaks and (html is not None or settings.format == "html")
    watching = Watching(
        settings, teller, strict=strict, fail_fast=fail_fast, record=record, track=track
    )
    watching.start()
    cells.report_after_each()
    return watching


def named(rules: str | Iterable[str]) -> tuple[str, ...]:
    """Return the rules that are named; a text may hold several, separated by commas.

    >>> named("missing-zero, ZG2")
    ('missing-zero', 'ZG2')
    """
    return tuple(item.strip() for item in (rules.split(",") if isinstance(rules, str) else rules))
