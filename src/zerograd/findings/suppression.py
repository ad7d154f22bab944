"""What pragmas do to findings: silence them, or be reported for silencing nothing."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

from zerograd.findings.finding import Finding
from zerograd.findings.fix import Edit, Fix
from zerograd.findings.location import Location
from zerograd.findings.pragmas import FILE_LINES, WHOLE_FILE, read_pragmas
from zerograd.findings.source import split_lines
from zerograd.findings.wrong_suppressions import ANOTHER, named_rules, wrong_suppressions
from zerograd.rules import Repair, exact_rule, matching_rules, named_rule, suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from zerograd.findings.pragmas import Named, Pragma
    from zerograd.rules import Rule

EXAMPLE = "`# zerograd: ignore[missing-zero]`"
LISTED = "`zerograd rules` lists them"
VERBS = ("ignore", "ignore-file")

MOST_SUGGESTIONS = 100
"""Wrong names in a file for which near ones are looked for: that takes a millisecond each."""


class Suppression:
    """The pragmas of one file at work.

    `cells` maps a notebook's code cells to their first lines in `text`, the module that they form.
    """

    def __init__(self, path: str, text: str, cells: Mapping[int, int] | None = None) -> None:
        self.path = path
        self.cells = dict(cells or {})
        self.text = text
        self.lines = split_lines(text)
        self.pragmas = read_pragmas(text)
        self._silenced: set[tuple[range, str]] = set()
        """Lines that pragmas cover, and the rules of which one silenced a finding there."""

        self._firsts = sorted((first, cell) for cell, first in self.cells.items())

    def silence(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return the findings that no pragma silences, and remember which pragmas did."""
        return [finding for finding in findings if not self._is_silenced(finding)]

    def _is_silenced(self, finding: Finding) -> bool:
        at = finding.location
        line = self.cells.get(at.cell or 0, 1) + at.line - 1
        code = finding.rule.code
        ranges = (WHOLE_FILE, *self._statements.get(line, ()))
        silencing = {(covers, code) for covers in ranges} & self._naming
        self._silenced |= silencing
        return bool(silencing)

    @cached_property
    def _naming(self) -> set[tuple[range, str]]:
        """Which lines some pragma covers for which rule."""
        return {(item.covers, code) for item in self.pragmas for code in known_codes(item)}

    @cached_property
    def _statements(self) -> dict[int, list[range]]:
        """The statements with a pragma by their lines: statements do not overlap, lines are few."""
        found: dict[int, list[range]] = {}
        for covers in {item.covers for item in self.pragmas} - {WHOLE_FILE}:
            for line in covers:
                found.setdefault(line, []).append(covers)
        return found

    def unused(self, is_judged: Callable[[Rule, int], bool]) -> list[Finding]:
        """Return the pragmas that silence nothing, where all their rules were judged.

        `is_judged(rule, line)` tells whether a fault of this rule on this line would have been
        seen: lint cannot see the rules of a run, nor watch the lines that never ran.
        """
        found = [self._unused(pragma, is_judged) for pragma in self.pragmas]
        return self.silence(finding for finding in found if finding)

    def _unused(self, pragma: Pragma, is_judged: Callable[[Rule, int], bool]) -> Finding | None:
        rules = [rule for rule in map(exact_rule, texts(pragma)) if rule]
        line = max(pragma.line, pragma.covers.start)
        if pragma.verb not in VERBS or "unused-ignore" in {rule.name for rule in rules}:
            return None
        idle = [named for named in pragma.rules if self._is_idle(named, pragma)]
        if not idle or not all(is_judged(rule, line) for rule in rules):
            return None
        return self._finding(
            "unused-ignore",
            pragma,
            idle_words(pragma, idle),
            help="remove it, or it will hide the next fault",
            fix=self._removal(pragma, idle),
        )

    def _is_idle(self, named: Named, pragma: Pragma) -> bool:
        """Tell whether this is a rule of which the pragma silenced nothing."""
        rule = exact_rule(named.text)
        return rule is not None and (pragma.covers, rule.code) not in self._silenced

    def unknown(self) -> list[Finding]:
        """Return the pragmas that name no rule, or not whole rules, and what is no pragma."""
        found = [
            self._finding("unknown-ignore", place, message)
            for place, message in wrong_suppressions(self.text)
        ]
        for pragma in self.pragmas:
            suggests = len(found) < MOST_SUGGESTIONS
            found += [
                self._finding("unknown-ignore", pragma, message)
                for message in mistakes(pragma, suggests=suggests)
            ]
        return self.silence(found)

    def _finding(
        self,
        name: str,
        pragma: Pragma,
        message: str,
        *,
        help: str | None = None,  # noqa: A002  the field's name
        fix: Fix | None = None,
    ) -> Finding:
        rule = named_rule(name)
        cell, line = self._place(pragma.line)
        at = Location(self.path, line, pragma.column, line, pragma.end_column, cell)
        return Finding(
            rule=rule, severity=rule.severity, location=at, message=message, help=help, fix=fix
        )

    def _place(self, line: int) -> tuple[int | None, int]:
        """Return the cell of a line of the module, and the line within it."""
        after = bisect_right(self._firsts, line, key=itemgetter(0))
        if after == 0:
            return None, line
        first, cell = self._firsts[after - 1]
        return cell, line - first + 1

    def _removal(self, pragma: Pragma, idle: list[Named]) -> Fix:
        cell, line = self._place(pragma.line)
        kept = [named.text for named in pragma.rules if named not in idle]
        if kept:
            text = f"# zerograd: {pragma.verb}[{', '.join(kept)}]"
            edit = Edit(line, pragma.column, line, pragma.end_column, text)
        else:
            edit = self._without(pragma, line)
        words = ", ".join(named.text for named in idle)
        return Fix(Repair.SAFE, f"remove {words} from the pragma", (edit,), cell)

    def _without(self, pragma: Pragma, line: int) -> Edit:
        """Return the edit that removes a pragma with the space or the line that it took up."""
        text = self.lines[pragma.line - 1]
        before, after = text[: pragma.column - 1], text[pragma.end_column - 1 :]
        # A reason may follow a pragma, up to the next comment of the line, and goes with it.
        end = pragma.end_column + len(after.partition("#")[0])
        if end <= len(text):
            return Edit(line, pragma.column, line, end, "")
        if before.strip():
            return Edit(line, len(before.rstrip()) + 1, line, end, "")
        is_last = pragma.line == len(self.lines) or pragma.line + 1 in self.cells.values()
        return Edit(line, 1, line, end, "") if is_last else Edit(line, 1, line + 1, 1, "")


def texts(pragma: Pragma) -> list[str]:
    """Return the rules of a pragma as it spells them."""
    return [named.text for named in pragma.rules]


def known_codes(pragma: Pragma) -> set[str]:
    """Return the codes of those rules of a pragma that exist."""
    return {rule.code for rule in map(exact_rule, texts(pragma)) if rule}


def idle_words(pragma: Pragma, idle: list[Named]) -> str:
    """Return the sentence about rules of which nothing was silenced."""
    if pragma.verb == "ignore-file" and not pragma.covers:
        return f"`ignore-file` is read only in the first {FILE_LINES} lines"
    words = ", ".join(f"`{named.text}`" for named in idle)
    return f"{words} {'silences' if len(idle) == 1 else 'silence'} nothing here"


def mistakes(pragma: Pragma, *, suggests: bool = True) -> Iterator[str]:
    """Yield a sentence for each thing in a pragma that means no rule."""
    if pragma.verb not in VERBS:
        yield f"unknown pragma `{pragma.verb}`; write {EXAMPLE}"
    elif not pragma.rules:
        meant = named_rules(pragma.after)
        example = f"[{', '.join(meant)}]`" if meant else ANOTHER
        yield f"`{pragma.verb}` names no rule; write `{pragma.verb}{example}"
    else:
        unknown = [text for text in texts(pragma) if exact_rule(text) is None]
        for number, text in enumerate(unknown):
            yield unknown_rule(text, suggests=suggests and number < MOST_SUGGESTIONS)


def unknown_rule(text: str, *, suggests: bool) -> str:
    """Return the sentence about a text that is no whole rule."""
    begun = matching_rules(text)
    if len(begun) > 1:
        return f"`{text}` is the beginning of {len(begun)} rules; a pragma names each one it means"
    return f"unknown rule `{text}`; {suggestion(text) if suggests else LISTED}"
