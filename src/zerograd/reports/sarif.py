"""`sarif`: SARIF 2.1.0 for code scanning, with the witness as a code flow."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

from zerograd import __version__
from zerograd.printable import printable, well_formed
from zerograd.reports import words
from zerograd.reports.json import damage_object, reach_object
from zerograd.reports.place import from_root, is_absolute
from zerograd.rules import Repair
from zerograd.rules.page import read_page
from zerograd.rules.rule import HOME
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zerograd.findings import Edit, Finding, Fix, Location, Results
    from zerograd.reports.formats import View
    from zerograd.rules import Rule

    Json: TypeAlias = dict[str, Any]

HAS_SUMMARY = False

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
ROOT = "%SRCROOT%"
FINGERPRINT = "zerograd/v1"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}


def render(results: Results, view: View) -> Iterator[str]:
    """Yield one log with one run, also when nothing was found."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run(results, view)]}
    yield dumps(log, indent=2, allow_nan=False)
    yield "\n"


def run(results: Results, view: View) -> Json:
    """Return the run; only rules with a finding are described."""
    rules = sorted({finding.rule for finding in results.findings}, key=lambda rule: rule.code)
    return {
        "tool": {
            "driver": {
                "name": "zerograd",
                "version": __version__,
                **({} if HOME is None else {"informationUri": HOME}),
                "rules": [rule_object(rule) for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        # Without a uri: whoever reads the log knows where the repository is checked out.
        "originalUriBaseIds": {ROOT: {"description": message("The root of the repository.")}},
        "invocations": [invocation(results)],
        "results": [
            result(finding, rules.index(finding.rule), view) for finding in results.findings
        ],
        "properties": {"verb": results.verb, "reach": reach_object(results.reach)},
    }


def invocation(results: Results) -> Json:
    """Return how the run went: its notes."""
    notes = [{"level": "note", "message": message(note)} for note in results.notes]
    return {"executionSuccessful": True, "toolExecutionNotifications": notes}


def rule_object(rule: Rule) -> Json:
    """Return a rule with what a viewer shows about it."""
    fault = f"{rule.fault[0].upper()}{rule.fault[1:]}."
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": message(rule.name),
        "fullDescription": message(fault),
        # The page itself: a viewer shows it without an address that has to exist.
        "help": {
            **message(f"{fault} `zerograd explain {rule.code}` says more."),
            "markdown": well_formed(read_page(rule).text),
        },
        **({} if rule.url is None else {"helpUri": rule.url}),
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
    }


def result(finding: Finding, index: int, view: View) -> Json:
    """Return a finding; a code flow only when there is a witness, fixes only to be written."""
    optional = {
        "partialFingerprints": fingerprints(finding),
        "codeFlows": code_flows(finding, view),
        "fixes": fixes(finding, view),
    }
    return {
        "ruleId": finding.rule.code,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "message": message(spoken(finding)),
        "locations": [location(finding.location, view)],
        **{key: value for key, value in optional.items() if value},
        "properties": properties(finding),
    }


def fingerprints(finding: Finding) -> Json:
    """Return the finding's identity; an empty one would make all findings the same alert."""
    return {FINGERPRINT: well_formed(finding.fingerprint)} if finding.fingerprint else {}


def message(text: str) -> Json:
    """Return a message object whose text means only itself.

    SARIF reads `{0}` as a placeholder unless braces are doubled, and `[x](1)` as a link.
    """
    literal = printable(text).replace("{", "{{").replace("}", "}}").replace("](", "] (")
    return {"text": literal}


def spoken(finding: Finding) -> str:
    """Return the message with what to type and what it did: viewers show nothing else."""
    damage = words.damage_words(finding.damage) if finding.damage else ""
    asides = "; ".join(part for part in (words.happened(finding), damage) if part)
    told = f"{finding.message} ({asides})" if asides else finding.message
    return f"{told}; {finding.help}" if finding.help else told


def properties(finding: Finding) -> Json:
    """Return what SARIF has no word for."""
    return {
        "cell": finding.location.cell,
        "count": finding.count,
        "first_step": finding.first_step,
        "last_step": finding.last_step,
        "rank": finding.rank,
        "damage": damage_object(finding.damage) if finding.damage else None,
    }


def location(at: Location, view: View, what: str | None = None) -> Json:
    """Return a location; a notebook that cannot be read has an artifact but no region."""
    place = view.sources.physical(at)
    physical = {"artifactLocation": artifact(at.path, view)}
    if place:
        physical["region"] = region(place)
    told = {} if what is None else {"message": message(what)}
    return {"physicalLocation": physical, **told}


def artifact(path: str, view: View) -> Json:
    """Return a file's address, relative to the repository's root unless it is absolute."""
    whole = from_root(well_formed(path), view.prefix)
    if is_absolute(whole):
        return {"uri": f"file:///{quote(whole.lstrip('/'), safe='/:')}"}
    return {"uri": quote(whole), "uriBaseId": ROOT}


def region(place: Location | Edit) -> Json:
    """Return a stretch of a file; without an end it reaches to the end of its line."""
    whole = {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
    return {key: value for key, value in whole.items() if value is not None}


def code_flows(finding: Finding, view: View) -> list[Json]:
    """Return the witness in the order in which it happened, the fault last."""
    if not finding.evidence:
        return []
    witness = [location(step.location, view, step.what) for step in finding.evidence]
    steps = [*witness, location(finding.location, view, finding.message)]
    return [{"threadFlows": [{"locations": [{"location": step} for step in steps]}]}]


def fixes(finding: Finding, view: View) -> list[Json]:
    """Return the repair if it may be written; an edit of a cell is none of the file's JSON."""
    fix = finding.fix
    if fix is None or fix.cell is not None or not fix.is_writable:
        return []
    change = {
        "artifactLocation": artifact(finding.location.path, view),
        "replacements": replacements(fix.edits),
    }
    return [{"description": message(described(fix)), "artifactChanges": [change]}]


def described(fix: Fix) -> str:
    """Return what a fix does, with a warning where it changes what is computed."""
    warning = " (changes what is computed)" if fix.safety is Repair.UNSAFE else ""
    return f"{fix.message}{warning}"


def replacements(edits: Sequence[Edit]) -> list[Json]:
    """Return the edits."""
    return [
        {"deletedRegion": region(edit), "insertedContent": {"text": well_formed(edit.text)}}
        for edit in edits
    ]
