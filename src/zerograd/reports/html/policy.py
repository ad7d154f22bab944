"""What the browser may do with the page: run our own scripts, draw, and ask nobody."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def policy(scripts: Iterable[str], *, live: bool = False) -> str:
    """Return the Content-Security-Policy of a page with these scripts, named by their hashes."""
    allowed = " ".join(f"'{one}'" for one in scripts)
    asks = "connect-src 'self'; " if live else ""
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        f"img-src data: blob:; {asks}base-uri 'none'; form-action 'none'"
    )


def hash_of(script: str) -> str:
    """Return a script's hash as a policy spells it."""
    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"
