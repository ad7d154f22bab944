"""The command line: `zerograd lint | watch | explain | rules`."""

from zerograd.cli.main import main

__all__ = ["main"]
