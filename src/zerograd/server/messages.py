"""Findings as an editor takes them: diagnostics, repairs, comments that ignore, and hovers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.uris import from_fs_path

from zerograd.findings.notebook import parse_notebook
from zerograd.findings.pragmas import read_pragmas
from zerograd.findings.source import read
from zerograd.lint.repair.edits import LINE_END, usual_line_end
from zerograd.lint.repair.ignore_comments import can_be_ignored, ignore_fixes
from zerograd.printable import sentence
from zerograd.rules import Repair, exact_rule
from zerograd.rules.page import FOLDER, read_page
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zerograd.findings import Edit, Evidence, Finding, Fix, Location
    from zerograd.rules import Rule
    from zerograd.server.open_files import OpenFile, OpenText, Positions

SOURCE = "zerograd"
FIX_ALL = "source.fixAll.zerograd"
EXPLAIN = "zerograd.explain"

SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.HINT: types.DiagnosticSeverity.Information,
}


class Messages:
    """What is said about one open file, in the editor's positions."""

    def __init__(
        self,
        file: OpenFile,
        around: Mapping[str, OpenFile],
        positions: Positions,
        *,
        has_versions: bool = True,
    ) -> None:
        self.file = file
        self.around = {one.path: one for one in around.values()}
        self.positions = positions
        self.has_versions = has_versions
        """Whether the editor takes edits of one version of a text."""

    def diagnostics(self, findings: Sequence[Finding], *, related: bool) -> Diagnostics:
        """Return the diagnostics of each text of the file, an empty list where there are none.

        `related` tells whether the editor shows other places beside a diagnostic.
        """
        found: Diagnostics = {one.uri: [] for one in self.file.texts}
        for finding in findings:
            text = self.text_at(finding)
            found[text.uri].append(self.diagnostic(finding, text, related=related))
        return found

    def text_at(self, finding: Finding) -> OpenText:
        """Return the text that a finding stands in; what is about a file stands in its first."""
        return self.file.text_of(finding.location.cell) or self.file.texts[0]

    def diagnostic(
        self, finding: Finding, text: OpenText, *, related: bool = True
    ) -> types.Diagnostic:
        """Return one finding."""
        rule = finding.rule
        said = [f"{rule.name}: {sentence(finding.message)}"]
        if finding.help:
            said.append(f"help: {sentence(finding.help)}")
        if not related:
            said += [f"{one.location.line}: {sentence(one.what)}" for one in finding.evidence]
        return types.Diagnostic(
            range=self.range(finding, text),
            message="\n".join(said),
            severity=SEVERITIES[finding.severity],
            code=rule.code,
            code_description=types.CodeDescription(rule.url) if rule.url else None,
            source=SOURCE,
            tags=[types.DiagnosticTag.Unnecessary] if rule.name == "unused-ignore" else None,
            related_information=[self.place(one) for one in finding.evidence] if related else None,
        )

    def range(self, finding: Finding, text: OpenText) -> types.Range:
        """Return where a finding stands; in a notebook that is open as JSON, in that JSON."""
        at = finding.location
        if not self.file.is_notebook:
            at = in_json(text.text, at)
        return self.positions.range(text.text, at)

    def place(self, step: Evidence) -> types.DiagnosticRelatedInformation:
        """Return one line of the witness, in whichever file it is."""
        from os.path import abspath

        path = abspath(step.location.path)  # noqa: PTH100  without following links
        file = self.around.get(path)
        text = file.text_of(step.location.cell) if file else None
        if text is not None:
            uri, stretch = text.uri, self.positions.range(text.text, step.location)
        else:
            uri = file.uri if file else from_fs_path(path) or path
            saved = file.texts[0].text if file and file.texts else read(path, None)
            stretch = self.positions.range(saved, in_json(saved, step.location))
        return types.DiagnosticRelatedInformation(types.Location(uri, stretch), sentence(step.what))

    def actions(
        self, findings: Sequence[Finding], uri: str, within: types.Range
    ) -> Iterator[types.CodeAction]:
        """Yield what can be done about the findings in a stretch of one text."""
        for finding in findings:
            text = self.text_at(finding)
            diagnostic = self.diagnostic(finding, text)
            if text.uri == uri and meets(diagnostic.range, within):
                yield from self._repairs(finding, diagnostic)
                yield from self._ignores(finding, diagnostic)
                yield explain(finding.rule, diagnostic)

    def _repairs(
        self, finding: Finding, diagnostic: types.Diagnostic
    ) -> Iterator[types.CodeAction]:
        fix = finding.fix
        if fix is None or not fix.is_writable:
            return
        warning = " (changes what is computed)" if fix.safety is Repair.UNSAFE else ""
        yield from self._action(
            f"{finding.rule.name}: {sentence(fix.message)}{warning}",
            fix,
            diagnostic,
            is_preferred=fix.safety is Repair.SAFE,
        )

    def _ignores(
        self, finding: Finding, diagnostic: types.Diagnostic
    ) -> Iterator[types.CodeAction]:
        if not can_be_ignored(finding):
            return
        for fix in ignore_fixes([finding], self.cell_texts):
            yield from self._action(f"Ignore {finding.rule.name} here", fix, diagnostic)

    @property
    def cell_texts(self) -> dict[int | None, str]:
        """The texts of the file by the cells that findings name."""
        if self.file.is_notebook:
            return {number: one.text for number, one in enumerate(self.file.texts, start=1)}
        return {None: self.file.texts[0].text}

    def _action(
        self, title: str, fix: Fix, diagnostic: types.Diagnostic, *, is_preferred: bool = False
    ) -> Iterator[types.CodeAction]:
        text = self.file.text_of(fix.cell)
        if text is not None:
            yield types.CodeAction(
                title=title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic],
                is_preferred=is_preferred,
                edit=self.edit({text: fix.edits}),
            )

    def edit(self, edits: Mapping[OpenText, Sequence[Edit]]) -> types.WorkspaceEdit:
        """Return edits of texts at the versions for which they were found."""
        listed = {
            text: [
                types.TextEdit(self.positions.range(text.text, one), as_in(text.text, one.text))
                for one in some
            ]
            for text, some in edits.items()
        }
        if not self.has_versions:
            return types.WorkspaceEdit(changes={text.uri: some for text, some in listed.items()})
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(text.uri, text.version), some
                )
                for text, some in listed.items()
            ]
        )

    def hover(
        self, findings: Sequence[Finding], uri: str, position: types.Position
    ) -> types.Hover | None:
        """Return the findings at a place with their rules' pages, or that of a pragma's rule."""
        at = types.Range(position, position)
        said = []
        for finding in findings:
            text = self.text_at(finding)
            stretch = self.range(finding, text)
            if text.uri == uri and meets(stretch, at):
                said.append((finding.rule, sentence(finding.message), stretch))
        if not said:
            return self._hover_over_pragma(uri, position)
        rules = dict.fromkeys(rule for rule, _, _ in said)
        told = [f"**{rule.code} {rule.name}**: {message}" for rule, message, _ in said]
        pages = [read_page(rule).text for rule in rules]
        return hovering("\n\n".join([*told, "---", *pages]), said[0][2])

    def _hover_over_pragma(self, uri: str, position: types.Position) -> types.Hover | None:
        text = next((one.text for one in self.file.texts if one.uri == uri), "")
        line, column = position.line + 1, self.positions.column_of(text, position)
        for pragma in read_pragmas(text):
            for named in pragma.rules if pragma.line == line else ():
                rule = exact_rule(named.text)
                if rule and named.column <= column <= named.column + len(named.text):
                    return hovering(read_page(rule).text)
        return None


Diagnostics = dict[str, list[types.Diagnostic]]


def meets(stretch: types.Range, other: types.Range) -> bool:
    """Tell whether two stretches of a text have a place in common, or touch."""
    return stretch.start <= other.end and other.start <= stretch.end


def hovering(markdown: str, stretch: types.Range | None = None) -> types.Hover:
    """Return a hover that shows a page."""
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, markdown), stretch)


def explain(rule: Rule, diagnostic: types.Diagnostic) -> types.CodeAction:
    """Return the action that opens a rule's page."""
    title = f"Explain {rule.name} ({rule.code})"
    return types.CodeAction(
        title=title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        command=types.Command(title, EXPLAIN, arguments=[rule.code]),
    )


def in_json(text: str | None, at: Location) -> Location:
    """Return where a place in a cell is in the text of the whole notebook."""
    if text is None or at.cell is None:
        return at
    notebook = parse_notebook(text)
    return (notebook.physical(at) if notebook else None) or at


def as_in(text: str, new: str) -> str:
    """Return new lines with the line end that a text uses: not every editor looks after it."""
    return LINE_END.sub(usual_line_end(text), new)


def page_uri(rule: Rule) -> str:
    """Return the address of a rule's page as it was installed."""
    return from_fs_path(str(FOLDER / f"{rule.name}.md")) or ""
