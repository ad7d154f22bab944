"""The page: head, findings, ledger, plots and parameters, put together by the template."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from zerograd import __version__
from zerograd.printable import sentence
from zerograd.record import record
from zerograd.reports import words
from zerograd.reports.html.cards import cards_of
from zerograd.reports.html.charts import plotly_packed
from zerograd.reports.html.embedding import embedded, ticked
from zerograd.reports.html.ledger import ledger_data
from zerograd.reports.html.policy import hash_of, policy
from zerograd.reports.html.tree import tree_of
from zerograd.reports.html.verdict import facts_of, unseen, verdict_of
from zerograd.reports.json import document

if TYPE_CHECKING:
    from zerograd.findings import Results
    from zerograd.reports.formats import View

ASSETS = Path(__file__).parent / "assets"

SCRIPTS = ("page.js", "ledger.js", "plots.js")
"""In the order in which they run; each says at its top what it does."""


@record(frozen=True)
class Script:
    """A script of ours, and the hash by which the page's own policy lets it run."""

    text: Markup
    hash: str


def page(results: Results, view: View) -> str:
    """Return the whole document."""
    cards = cards_of(results.findings, view)
    ledger = ledger_data(results.history, {finding.rule.name for finding in results.findings})
    # Without a run there is nothing to plot, and the file stays small.
    plotly = plotly_packed() if ledger else None
    names = [*(SCRIPTS if ledger else ("page.js",)), *(("live.js",) if view.live else ())]
    scripts = [script(name) for name in names]
    hashes = [one.hash for one in scripts] + ([plotly.hash] if plotly else [])
    return template().render(
        verdict=verdict_of(results),
        title=sentence(view.title) or f"zerograd {results.verb}",
        # One finding names its own command.
        repairs=words.repairs(results.findings).strip() if len(cards) > 1 else "",
        facts=facts_of(results, view),
        unseen=unseen(results),
        cards=cards,
        framed=sum(card.is_framed for card in cards),
        document=embedded(document(results)),
        ledger=embedded(ledger) if ledger else None,
        plotly=plotly,
        tree=tree_of(results.history),
        styles=Markup((ASSETS / "page.css").read_text("utf-8")),  # our own file
        scripts=scripts,
        policy=policy(hashes, live=bool(view.live)),
        live=view.live,
        version=__version__,
        verb=results.verb,
    )


def script(name: str) -> Script:
    """Return one of our scripts."""
    text = (ASSETS / name).read_text("utf-8")
    return Script(Markup(text), hash_of(text))  # our own file


@cache
def template() -> Template:
    """Return the template; everything that it prints is escaped unless it is our own file."""
    environment = Environment(
        loader=FileSystemLoader(ASSETS),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["ticked"] = ticked
    return environment.get_template("page.html")
