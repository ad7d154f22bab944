"""The rules that have no verdict here, because only one side can see what they are about.

A verdict is worth sharing where watch and lint judge the same order of events. These rules are
about something else; each is decided where it is seen, and a test keeps this list complete.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.verdict import Verdict
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Mapping

ONE_SIDED: Mapping[str, str] = MappingProxyType(
    {
        "none-grad": (
            "about `.grad` being None where a line reads it: watch sees the exception that ended "
            "the script, lint an account that is known to be None"
        ),
        "leaf-replaced": (
            "about a name that is bound to another tensor: watch reads it off an exception, lint "
            "off the assignment; no account moves"
        ),
        "tracked-update": "torch refuses it at once; lint reads the line before it runs",
        "ranks-diverge": "only watch can compare the checksums of several processes",
        "items-ignored": (
            "about a method that a Trainer calls: a run shows only the gradients that come of it, "
            "and those are unequal-micro-batches"
        ),
        "zero-in-place": "about speed: only the source shows an argument that could be left out",
        "uncalled-method": "nothing happens: only the source names a method that nobody calls",
        "unfused-optimizer": "about speed: an argument of one construction, and no event at all",
    }
)
"""By rule: why it is not a verdict on an order of events."""


def one_sided(rule: str) -> Verdict:
    """Return the verdict of who alone sees that one of these rules is broken."""
    if rule not in ONE_SIDED:
        raise LookupError(f"{rule} is judged from shared facts")
    return Verdict(rule, Severity.ERROR)
