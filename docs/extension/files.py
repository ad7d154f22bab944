"""Files that the site serves as they are: the pictures, and the schema at its own address."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import zerograd.reports

if TYPE_CHECKING:
    from sphinx.application import Sphinx

SCHEMA = Path(zerograd.reports.__file__).parent / "schema"


def copy(app: Sphinx, error: Exception | None) -> None:
    """Copy them beside the pages; sphinx does not know pictures inside of HTML."""
    if error is None and app.builder.format == "html":
        out = Path(app.outdir)
        shutil.copytree(Path(app.srcdir) / "images", out / "images", dirs_exist_ok=True)
        shutil.copytree(SCHEMA, out / "schema", dirs_exist_ok=True)
