"""Lint one open file with everything that is open in place of what is saved, and repair it."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.lint.analysis_budget import cancelled_when
from zerograd.lint.program.display_paths import shown
from zerograd.lint.program.import_lines import ImportLines, holds_home
from zerograd.lint.shell.baseline import new_findings, read_baseline
from zerograd.lint.shell.check_file import Checker, Job
from zerograd.lint.shell.files.root import project_root
from zerograd.lint.shell.fix import repair
from zerograd.lint.shell.results import wanted
from zerograd.lint.shell.run import LintRun, uncollected
from zerograd.record import record
from zerograd.settings import excluded, load_settings
from zerograd.settings.place import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zerograd.findings import Finding
    from zerograd.lint.shell.files.root import ProjectRoot
    from zerograd.server.open_files import OpenFile
    from zerograd.settings import Settings

MOST_PROJECTS = 4
"""Projects whose import lines are kept; the one that was not asked for longest is forgotten."""


@record(frozen=True)
class FileToLint:
    """One file, and all that is open around it, as they were when somebody typed."""

    file: OpenFile
    others: tuple[OpenFile, ...]
    folders: tuple[str, ...]
    """The editor's workspace folders."""

    chosen: Mapping[str, object]
    """What the editor's own settings lay over the settings file, spelled as in one."""


class EditorLint:
    """Lints files again and again, as `zerograd lint` in their workspace folder would."""

    def __init__(self) -> None:
        self._lines: OrderedDict[tuple[Path, ...], ImportLines] = OrderedDict()

    def forget(self) -> None:
        """Look at the files of all projects anew: somebody said that some changed."""
        for lines in self._lines.values():
            lines.forget()

    def findings(self, asked: FileToLint, gave_up: Callable[[], bool]) -> list[Finding]:
        """Return what is to be shown of one file; raises AnalysisCancelledError, SettingsError."""
        folder = workspace_folder(asked)
        settings = settings_for(asked, folder)
        path = Path(asked.file.path)
        if excluded(path, settings):
            return []
        root = project_root([folder or path], settings)
        return self._linted(asked, settings, root, contents(asked, root), gave_up)

    def _linted(
        self,
        asked: FileToLint,
        settings: Settings,
        root: ProjectRoot,
        overlay: Mapping[str, bytes],
        gave_up: Callable[[], bool],
    ) -> list[Finding]:
        job = Job(
            root=root.folder,
            knowledge=settings.knowledge,
            opened=root.opened,
            overlay=overlay,
            lines=self._lines_of(root),
        )
        checker = Checker(job)
        path = shown(asked.file.path)
        try:
            with uncollected(), cancelled_when(gave_up):
                checked = checker.glance(path, is_named=True) or checker.check(path)
        finally:
            checker.close()
        found = wanted(LintRun([checked]), settings)
        if settings.baseline:
            found, _ = new_findings(found, read_baseline(settings.baseline))
        return found

    def _lines_of(self, root: ProjectRoot) -> ImportLines:
        lines = self._lines.setdefault(root.opened, ImportLines())
        self._lines.move_to_end(root.opened)
        while len(self._lines) > MOST_PROJECTS:
            self._lines.popitem(last=False)
        return lines

    def repaired(self, asked: FileToLint, *, unsafe: bool | None = None) -> bytes | None:
        """Return a file's content after its repairs, None if there are none to write.

        Safe ones only, unless the settings allow the others; `unsafe` says it for them.
        """
        folder = workspace_folder(asked)
        settings = settings_for(asked, folder)
        root = project_root([folder or Path(asked.file.path)], settings)
        given = contents(asked, root)

        def lint(overlay: Mapping[str, bytes]) -> Sequence[Finding]:
            return self._linted(asked, settings, root, overlay, lambda: False)

        allowed = settings.unsafe_fixes if unsafe is None else unsafe
        return repair(lint, given, unsafe=allowed).after.get(shown(asked.file.path))


def contents(asked: FileToLint, root: ProjectRoot) -> dict[str, bytes]:
    """Return what the project's files hold that are open, by their paths as lint shows them."""
    inside = [one for one in asked.others if any(map(Path(one.path).is_relative_to, root.opened))]
    return {shown(one.path): one.content for one in (*inside, asked.file)}


def workspace_folder(asked: FileToLint) -> Path | None:
    """Return the innermost of the editor's folders that a file lies in; the home is no project."""
    folders = [folder for folder in map(Path, asked.folders) if not holds_home(folder)]
    around = [folder for folder in folders if Path(asked.file.path).is_relative_to(folder)]
    return max(around, key=lambda folder: len(folder.parts), default=None)


def settings_for(asked: FileToLint, folder: Path | None) -> Settings:
    """Return the settings that `zerograd lint` has in the workspace folder, or beside the file.

    They are read for every lint: what was changed holds from the next letter on.
    """
    start = folder or Path(asked.file.path).parent
    return load_settings(start, command_line=asked.chosen, called=EditorSetting)


class EditorSetting(Place):
    """One key of the editor's own settings."""

    def __str__(self) -> str:
        table = f"{self.table}." if self.table else ""
        return f"zerograd.{table}{self.key} in the editor's settings"
