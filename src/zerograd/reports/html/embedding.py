"""Data inside a page: JSON that no browser can take for markup, whatever the user's strings say."""

from __future__ import annotations

from json import dumps
from typing import Any

from markupsafe import Markup, escape

# In a script element only `<` matters; the others are for whoever copies it somewhere else.
DANGEROUS = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


def ticked(text: str) -> Markup:
    """Return a sentence with what stands in backticks as code; everything else is escaped.

    >>> print(ticked("call `zero_grad()` <first>"))
    call <code>zero_grad()</code> &lt;first&gt;
    """
    parts = escape(text).split("`")
    if len(parts) % 2 == 0:  # one of them is the user's own
        return escape(text)
    code = Markup("<code>{}</code>")
    return Markup("").join(code.format(part) if at % 2 else part for at, part in enumerate(parts))


def embedded(data: Any) -> Markup:
    r"""Return data as the text of `<script type="application/json">`; pure ASCII.

    >>> print(embedded({"name": "</script><b>"}))
    {"name":"\u003c/script\u003e\u003cb\u003e"}
    """
    text = dumps(data, separators=(",", ":"), allow_nan=False)
    return Markup(text.translate(DANGEROUS))  # escaped on this line
