"""Every exception that zerograd raises on purpose.

ZerogradError
├── UnknownRuleError    a code or name that is in no catalogue
├── SettingsError       a configuration that cannot be used
├── MissingDependencyError  something that the user has to install
├── ScriptError         a script that cannot be run
├── FaultError          a fault that `zerograd watch --fail-fast` stops at
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


class MissingDependencyError(ZerogradError):
    """Something that the user has to install."""


class ScriptError(ZerogradError):
    """A script that cannot be run."""


class FaultError(ZerogradError):
    """A fault that `zerograd watch --fail-fast` stops at."""


class LifecycleError(ZerogradError):
    """An illegal move on an account, refused by the engine."""
