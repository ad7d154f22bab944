"""The head of the page: one sentence about the run, and the facts beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd import __version__
from zerograd.history import Kind
from zerograd.printable import sentence
from zerograd.record import record
from zerograd.reports.words import counted_findings, plural, reach_words, unheard_words
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings import Results
    from zerograd.history import OptimizerHistory
    from zerograd.reports.formats import View

SEEN, LOOKED_AT = "seen: ", "looked at: "
"""How the console and the page begin the counts of a run."""

OPENINGS = {
    ("watch", Severity.ERROR): "This run spent wrong gradients",
    ("watch", Severity.WARNING): "This run may have spent wrong gradients",
    ("watch", Severity.HINT): "This run's gradients were in order, and could be handled better",
    ("lint", Severity.ERROR): "This code spends wrong gradients",
    ("lint", Severity.WARNING): "This code may spend wrong gradients",
    ("lint", Severity.HINT): "This code's gradients are in order, and could be handled better",
}


@record(frozen=True)
class Headline:
    """What the page says first."""

    mood: str
    """"good", "empty", or the heaviest severity."""

    sentence: str


def verdict_of(results: Results) -> Headline:
    """Return the verdict in one sentence."""
    if results.findings:
        worst = min((found.severity for found in results.findings), key=list(Severity).index)
        opening = OPENINGS[results.verb, worst]
        return Headline(worst.value, f"{opening}: {counted_findings(results.findings)}.")
    seen = results.reach.seen
    if not seen:
        return Headline("empty", f"Nothing was judged: there was no {results.reach.thing}.")
    things = plural(seen, results.reach.thing)
    if results.verb == "lint":
        return Headline("good", f"No gradient fault in {things}.")
    if results.history is not None and any(map(spent_nonfinite, results.history.lanes)):
        spent = "some spent inf or NaN" if seen > 1 else "it spent inf or NaN"
        return Headline("warning", f"No gradient fault seen in {things}; {spent}.")
    return Headline("good", f"No gradient fault seen in {things}.")


def spent_nonfinite(lane: OptimizerHistory) -> bool:
    """Whether some step spent inf or NaN; those that were skipped for it are in order."""
    measured = sum(int(bad or 0) for bad in lane.series["spent"]["bad"])
    return measured > lane.count(Kind.SKIP)


def facts_of(results: Results, view: View) -> list[tuple[str, str]]:
    """Return what was run or read, how much of it, and with what."""
    history = results.history
    facts = [("paths" if results.verb == "lint" else "script", view.title)] if view.title else []
    if history is not None:
        if history.lanes:
            facts.append(("optimizers", ", ".join(_optimizers(results))))
        facts.extend(history.facts)
        facts.append(("zerograd", __version__))
    return [(sentence(name), sentence(fact)) for name, fact in facts]


def _optimizers(results: Results) -> Iterator[str]:
    assert results.history is not None
    lanes = results.history.lanes
    names = [lane.name for lane in lanes]
    for name in dict.fromkeys(names):
        count = names.count(name)
        yield f"{count} {name}" if count > 1 else name


def unseen(results: Results) -> list[str]:
    """Return what was seen and what was not, a sentence each."""
    missed = results.verb == "lint" or results.reach.checked < results.reach.seen
    said = [f"{reach_words(results.reach)}."] if missed else []
    said += [f"{sentence(note).replace(SEEN, LOOKED_AT, 1)}." for note in results.notes]
    said += [f"{results.hidden:,} more with `--preview`."] if results.hidden else []
    if results.reach.unheard is not None:
        said.append(f"{unheard_words(results.reach).removeprefix('; ')}.")
    if results.history is not None and results.history.left_out:
        said.append(f"{plural(results.history.left_out, 'optimizer')} more were not recorded.")
    return said
