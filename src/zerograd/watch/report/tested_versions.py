"""The versions of torch that the watcher is tested with."""

from __future__ import annotations

TESTED = ("2.13",)


def untested(version: str) -> str | None:
    """Return the sentence about a version of torch that nobody tried, if it is one.

    >>> untested("2.13.1+cpu")
    >>> untested("2.1.0")
    'torch 2.1.0 was not tested with zerograd (2.13 was); findings may be missing or wrong'
    """
    if ".".join(version.split(".")[:2]) in TESTED:
        return None
    return (
        f"torch {version} was not tested with zerograd ({', '.join(TESTED)} was); "
        f"findings may be missing or wrong"
    )
