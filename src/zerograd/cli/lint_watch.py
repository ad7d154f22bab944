"""`zerograd lint --watch`: lint, wait until a file changes, lint again."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from zerograd.cli.lint_task import STDIN, settings_of
from zerograd.errors import SettingsError
from zerograd.lint.program.import_lines import files_below, holds_home
from zerograd.lint.shell.files.find import find_files
from zerograd.lint.shell.files.root import project_root
from zerograd.printable import say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Stamps = dict[str, tuple[int, ...]]

BETWEEN_LOOKS = 0.5
"""Seconds."""

REST = 9
"""Times as long as a look took, until the next: a large tree is looked at less often."""

NOT_TOGETHER = ("fix", "diff", "add_ignores", "write_baseline", "why_silent", "show_settings")


def lint_until_interrupted(
    paths: tuple[Path, ...],
    options: Mapping[str, Any],
    lint: Callable[[tuple[Path, ...], Mapping[str, Any]], int],
) -> NoReturn:
    """Lint again and again; only Ctrl-C ends it."""
    refuse(paths, options)
    paths, options = paths or (Path(),), only_reporting(options)
    while True:
        before = stamps(paths, options)
        try:
            lint(paths, options)
        except SettingsError as error:
            say(str(error))
        say("waiting for a change; Ctrl-C ends it")
        sys.stdout.flush()
        wait_for_change(paths, options, before)


def only_reporting(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options without the settings' word that files are repaired: each save would."""
    return {**options, "fix": False}


def refuse(paths: tuple[Path, ...], options: Mapping[str, Any]) -> None:
    """Refuse what is done once, and what nobody can change."""
    others = [name for name in NOT_TOGETHER if options[name]]
    if others:
        raise click.UsageError(f"--watch only reports; leave out --{others[0].replace('_', '-')}")
    if STDIN in paths:
        raise click.UsageError("--watch looks at files; standard input is none")


def wait_for_change(paths: tuple[Path, ...], options: Mapping[str, Any], before: Stamps) -> None:
    """Return once the files differ from what they were."""
    while True:
        begun = time.perf_counter()
        if stamps(paths, options) != before:
            return
        time.sleep(max(BETWEEN_LOOKS, REST * (time.perf_counter() - begun)))


def stamps(paths: tuple[Path, ...], options: Mapping[str, Any]) -> Stamps:
    """Return the stamps of the project's files, of their settings and of the baseline.

    Also of those that are not linted: what one imports decides what is found in it.
    """
    paths = paths or (Path(),)
    try:
        settings = settings_of(paths, options)
    except SettingsError:
        # What is wrong is said once; until it is repaired there is nothing else to look at.
        return settings_files(paths)
    root = project_root(paths, settings)
    wide = [folder for folder in root.opened if holds_home(folder)]
    whole = [folder for folder in root.opened if folder not in wide]
    found = find_files((*paths, *whole), settings, root.opened)
    files = [*found.files, *(file for folder in wide for file in files_below(folder))]
    files += [str(settings.baseline)] if settings.baseline else []
    return settings_files(paths) | {path: stamp(path) for path in files}


def settings_files(paths: tuple[Path, ...]) -> Stamps:
    """Return the settings files at and above these paths and the working directory."""
    from zerograd.settings.load import PROJECT_FILES

    places = {Path.cwd(), *(path.absolute() for path in paths)}
    folders = {folder for place in places for folder in (place, *place.parents)}
    files = [str(folder / name) for folder in folders for name in PROJECT_FILES]
    return {file: stamp(file) for file in files}


def stamp(path: str) -> tuple[int, ...]:
    """Return the time, size and number of a file; of one that is gone, nothing."""
    try:
        status = os.stat(path)  # noqa: PTH116  for tens of thousands of files
    except OSError:
        return ()
    # The number: a file that is moved here brings its own time along.
    return (status.st_mtime_ns, status.st_size, status.st_ino)
