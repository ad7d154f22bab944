"""How long a learning-rate schedule is, and whether that is counted in micro-batches."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from zerograd.watch.parsing import last_name, tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.hooks import Source
    from zerograd.watch.feeds import Feeds

LENGTHS = ("total_steps", "T_max", "total_iters")
"""What torch's schedulers call it."""

KEYWORD = "num_training_steps"
"""What the schedules of Transformers call it, which are functions for `LambdaLR`."""

MAKER = re.compile(r"LR$|[Ss]chedule")
PRODUCT = re.compile(r"(?<!\*)\*(?!\*)")
DEEPEST = 3
"""So many names that stand for one another are looked through."""


class Schedules:
    """Each scheduler, asked once it is known what feeds."""

    def __init__(self) -> None:
        self._planned: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()

    def is_planned(self, scheduler: Any, feeds: Feeds, place: Source) -> bool:
        """Whether a schedule is as long as whole epochs, counted in micro-batches.

        Then it is right to advance at each of them. One that is counted in steps can have such a
        length by chance: whoever cannot know does not accuse.
        """
        known = self._planned.get(scheduler)
        if known is None:
            known = _counts_batches(place.line.path) or (
                feeds.known and _fits(_length(scheduler), feeds.length())
            )
            if known or feeds.known:
                self._planned[scheduler] = known
        return known


def _fits(steps: int | None, batches: int | None) -> bool:
    return bool(steps and batches and steps % batches == 0)


def _length(scheduler: Any) -> int | None:
    parts = getattr(scheduler, "_schedulers", None)
    milestones = getattr(scheduler, "_milestones", None)
    if parts and milestones:  # one after the other, as a warm-up and what follows it
        last = _length(parts[-1])
        return None if last is None else milestones[-1] + last
    functions = getattr(scheduler, "lr_lambdas", ())
    found = [getattr(scheduler, name, None) for name in LENGTHS]
    found += [getattr(function, "keywords", {}).get(KEYWORD) for function in functions]
    return next((length for length in found if isinstance(length, int)), None)


@lru_cache(maxsize=64)
def _counts_batches(path: str) -> bool:
    """Whether a file computes a length as `len(batches) * epochs`, with nothing divided."""
    try:
        lengths = list(_lengths_in(path))
    except RecursionError:  # an expression deeper than Python can spell
        return False
    return any(
        "len(" in one and "epoch" in one and PRODUCT.search(one) and "/" not in one
        for one in lengths
    )


def _lengths_in(path: str) -> Iterator[str]:
    """Yield the arguments of what makes schedulers, as they are spelled."""
    tree = tree_of(path)
    nodes = [] if tree is None else list(ast.walk(tree))
    meanings = {
        node.targets[0].id: node.value
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in nodes:
        if isinstance(node, ast.Call) and MAKER.search(last_name(node.func)):
            for given in (*node.args, *(one.value for one in node.keywords)):
                yield _spelled(given, meanings, DEEPEST).lower()


def _spelled(node: ast.expr, meanings: dict[str, ast.expr], deep: int) -> str:
    """Return an expression with what its names stand for, as far as the file says."""
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} & meanings.keys()
    known = [meanings[name] for name in sorted(names) if deep]
    return " ".join([ast.unparse(node), *(_spelled(one, meanings, deep - 1) for one in known)])
