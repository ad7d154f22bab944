"""A fingerprint survives what does not change a fault, and nothing else."""

from __future__ import annotations

import doctest
import sys

from zerograd.findings import fingerprint

KNOWN = fingerprint("ZG101", "train.py", "train", "loss.backward()")


def test_the_example_in_its_docstring_holds() -> None:
    examples = doctest.testmod(sys.modules[fingerprint.__module__])

    assert examples.attempted > 0
    assert examples.failed == 0


def test_white_space_in_the_statement_does_not_change_it() -> None:
    assert fingerprint("ZG101", "train.py", "train", "  loss.backward()\n") == KNOWN


def test_each_part_changes_it() -> None:
    others = {
        fingerprint("ZG102", "train.py", "train", "loss.backward()"),
        fingerprint("ZG101", "other.py", "train", "loss.backward()"),
        fingerprint("ZG101", "train.py", "Trainer.train", "loss.backward()"),
        fingerprint("ZG101", "train.py", "train", "total.backward()"),
        fingerprint("ZG101", "train.py", "train", "loss.backward()", ordinal=1),
    }

    assert len(others | {KNOWN}) == 6


def test_a_path_that_is_no_unicode_has_one_too() -> None:
    assert len(fingerprint("ZG101", "\udcff.py", "", "x")) == 16
