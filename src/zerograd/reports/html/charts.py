"""plotly.js, packed: the plots' own library inside the page, a third of its size."""

from __future__ import annotations

import gzip
from base64 import b64encode
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from zerograd.record import record
from zerograd.reports.html.policy import hash_of


@record(frozen=True)
class Packed:
    """The library as the page carries it."""

    text: str
    """gzip, in base64: the page unpacks it when it draws its first plot."""

    hash: str
    """Of the unpacked library."""


@cache
def plotly_packed() -> Packed:
    """Return the library that the installed plotly brings along."""
    # Found, not imported: plotly's Python half takes a second and is not needed.
    found = find_spec("plotly")
    assert found is not None
    assert found.origin is not None
    library = (Path(found.origin).parent / "package_data" / "plotly.min.js").read_text("utf-8")
    packed = gzip.compress(library.encode(), compresslevel=9, mtime=0)
    return Packed(b64encode(packed).decode(), hash_of(library))
