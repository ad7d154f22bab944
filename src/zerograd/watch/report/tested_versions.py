"""The versions of torch that are tested: those with a row in docs/compatibility.md."""

from __future__ import annotations

# `make compat` writes this line with its row.
TESTED = ("2.5", "2.6", "2.7", "2.8", "2.9", "2.10", "2.11", "2.12", "2.13", "2.14", "2.15")


def untested(version: str) -> str | None:
    """Return the sentence about a version of torch that nobody tried, if it is one.

    >>> untested("2.15.1+cpu")
    >>> untested("2.1.0").partition(" (")[0]
    'torch 2.1.0 was not tested with zerograd'
    """
    if ".".join(version.split(".")[:2]) in TESTED:
        return None
    return (
        f"torch {version} was not tested with zerograd ({', '.join(TESTED)} were); "
        "findings may be missing or wrong"
    )
