"""Which files can hold a training loop at all, decided on bytes before anything is parsed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zerograd.lint.program.event_words import EVENT_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

# A search for a plain substring is ten times faster than one for a pattern, and most files of a
# large tree are dismissed when they have none of these eight.
TELLING = tuple(
    item.file.encode() for item in EVENT_WORDS if item.file and not (item.family or item.closer)
)
"""Words that are enough by themselves."""

FAMILIES: Mapping[bytes, tuple[bytes, ...]] = {
    family.encode(): tuple(
        item.file.encode() for item in EVENT_WORDS if item.family == family and not item.closer
    )
    for family in dict.fromkeys(item.family for item in EVENT_WORDS if item.family)
}
"""What other words have in common, and what must be there besides."""

SPELLINGS: Mapping[bytes, bytes] = {
    item.file.encode(): item.closer.encode() for item in EVENT_WORDS if item.closer
}
"""`.grad`, and a construction after `from torch import optim`: with the pattern that decides."""

OTHER_BACKWARD = rb"(?<![\w.])(?<!def )(?:\w+\.)*(?!\w*save_for_)\w*_backward\("
"""`self.manual_backward(loss)`; not what an autograd function defines and saves for later."""

FOREIGN = (
    rb"(?m)^[^\S\n]*+(?:import|from)\s+"
    rb"(?:mxnet|paddle|mindspore|chainer|jittor|oneflow|tinygrad|warp)\b"
)
"""Frameworks with the same words and other laws."""


def is_candidate(content: bytes) -> bool:
    """Tell whether a file may contain something that lint judges."""
    return has_word(content) and (b"torch" in content or not re.search(FOREIGN, content))


def may_run_candidates(content: bytes) -> bool:
    """Tell whether a file may run what a candidate defines."""
    return b"torch" in content or is_candidate(content)


def has_word(content: bytes) -> bool:
    """Tell whether one of the words is there."""
    if any(word in content for word in TELLING):
        return True
    families = [words for family, words in FAMILIES.items() if family in content]
    if any(word in content for words in families for word in words):
        return True
    return bool(families) and (has_spelling(content) or has_other_backward(content))


def has_spelling(content: bytes) -> bool:
    """Tell whether one of the words is there that need a closer look."""
    return any(
        word in content and re.search(pattern, content) for word, pattern in SPELLINGS.items()
    )


def has_other_backward(content: bytes) -> bool:
    """Tell whether a loss goes backward by another name than `backward`."""
    if b"_backward(" not in content or not (b"loss" in content or b"optim" in content):
        return False
    return re.search(OTHER_BACKWARD, content) is not None
