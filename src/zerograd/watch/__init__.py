"""See every gradient fault of a run as it happens: `zerograd.watch()` and `zerograd watch`.

`zerograd.watch` is this package and a verb at once: the package itself can be called.
"""

from __future__ import annotations

import sys
import types

# What type checkers take for true. Watched processes import this before anything of their own.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from zerograd.history import Tracker
    from zerograd.watch.api.watching import Watching

__all__ = ["watch"]


def watch(
    *,
    select: str | Iterable[str] = (),
    extend_select: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    hints: bool | None = None,
    preview: bool | None = None,
    strict: bool = False,
    fail_fast: bool = False,
    format: str | None = None,  # noqa: A002  the option's name on the command line
    output: str | PathLike[str] | None = None,
    html: str | PathLike[str] | None = None,
    quiet: bool = False,
    report: bool = True,
    track: Tracker | None = None,
    config: str | PathLike[str] | None = None,
    isolated: bool = False,
) -> Watching:
    """Watch this process from now on: until `.stop()`, the end of a `with`, or of the program.

    The options are those of `zerograd watch`, over [tool.zerograd]. `strict` raises FaultError
    at the end when something was found; `quiet` says nothing while the code runs and nothing
    when nothing was found; `report=False` says nothing at all: read `.findings`. `html` draws the
    run in one file; `track` is called with a step and a dict of scalars, as experiment trackers
    want them.
    """
    from zerograd.watch.api.arguments import begin

    return begin(
        {"select": select, "extend-select": extend_select, "ignore": ignore},
        {"hints": hints, "preview": preview, "format": format},
        strict=strict,
        fail_fast=fail_fast,
        output=output,
        html=html,
        quiet=quiet,
        report=report,
        track=track,
        config=config,
        isolated=isolated,
    )


class _Verb(types.ModuleType):
    """A module that can be called: importing a submodule sets `zerograd.watch` to the module."""

    __call__ = staticmethod(watch)


sys.modules[__name__].__class__ = _Verb
