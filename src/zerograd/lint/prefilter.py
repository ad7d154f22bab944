"""Which files can hold a gradient's life at all, decided on bytes before anything is parsed."""

from __future__ import annotations

import re

# Searching for a plain substring is twenty times faster than for a pattern, and one of these is
# in every word below: most files of a large tree are dismissed by them.
SYLLABLES = (b"grad", b"optim", b"backward(", b"no_sync", b"training_step", b"GradScaler", b"Distr")

WORDS = (
    b".backward(",
    b"_backward(",
    b"zero_grad",
    b"clip_grad",
    b"GradScaler",
    b"no_sync",
    b"grad_sync",
    b"configure_optimizers",
    b"training_step",
    b"torch.optim",
    b"DistributedDataParallel",
)
# `.grad`, and a construction after `from torch import optim`.
SPELLINGS = re.compile(rb"\.grad\b|\boptim\.[A-Z]")

FOREIGN = re.compile(
    rb"^\s*(?:import|from)\s+(?:mxnet|paddle|mindspore|chainer|jittor|oneflow|tinygrad|warp)\b",
    re.M,
)
"""Frameworks with the same words and other laws."""


def is_candidate(content: bytes) -> bool:
    """Tell whether a file may contain something that lint judges."""
    if not any(syllable in content for syllable in SYLLABLES):
        return False
    return has_word(content) and (b"torch" in content or not FOREIGN.search(content))


def may_run_candidates(content: bytes) -> bool:
    """Tell whether a file may run what a candidate defines."""
    return b"torch" in content or is_candidate(content)


def has_word(content: bytes) -> bool:
    """Tell whether one of the words is there."""
    if any(word in content for word in WORDS):
        return True
    if b".step(" in content and b"optim" in content:
        return True
    if b".grad" not in content and b"optim." not in content:
        return False
    return SPELLINGS.search(content) is not None
