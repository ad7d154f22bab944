"""The user's choices: [tool.zerograd] or zerograd.toml, and the command line over it."""

from zerograd.settings.globs import covers
from zerograd.settings.load import load_settings
from zerograd.settings.selection import excluded, ignored_in, selected
from zerograd.settings.settings import FORMATS, Knowledge, Settings

__all__ = [
    "FORMATS",
    "Knowledge",
    "Settings",
    "covers",
    "excluded",
    "ignored_in",
    "load_settings",
    "selected",
]
