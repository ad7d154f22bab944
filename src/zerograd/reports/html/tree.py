"""Parameters by module: which never got a gradient, and which belong to no optimizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.printable import sentence
from zerograd.record import field, record
from zerograd.reports.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zerograd.history import History, Parameter

MOST = 400
"""Rows; a tree with more is cut, and says so."""


@record()
class TreeNode:
    """A module, or a parameter at the end of a branch."""

    name: str
    trouble: str = ""
    """What is wrong with a parameter: "never got a gradient"."""

    size: int = 0
    count: int = 0
    """Parameters below it with some trouble."""

    children: dict[str, TreeNode] = field(default_factory=dict)


@record(frozen=True)
class Tree:
    """What the section says, and shows where something is wrong."""

    sentence: str
    is_calm: bool
    roots: list[TreeNode]
    left_out: int


def tree_of(history: History | None) -> Tree | None:
    """Return the tree of a run; nothing where no module was called."""
    if history is None or not history.parameters:
        return None
    troubled = [parameter for parameter in history.parameters if trouble(parameter)]
    root = TreeNode("")
    for parameter in troubled[:MOST]:
        grow(root, parameter)
    return Tree(
        words(history.parameters, len(troubled)),
        not troubled,
        list(root.children.values()),
        max(0, len(troubled) - MOST),
    )


def trouble(parameter: Parameter) -> str:
    """Return what is wrong with a parameter; a frozen one is meant to be left alone."""
    if parameter.frozen:
        return ""
    if not parameter.reached:
        return "never got a gradient" if parameter.owned else "no gradient, no optimizer"
    return "" if parameter.owned else "belongs to no optimizer"


def grow(root: TreeNode, parameter: Parameter) -> None:
    """Put a parameter at the end of its branch."""
    node = root
    for part in parameter.name.split("."):
        name = sentence(part)
        node = node.children.setdefault(name, TreeNode(name))
        node.count += 1
        node.size += parameter.size
    node.trouble = trouble(parameter)


def words(parameters: Iterable[Parameter], troubled: int) -> str:
    """Return the whole matter in a sentence."""
    every = list(parameters)
    frozen = sum(parameter.frozen for parameter in every)
    but = f" ({frozen:,} more are frozen)" if frozen else ""
    if not troubled:
        learning = plural(len(every) - frozen, "parameter")
        return f"All {learning} got gradients and belong to an optimizer{but}."
    return f"{troubled:,} of {plural(len(every), 'parameter')} will not learn{but}."
