"""`zerograd server`: the language server, which editors start."""

from __future__ import annotations

from importlib.util import find_spec

import click

from zerograd.errors import MissingDependencyError

HELP = """Serve findings to an editor, which starts this command and talks to it.

The language server protocol on standard input and output: findings while you type, repairs, the
pages of rules. docs/editors.md has the lines for Neovim, Helix, Emacs, Sublime Text, PyCharm and
Visual Studio Code. It needs pygls: pip install 'zerograd[lsp]'.

\b
Examples:
  zerograd server

Exit status: 0 after the editor's `shutdown`, 1 if it went away without.
"""


@click.command("server", help=HELP, short_help="serve findings to an editor")
@click.option("--stdio", is_flag=True, help="Accepted: standard input and output it always is.")
def command(stdio: bool) -> int:
    """Serve until the editor ends it."""
    del stdio
    if find_spec("pygls") is None:
        raise MissingDependencyError("the language server needs pygls; pip install 'zerograd[lsp]'")
    # Imported here: only this verb needs it.
    from zerograd.server.features import serve

    return serve()
