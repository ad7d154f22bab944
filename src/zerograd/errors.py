"""Every exception that zerograd raises on purpose.

ZerogradError
├── UnknownRuleError    a code or name that is in no catalogue
├── SettingsError       a configuration that cannot be used
├── UnreadableError     a file that cannot be read or written as asked
└── LifecycleError      an illegal move on an account, refused by the engine

Each message is a full sentence that names what happened and what to type.
"""

from __future__ import annotations


class ZerogradError(Exception):
    """What all of zerograd's own exceptions have in common."""


class UnknownRuleError(ZerogradError):
    """A code or name that is in no catalogue."""


class SettingsError(ZerogradError):
    """A configuration that cannot be used."""


class UnreadableError(ZerogradError):
    """A file that cannot be read or written as asked."""


class LifecycleError(ZerogradError):
    """An illegal move on an account, refused by the engine."""
