"""Whether a file computes the length of a learning-rate schedule in micro-batches."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from zerograd.source.parsing import last_name, spelled, tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator

MAKER = re.compile(r"LR$|[Ss]chedule")
PRODUCT = re.compile(r"(?<!\*)\*(?!\*)")
DEEPEST = 3
"""So many assignments of one name to another are followed."""


@lru_cache(maxsize=64)
def counts_batches(path: str) -> bool:
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
    """Return an expression with the values of its names, as far as the file assigns them."""
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} & meanings.keys()
    known = [meanings[name] for name in sorted(names) if deep]
    return " ".join([spelled(node), *(_spelled(one, meanings, deep - 1) for one in known)])
