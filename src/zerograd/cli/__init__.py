"""The command line: one module a verb, loaded when the verb is typed."""

from zerograd.cli.main import main

__all__ = ["main"]
