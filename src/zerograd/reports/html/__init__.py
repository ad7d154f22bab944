"""`html`: one file for the browser that opens offline and shows a run at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.errors import MissingDependencyError

try:
    import jinja2  # noqa: F401  asked for here, so that a missing one is a sentence before the run
except ModuleNotFoundError as error:
    raise MissingDependencyError(
        "the HTML report needs jinja2 and plotly; pip install 'zerograd[report]'"
    ) from error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings import Results
    from zerograd.reports.formats import View

HAS_SUMMARY = False


def render(results: Results, view: View) -> Iterator[str]:
    """Yield one document."""
    from zerograd.reports.html.page import page

    yield page(results, view)
