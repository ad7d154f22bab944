"""The `zerograd` command and its verbs."""

from __future__ import annotations

import click

from zerograd import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="zerograd")
def main() -> None:
    """Find, explain and prevent gradient-lifecycle faults in PyTorch training."""
