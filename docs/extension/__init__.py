"""What the site says from the sources themselves: rules, commands, settings, the state machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell sphinx when each part has its turn."""
    # Imported here: what writes and draws needs no sphinx, and is tested without.
    from extension import docstrings, files, generated, links, pages

    app.connect("builder-inited", pages.write)
    app.connect("autodoc-process-docstring", docstrings.prepare)
    app.connect("autodoc-process-signature", docstrings.without_misspelt)
    app.connect("doctree-read", links.link_names)
    app.connect("build-finished", files.copy)
    app.add_directive("generated", generated.Generated)
    return {"parallel_read_safe": True}
