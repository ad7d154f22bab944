"""A finding's identity that survives moving lines: what a baseline remembers."""

from __future__ import annotations


def fingerprint(code: str, path: str, function: str, statement: str, ordinal: int = 0) -> str:
    """Digest a finding without its line numbers.

    `function` is the enclosing function's dotted name ("" at module level), `statement` the
    offending statement's text, and `ordinal` counts equal statements within that function.

    >>> fingerprint("ZG101", "train.py", "train", "loss.backward()  ")
    'f883d74ca937d755'
    """
    # Imported here: a run that finds nothing need not load OpenSSL.
    from hashlib import sha256

    normalised = " ".join(statement.split())
    parts = (code, path, function, normalised, str(ordinal))
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
