"""What the words of a name suggest: the one matcher, by words and not by letters.

Names are a guess, and a guess may silence or explain a finding, never make one. A guess by letters
is worse than none: `ema` is in `remap`, `out` in `router`, `arg` in `target`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

DISTINCTIVE = 5
"""Letters from which on a word is looked for inside of others too: `accum` in `gradaccumsteps`."""

_NAME = re.compile(r"[^\W\d]\w*")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def words(name: str) -> list[str]:
    """Return the lower-case words of the last part of a dotted name.

    >>> words("self.optimizerD_list"), words("GradScaler2")
    (['optimizer', 'd', 'list'], ['grad', 'scaler'])
    """
    last = name.rpartition(".")[2]
    spaced = _HUMP.sub("_", last)
    return [word.rstrip("0123456789") for word in spaced.lower().split("_") if word]


def has_word(text: str, listed: Iterable[str]) -> bool:
    """Tell whether a name, or one of the names in some source, has one of these words.

    A listed word begins or ends a word of the name; one of five letters or more may also
    stand inside of it, and one with a `_` spans several.

    >>> has_word("gen_loss", ["loss"]), has_word("lossG", ["loss"]), has_word("gloss", ["loss"])
    (True, True, True)
    >>> has_word("router", ("out",)), has_word("args.gradAccSteps", ("grad_acc",))
    (False, True)
    """
    spaced = _spaced(text)
    return any(
        word in spaced if len(word) >= DISTINCTIVE else f"_{word}" in spaced or f"{word}_" in spaced
        for word in listed
    )


@lru_cache(maxsize=4096)
def _spaced(text: str) -> str:
    """`args.gradAccSteps > 1` -> `_grad_acc_steps_`, with `_args_` before it."""
    found = [word for name in _NAME.findall(text) for word in words(name)]
    return f"_{'_'.join(found)}_"
