"""The language server: what it knows of the editor's files, and when it lints which of them."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from time import thread_time
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.uris import to_fs_path

from zerograd import __version__
from zerograd.errors import SettingsError
from zerograd.lint.analysis_budget import AnalysisCancelledError
from zerograd.printable import sentence
from zerograd.record import field, record
from zerograd.server.editor_lint import EditorLint, FileToLint
from zerograd.server.messages import Messages
from zerograd.server.open_files import Positions, open_files

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zerograd.findings import Finding
    from zerograd.server.open_files import OpenFile

T = TypeVar("T")

SOON = 0.04
"""Seconds after a change until it is linted, if no other follows: a fast typist's pause."""

LATEST = 0.5
"""Seconds for a file that takes long to lint; each waits twice as long as it took."""

STACK = 64 * 1024 * 1024
"""Bytes for the thread that lints: where a thread's stack is small, deep programs end it."""

NOT_OURS = ("fix", "format", "unsafe-fixes", "baseline", "project-root")
"""Keys of a settings file that an editor may not lay over it: they say what is written, where."""

NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithNotebook(
            notebook=types.NotebookDocumentFilterNotebookType(notebook_type="jupyter-notebook"),
            cells=[types.NotebookCellLanguage(language="python")],
        )
    ]
)


@record()
class Shown:
    """What the editor was told of a file."""

    file: OpenFile
    findings: Sequence[Finding] = ()
    cost: float = 0.0
    """Seconds of CPU that the last lint of it took."""


@record()
class Waiting:
    """The lint of a file that is to come, or goes on; a later change takes its place."""

    task: asyncio.Task[None] | None = None
    is_outdated: bool = field(default_factory=bool)

    def cancel(self) -> None:
        """Stop it, also in the middle of an analysis."""
        self.is_outdated = True
        if self.task is not None:
            self.task.cancel()


class AnsweredError(JsonRpcException):
    """A request could not be read, and the editor was told so in the answer."""


class AnsweringProtocol(LanguageServerProtocol):
    """Also answers requests that it cannot read: pygls leaves the editor waiting for them."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return a message as an object; raises JsonRpcException."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
                raise AnsweredError from error
            raise


class ZerogradServer(LanguageServer):
    """Lints what is open and tells the editor; one file at a time, in a thread of its own."""

    def __init__(self) -> None:
        super().__init__(
            "zerograd",
            __version__,
            protocol_cls=AnsweringProtocol,
            # Whole texts: an editor that loses count of its changes sends a right one next time.
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
            notebook_document_sync=NOTEBOOKS,
        )
        self.lint = EditorLint()
        self.shown: dict[str, Shown] = {}
        self.waiting: dict[str, Waiting] = {}
        self.chosen: dict[str, object] = {}
        self.complaints: set[str] = set()
        self.was_shut_down = False
        """Whether the editor asked for the end as the protocol wants it, before `exit`."""
        before = threading.stack_size(STACK)
        self.linter = ThreadPoolExecutor(1, "zerograd-lint")
        self.linter.submit(int).result()  # starts the thread, with that stack
        threading.stack_size(before)

    @property
    def positions(self) -> Positions:
        """Places as this editor counts them."""
        return Positions(self.workspace.position_codec)

    def file_of(self, uri: str) -> OpenFile | None:
        """Return the open file that a text is, or is a cell of."""
        files = open_files(self.workspace)
        notebook = self.workspace.get_notebook_document(cell_uri=uri)
        return files.get(notebook.uri if notebook else uri)

    def to_lint(self, uri: str) -> FileToLint | None:
        """Return a file with everything that is open around it, as it is now."""
        files = open_files(self.workspace)
        file = files.pop(uri, None)
        if file is None:
            return None
        roots = [folder.uri for folder in self.workspace.folders.values()]
        roots = roots or ([self.workspace.root_uri] if self.workspace.root_uri else [])
        folders = tuple(filter(None, map(to_fs_path, roots)))
        return FileToLint(file, tuple(files.values()), folders, dict(self.chosen))

    def changed(self, uri: str, *, at_once: bool = False) -> None:
        """Lint a file after a moment, then the others that are open: they may import it."""
        known = self.shown.get(uri)
        pause = min(max(SOON, 2 * known.cost if known else 0.0), LATEST)
        self.lint_later(uri, 0.0 if at_once else pause)
        self.lint_open_files(pause + SOON, but=uri)

    def changed_outside(self) -> None:
        """Lint everything that is open: files, settings or folders changed around it."""
        self.lint.forget()
        self.complaints.clear()
        self.lint_open_files(SOON)

    def lint_open_files(self, pause: float, *, but: str | None = None) -> None:
        """Lint every open file after a pause, also one of which nothing could be shown yet."""
        for uri in open_files(self.workspace):
            if uri != but:
                self.lint_later(uri, pause)

    def lint_later(self, uri: str, pause: float) -> None:
        """Lint a file after a pause; what was to be linted of it before is not any more."""
        if uri in self.waiting:
            self.waiting[uri].cancel()
        self.waiting[uri] = mine = Waiting()
        mine.task = asyncio.get_running_loop().create_task(self._lint_after(uri, pause, mine))

    async def _lint_after(self, uri: str, pause: float, mine: Waiting) -> None:
        await asyncio.sleep(pause)
        asked = self.to_lint(uri)
        if asked is None:
            return
        try:
            findings, cost = await self.in_thread(self._timed, asked, mine)
        except AnalysisCancelledError:
            return
        except SettingsError as error:
            self.complain(str(error))
            return
        except Exception as error:  # one file must not keep the others from being linted
            told = f"{type(error).__name__}: {error}"
            self.complain(f"cannot lint {asked.file.path}: {told}; please report it")
            return
        if mine.is_outdated:
            return
        self.waiting.pop(uri, None)
        self.shown[uri] = Shown(asked.file, findings, cost)
        self.publish(uri)

    def _timed(self, asked: FileToLint, mine: Waiting) -> tuple[list[Finding], float]:
        """Return the findings of a file, and the CPU time that they took: others take their own."""
        begun = thread_time()
        findings = self.lint.findings(asked, lambda: mine.is_outdated)
        return findings, thread_time() - begun

    async def in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        """Return what some work returns that takes long, done while messages are still read."""
        return await asyncio.get_running_loop().run_in_executor(self.linter, work, *arguments)

    def complain(self, text: str) -> None:
        """Say once what keeps everything from being linted."""
        if text not in self.complaints:
            self.complaints.add(text)
            self.window_show_message(
                types.ShowMessageParams(types.MessageType.Error, f"zerograd: {sentence(text)}")
            )

    def report_server_error(self, error: Exception, source: object) -> None:
        """Say what pygls could not do with a message; failed requests are answered with it."""
        is_answered = source is FeatureRequestError or isinstance(error, AnsweredError)
        if not is_answered:
            self.complain(f"cannot take a message of the editor: {error}")

    def publish(self, uri: str) -> None:
        """Tell the editor what is known of a file, and nothing more of what it was told before."""
        known = self.shown[uri]
        messages = self.messages(known.file)
        told = messages.diagnostics(known.findings, related=self.shows_related)
        versions = {one.uri: one.version for one in known.file.texts}
        for text, diagnostics in told.items():
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(text, diagnostics, versions[text])
            )

    @property
    def shows_related(self) -> bool:
        """Whether the editor shows other places beside a diagnostic."""
        document = self.client_capabilities.text_document
        diagnostics = document.publish_diagnostics if document else None
        return bool(diagnostics and diagnostics.related_information)

    def messages(self, file: OpenFile) -> Messages:
        """Return what turns findings of a file into messages."""
        workspace = self.client_capabilities.workspace
        edits = workspace.workspace_edit if workspace else None
        return Messages(
            file,
            open_files(self.workspace),
            self.positions,
            has_versions=bool(edits and edits.document_changes),
        )

    def current(self, uri: str) -> Shown | None:
        """Return what is known of the file that a text belongs to, if it is still true of it."""
        file = self.file_of(uri)
        known = self.shown.get(file.uri) if file else None
        is_true = known is not None and file is not None and known.file == file
        return known if is_true else None

    def closed(self, uri: str) -> None:
        """Forget a file that is not open any more, and what was told of it."""
        if uri in self.waiting:
            self.waiting.pop(uri).cancel()
        known = self.shown.pop(uri, None)
        for text in known.file.texts if known else ():
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(text.uri, []))
        # From now on the others import what is saved, not what was typed.
        self.lint_open_files(SOON)

    def configure(self, options: object) -> None:
        """Take over what the editor's own settings say: keys of zerograd.toml."""
        given = options.get("zerograd", options) if isinstance(options, dict) else {}
        given = given.get("settings", given) if isinstance(given, dict) else {}
        keys = given if isinstance(given, dict) else {}
        # Keys of other tools, and of the extension itself, come along.
        self.chosen = {key: value for key, value in keys.items() if is_ours(key)}


def is_ours(key: str) -> bool:
    """Tell whether a key of an editor's settings is one that may be laid over a settings file."""
    from zerograd.settings.keys import KEYS

    return key in KEYS and key not in NOT_OURS
