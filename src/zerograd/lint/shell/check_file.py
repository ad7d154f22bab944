"""Lint one file: read its bytes, analyse them, obey its pragmas, and report every failure."""

from __future__ import annotations

from codecs import BOM_UTF8
from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.errors import UnreadableError
from zerograd.lint.analysis_budget import UnseenError
from zerograd.lint.program.decoding import decode, decode_notebook, read_bytes
from zerograd.lint.program.prefilter import is_candidate
from zerograd.lint.shell.checked import Checked, looks_like_training, unparsable, unreadable
from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zerograd.findings import Finding
    from zerograd.lint.analysis import Analyser
    from zerograd.lint.program.decoding import DecodedText
    from zerograd.lint.program.import_lines import ImportLines
    from zerograd.lint.program.source_file import Source
    from zerograd.settings import Knowledge

NOTEBOOK = ".ipynb"
PRAGMA = b"zerograd:"


@record(kw_only=True, eq=False)
class Job:
    """What every file of one run is linted with; it travels to other processes."""

    root: Path
    knowledge: Knowledge
    opened: tuple[Path, ...] = ()
    """The folders whose files may be read besides those to lint; none: all below the root."""

    prefilter: bool = True
    """Off only to try the analysis on everything."""

    overlay: Mapping[str, bytes] = field(default_factory=dict)
    """Contents that take the place of files: standard input, and repairs not written yet."""

    dull: set[str] = field(default_factory=set)
    """Files that were glanced at and run nothing that touches a gradient: not read again."""

    named: frozenset[str] = frozenset()
    """Files that the user named: one that cannot be parsed is told, whatever it is about."""

    lines: ImportLines | None = None
    """Import lines that are known from earlier jobs of the same project."""


class Checker:
    """Lints files one after the other; what it learns of the project is kept between them."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._analyser: Analyser | None = None

    def glance(self, path: str, *, is_named: bool) -> Checked | None:
        """Return the outcome of a file that need not be analysed, None for one that must be."""
        try:
            content = self.content(path, is_named=is_named)
            if content is None:
                note = f"{path} is larger than 1 MB and was skipped; name it to lint it"
                return Checked(path=path, note=note)
            if not self.job.prefilter or is_worth_reading(path, content):
                return None
            if path in self.job.named and not is_valid(path, content):
                return None
            if b"torch" not in content and not path.endswith("__init__.py"):
                self.job.dull.add(path)
            # Not read is not checked, also where there is little to be found.
            if not content.isascii() and not path.endswith(NOTEBOOK):
                decode(content)
        except UnreadableError as error:
            return unreadable(path, str(error))
        return Checked(path=path)

    def content(self, path: str, *, is_named: bool = True) -> bytes | None:
        """Return a file's bytes, or what takes their place."""
        given = self.job.overlay.get(path)
        return read_bytes(path, is_named=is_named) if given is None else given

    def check(self, path: str) -> Checked:
        """Return everything that one file leads to."""
        try:
            text = text_of(path, self.content(path) or b"")
            return self.judged(path, source_of(path, text), text)
        except UnreadableError as error:
            return unreadable(path, str(error))
        except Exception as error:  # one file must not keep the others from being linted
            told = f"{type(error).__name__}: {error}".removesuffix(": ")
            why = f"could not be linted: {told}; please report it"
            return unreadable(path, why, is_failure=True)

    def judged(self, path: str, source: Source, text: DecodedText) -> Checked:
        """Return what the analysis and the pragmas of one source say."""
        # Imported here: most files of a large tree do not get this far.
        from zerograd.findings.suppression import Suppression
        from zerograd.lint.program.display_paths import shown_finding
        from zerograd.lint.shell.finding_identity import identities
        from zerograd.lint.shell.pragma_coverage import (
            given_up,
            judge_of,
            reach_of,
            repairable,
            unread_stretches,
        )

        cells = {cell.number: cell.first_line for cell in source.cells}
        pragmas = Suppression(path, source.text, cells)
        checked, tree, is_mended = Checked(path=path), None, False
        found: list[Finding] = []
        try:
            read, error = self.read(source)
            if error is not None and read is not None:
                # In the text as it stands, comments end where tokens do: at the first mistake.
                pragmas = Suppression(path, read.text, cells)
            is_told = path in self.job.named or looks_like_training(source.text)
            if error is not None and is_told:
                found = pragmas.silence([unparsable(path, source, error, read)])
            source, is_mended = read or source, error is not None
            tree = self.analyser.project.module(read).tree if read is not None else None
        except UnseenError as stop:
            checked = given_up(path, source, str(stop))
        if tree is not None:
            analysis = self.analyser.analyse(source)
            checked = reach_of(path, analysis)
            checked.loops = [*checked.loops, *unread_stretches(source)]
            told = pragmas.silence(map(shown_finding, analysis.findings))
            told += pragmas.unused(judge_of(source, tree, checked.loops))
            found += (repairable(finding, source, is_mended=is_mended) for finding in told)
        found += pragmas.unknown()
        found.sort(key=lambda finding: finding.order)
        checked.findings = found
        checked.identities = identities(found, self.from_root(path), source, tree)
        checked.text = text.content if found else None
        return checked

    def read(self, source: Source) -> tuple[Source | None, SyntaxError | ValueError | None]:
        """Return what can be parsed of a source, and what is wrong with it as it stands."""
        try:
            self.analyser.project.module(source)
        except SyntaxError as error:
            # Imported here: most files are valid.
            from zerograd.lint.program.notebook_source import readable

            return readable(source), error
        except ValueError as error:
            return None, error
        return source, None

    @property
    def analyser(self) -> Analyser:
        """The analysis of this run's project, loaded when the first file needs it."""
        if self._analyser is None:
            self._analyser = analyser_of(self.job)
        return self._analyser

    def close(self) -> None:
        """Give back what was kept of the project."""
        if self._analyser is not None:
            self._analyser.project.close()
            self._analyser = None

    def from_root(self, path: str) -> str:
        """Return a path as a fingerprint has it: the same from wherever lint is run."""
        absolute = Path(path).absolute()
        if absolute.is_relative_to(self.job.root):
            return absolute.relative_to(self.job.root).as_posix()
        return path


def is_worth_reading(path: str, content: bytes) -> bool:
    """Tell whether lint could have anything to say: about gradients, pragmas or the file itself."""
    if is_candidate(content) or PRAGMA in content:
        return True
    return path.endswith(NOTEBOOK) and not content.lstrip().startswith((b"{", BOM_UTF8))


def is_valid(path: str, content: bytes) -> bool:
    """Tell whether Python reads a file; a notebook's cells may hold what only IPython does."""
    from zerograd.lint.program.source_file import parse

    if path.endswith(NOTEBOOK):
        return True
    try:
        parse(decode(content).source)
    except (SyntaxError, ValueError):
        return False
    except UnseenError:  # too large to be parsed, which is not what is asked here
        return True
    return True


def text_of(path: str, content: bytes) -> DecodedText:
    """Return the text of a file by its kind."""
    return decode_notebook(content) if path.endswith(NOTEBOOK) else decode(content)


def source_of(path: str, text: DecodedText) -> Source:
    """Return what the analysis reads; its path is absolute, as those of the project's files."""
    place = str(Path(path).absolute())
    if path.endswith(NOTEBOOK):
        from zerograd.lint.program.notebook_source import notebook_source

        return notebook_source(place, text.content)
    from zerograd.lint.program.source_file import Source

    return Source(place, text.source)


def analyser_of(job: Job) -> Analyser:
    """Return the analysis of a job's project, with what the user's own functions do."""
    from zerograd.lint.analysis import Analyser
    from zerograd.lint.knowledge import KnowledgeTable
    from zerograd.lint.knowledge.shipped import shipped
    from zerograd.lint.program.project import Project
    from zerograd.record import values_of

    known = shipped()
    # The shipped tables are shared by all analyses of this process; the user's are this job's.
    knowledge = KnowledgeTable({name: [*rows] for name, rows in known.rows.items()}, known.repeated)
    knowledge.learn(values_of(job.knowledge))
    return Analyser(
        Project(job.root, knowledge, overlay_sources(job.overlay), job.dull, job.opened, job.lines)
    )


def overlay_sources(overlay: Mapping[str, bytes]) -> list[Source]:
    """Return what stands in for files, as far as it is source."""
    found = []
    for path, content in overlay.items():
        try:
            found.append(source_of(path, text_of(path, content)))
        except UnreadableError:
            continue
    return found
