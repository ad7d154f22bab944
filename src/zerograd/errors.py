"""Every exception that zerograd raises on purpose.

ZerogradError
├── UnknownRuleError    a code or name that is in no catalogue
├── SettingsError       a configuration that cannot be used
├── MissingDependencyError  something that the user has to install
├── UnreadableError     a file that cannot be read or written as asked
├── ScriptError         a script that cannot be run
├── BrokenWatchError    a run of which watch reports nothing, because it broke itself
├── FaultError          a fault that `zerograd watch --fail-fast` stops at
├── ArgumentError       an argument that the engine cannot use (a ValueError too)
│   └── UnknownArgumentError  an argument that it does not have (a TypeError too)
├── LifecycleError      an illegal move on an account, refused by the engine
│   └── AtWorkError     a call of an engine by its own callback
├── NonFiniteError      gradients that are inf or NaN, under nonfinite="raise"
└── CheckpointError     a checkpoint that is torn, foreign or does not fit

UserWarning
└── OpenWindowWarning   an engine died with deposits that no step spent

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


class MissingDependencyError(ZerogradError):
    """Something that the user has to install."""


class ScriptError(ZerogradError):
    """A script that cannot be run."""


class BrokenWatchError(ZerogradError):
    """A run of which watch reports nothing, because it broke itself."""


class FaultError(ZerogradError):
    """A fault that `zerograd watch --fail-fast` stops at."""


class ArgumentError(ZerogradError, ValueError):
    """An argument that the engine cannot use."""


class UnknownArgumentError(ArgumentError, TypeError):
    """An argument that the engine does not have."""


class LifecycleError(ZerogradError):
    """An illegal move on an account, refused by the engine."""

    def __init__(self, message: str, *, code: str | None = None, lines: tuple[str, ...] = ()):
        super().__init__(f"{code} {message}" if code else message)
        self.code = code
        """The rule that the move breaks: `ZG103`."""

        self.lines = lines
        """Where the move was made, then where the engine last moved: `train.py:31`."""


class AtWorkError(LifecycleError):
    """A call of an engine by its own callback."""


class NonFiniteError(ZerogradError, ArithmeticError):
    """Gradients that are inf or NaN, under `nonfinite="raise"`."""


class CheckpointError(ZerogradError):
    """A checkpoint that is torn, foreign or does not fit."""


class OpenWindowWarning(UserWarning):
    """An engine died with deposits that no step spent."""
