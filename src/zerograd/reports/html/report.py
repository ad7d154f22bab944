"""`html`: one file for the browser that opens offline and shows a run at a glance."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from zerograd.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings import Results
    from zerograd.reports.formats import View

HAS_SUMMARY = False

# Asked for here, so that a missing one is a sentence before a long run, not after it.
if find_spec("jinja2") is None or find_spec("plotly") is None:
    raise MissingDependencyError(
        "the HTML report needs jinja2 and plotly; pip install jinja2 plotly"
    )


def render(results: Results, view: View) -> Iterator[str]:
    """Yield one document."""
    from zerograd.reports.html.page import page

    yield page(results, view)
