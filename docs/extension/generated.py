"""The directive `{generated}`: a piece of Markdown that a function writes at build time."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sphinx.util.docutils import SphinxDirective

from extension.commands import command, pytest_options
from extension.drawing import figure
from extension.moves import account_moves, scaler_moves
from extension.settings_table import settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from docutils import nodes


class Generated(SphinxDirective):  # type: ignore[misc]  # sphinx need not be installed
    """Takes the name of a piece and what it is about: `{generated} command lint`."""

    required_arguments = 1
    optional_arguments = 1
    pieces: ClassVar[dict[str, Callable[..., str]]] = {
        "account": figure,
        "account-moves": account_moves,
        "command": command,
        "pytest": pytest_options,
        "scaler-moves": scaler_moves,
        "settings": settings,
    }

    def run(self) -> list[nodes.Node]:
        """Return the piece, read as Markdown like the page around it."""
        name, *about = self.arguments
        parsed: list[nodes.Node] = self.parse_text_to_nodes(self.pieces[name](*about))
        return parsed
