"""The sentences that the reports share: places, counts, damage, reach and the summary."""

from __future__ import annotations

from collections import Counter
from math import acos, isfinite
from math import degrees as degrees_of
from typing import TYPE_CHECKING

from zerograd.printable import printable, sentence
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zerograd.findings import Damage, FamilyReach, Finding, Fix, Location, Reach, Results

# By the values of `Repair`: the summary of a run that found nothing loads no rules.
COMMANDS = {
    "safe": "zerograd lint --fix",
    "unsafe": "zerograd lint --fix --unsafe-fixes",
}


_RIGHT = (0.95, 1.05)
"""What counts as the right size of a gradient, as a factor."""


def place(location: Location) -> str:
    """Return where something is, in the form that editors and terminals make a link of."""
    cell = "" if location.cell is None else f"cell {location.cell}:"
    return f"{shown_path(location.path)}:{cell}{location.line}:{location.column}"


def shown_path(path: str) -> str:
    """Return a path that is harmless at the begin of a line."""
    shown = printable(path)
    # GitHub's runner obeys any line of a log that begins with `::`; a second colon may follow here.
    return f"./{shown}" if shown.lstrip().startswith(":") else shown


def headline(finding: Finding) -> str:
    """Return a finding in one line: place, code, name and message."""
    rule = finding.rule
    return f"{place(finding.location)}: {rule.code} {rule.name}: {sentence(finding.message)}"


def happened(finding: Finding) -> str:
    """Return how often and when a run saw it: "312 times, steps 4 to 1,872, rank 1"."""
    parts = []
    if finding.count is not None:
        parts.append("once" if finding.count == 1 else f"{finding.count:,} times")
    parts.extend(steps(finding.first_step, finding.last_step))
    if finding.rank is not None:
        parts.append(f"rank {finding.rank}")
    if finding.process is not None:
        parts.append(f"in {sentence(finding.process)}")
    return ", ".join(parts)


def steps(first: int | None, last: int | None) -> list[str]:
    """Return the steps as words, or nothing."""
    if not first:  # what shows before the first step is no step's
        return []
    return [f"step {first:,}" if last in (None, first) else f"steps {first:,} to {last:,}"]


def damage_words(damage: Damage) -> str:
    """Return what a fault did to what was spent: "7.4x too large (peak 22x), 72 degrees off"."""
    if not isfinite(damage.cosine):
        return size_words(damage)
    degrees = angle(damage.cosine)
    if _is_right_size(damage) and angle(damage.worst_cosine) == 0:
        return "no measurable damage in this run"
    direction = "in the right direction" if degrees == 0 else f"{degrees} degrees off"
    return f"{size_words(damage)}, {direction}"


def damage_told(finding: Finding, damage: Damage) -> str:
    """Return the damage of a finding, and of how many of its occurrences that was measured."""
    told, count = damage_words(damage), finding.count or 0
    if not 0 < damage.measured < count:
        return told
    return f"{told}; measured at {damage.measured:,} of {count:,}"


def _is_right_size(damage: Damage) -> bool:
    peak = damage.peak_ratio
    return _RIGHT[0] <= damage.ratio <= _RIGHT[1] and (peak <= _RIGHT[1] or not isfinite(peak))


def angle(cosine: float) -> int:
    """Return by how many degrees a gradient with this cosine points away from the right one."""
    return round(degrees_of(acos(max(-1.0, min(1.0, cosine)))))


def size_words(damage: Damage) -> str:
    """Return the ratio as words: people say "4x too small", not "0.25x too large"."""
    ratio = damage.ratio
    if not isfinite(ratio):
        return "spent where nothing should have been"
    if ratio <= 0:
        return "nothing was spent"
    if _RIGHT[0] <= ratio <= _RIGHT[1]:
        return "of the right size"
    if ratio < 1:
        return f"{times(1 / ratio)} too small"
    peak = f" (peak {times(damage.peak_ratio)})" if isfinite(damage.peak_ratio) else ""
    return f"{times(ratio)} too large{peak}"


def times(factor: float) -> str:
    """Return a factor with two or three digits that matter: 7.4x, 22x, 1,872x, 3.1e+08x."""
    if factor < 9.95:
        return f"{factor:.1f}x"
    return f"{factor:,.0f}x" if factor < 999_999.5 else f"{factor:.1e}x"


def reach_words(reach: Reach) -> str:
    """Return how much was judged: "41 loops: 29 checked, 12 not (unresolved `run` in 12)"."""
    missed = reach.seen - reach.checked
    things = plural(reach.seen, reach.thing)
    partly = [family for family in reach.families if family.checked < family.seen]
    if missed == 0 and not partly:
        return f"{things}: all checked" if reach.seen else f"no {reach.thing} to check"
    if missed == 0:
        return f"{things}: all followed, {families_words(partly)}"
    why = Counter(unchecked.reason for unchecked in reach.unchecked)
    # By weight, then by name: a Counter alone would keep the order of discovery.
    reasons = sorted(why.items(), key=lambda item: (-item[1], item[0]))
    told = ", ".join(f"{sentence(reason)} in {count:,}" for reason, count in reasons[:3])
    more = ", ..." if len(reasons) > 3 else ""
    because = f" ({told}{more})" if told else ""
    also = f"; {families_words(partly)}" if partly else ""
    return f"{things}: {reach.checked:,} checked, {missed:,} not{because}{also}"


def unheard_words(reach: Reach) -> str:
    """Return the rules that a run was not judged by: "; not heard on torch 2.6.0: kept-graph"."""
    if reach.unheard is None:
        return ""
    return f"; not heard on torch {sentence(reach.unheard.torch)}: {', '.join(reach.unheard.rules)}"


def families_words(partly: Sequence[FamilyReach]) -> str:
    """Return what was not judged, by families of rules: "not judged: windows in 2"."""
    told = ", ".join(f"{family.name} in {family.seen - family.checked:,}" for family in partly)
    return f"not judged: {told}"


def summary(results: Results) -> str:
    """Return the closing sentence: what was found, what can be repaired, what was judged."""
    reach = reach_words(results.reach)
    if results.hidden:
        # What nobody sees was not checked for anybody.
        reach = reach.replace(": all checked", ": all followed")
        reach = f"{results.hidden:,} more with `--preview`; {reach}"
    reach += unheard_words(results.reach)
    if not results.findings:
        return f"Found nothing; {reach}."
    found = counted_findings(results.findings)
    files = len({finding.location.path for finding in results.findings})
    return f"Found {found} in {plural(files, 'file')}; {reach}.{repairs(results.findings)}"


def counted_findings(findings: tuple[Finding, ...]) -> str:
    """Return "2 errors and 1 warning", heaviest first."""
    counts = Counter(finding.severity for finding in findings)
    parts = [plural(counts[severity], severity.value) for severity in Severity if counts[severity]]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def repairs(findings: tuple[Finding, ...]) -> str:
    """Return the sentence that says which command repairs how many, or nothing."""
    fixes = [finding.fix for finding in findings if finding.fix and finding.fix.is_writable]
    if not fixes:
        return ""
    # "unsafe" comes after "safe", so that the one command that repairs all of them is named.
    command = COMMANDS[max(fix.safety for fix in fixes)]
    return f" `{command}` repairs {len(fixes):,}."


def repair_words(fix: Fix) -> str:
    """Return what a fix does and which command writes it."""
    how = f"`{COMMANDS[fix.safety]}` writes it" if fix.is_writable else "shown, never written"
    return f"{sentence(fix.message)} ({how})"


def plural(count: int, noun: str) -> str:
    """Return a count with its noun: "1 file", "2 files"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
