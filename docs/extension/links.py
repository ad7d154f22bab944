"""Names of rules in the prose become links: `missing-zero`, `ZG101`, `zerograd explain adam`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from sphinx import addnodes

from zerograd.rules import CATALOGUE
from zerograd.rules.questions import topics

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PLACES = {
    **{rule.code: f"rules/{rule.name}" for rule in CATALOGUE},
    **{rule.name: f"rules/{rule.name}" for rule in CATALOGUE},
    **{f"zerograd explain {rule.name}": f"rules/{rule.name}" for rule in CATALOGUE},
    **{f"zerograd explain {topic}": f"questions/{topic}" for topic in topics()},
    "zerograd explain": "questions/index",
    "zerograd rules": "rules/index",
}


def link_names(app: Sphinx, doctree: nodes.document) -> None:
    """Let every name lead to its page, except on that page itself."""
    here = app.env.docname
    for literal in list(doctree.findall(nodes.literal)):
        place = PLACES.get(literal.astext())
        if place and place != here and not is_inside(literal, nodes.reference, nodes.title):
            literal.replace_self(linked(literal, place, here))


def is_inside(node: nodes.Node, *kinds: type[nodes.Node]) -> bool:
    """Tell whether a node lies in one of these already."""
    while node is not None:
        if isinstance(node, (*kinds, addnodes.pending_xref)):
            return True
        node = node.parent
    return False


def linked(literal: nodes.literal, place: str, here: str) -> nodes.Node:
    """Return the literal as a link, which sphinx resolves when all pages are read."""
    target = {"refdomain": "std", "reftype": "doc", "reftarget": f"/{place}", "refdoc": here}
    return addnodes.pending_xref("", literal.deepcopy(), refexplicit=True, refwarn=True, **target)
