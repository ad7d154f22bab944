"""What the editor sends, and who answers it."""

from __future__ import annotations

import gc
import logging
import sys
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from zerograd.errors import ZerogradError
from zerograd.lint.shell.workers import private_output
from zerograd.rules import find_rule
from zerograd.rules.page import read_page
from zerograd.server.fix_all import fix_all_actions, resolved
from zerograd.server.language_server import ZerogradServer
from zerograd.server.messages import EXPLAIN, FIX_ALL, page_uri
from zerograd.server.open_files import EditorText

if TYPE_CHECKING:
    from collections.abc import Sequence

WATCHED = ("**/*.py", "**/pyproject.toml", "**/zerograd.toml")


def make_server() -> ZerogradServer:
    """Return a server with all that it answers."""
    server = ZerogradServer()
    for register in (_lifetime, _documents, _notebooks, _actions, _pages):
        register(server)
    return server


def _lifetime(server: ZerogradServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.workspace._create_text_document = partial(  # type: ignore[method-assign]  # noqa: SLF001
            EditorText, position_codec=server.workspace.position_codec
        )
        server.configure(params.initialization_options)
        # What was loaded stays: the collector need not look through it after each lint.
        gc.freeze()

    @server.feature(types.INITIALIZED)
    def initialized(_: types.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace else None
        if watching and watching.dynamic_registration:
            watchers = [types.FileSystemWatcher(pattern) for pattern in WATCHED]
            registration = types.Registration(
                "zerograd-files",
                types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                types.DidChangeWatchedFilesRegistrationOptions(watchers),
            )
            server.client_register_capability(types.RegistrationParams([registration]))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(_: types.DidChangeWatchedFilesParams) -> None:
        server.changed_outside()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(params: types.DidChangeConfigurationParams) -> None:
        server.configure(params.settings)
        server.changed_outside()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders(_: types.DidChangeWorkspaceFoldersParams) -> None:
        server.changed_outside()

    @server.feature(types.SHUTDOWN)
    def shutdown(_: None) -> None:
        server.was_shut_down = True
        for waiting in server.waiting.values():
            waiting.cancel()
        server.linter.shutdown(wait=False, cancel_futures=True)


def _documents(server: ZerogradServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.changed(params.text_document.uri, at_once=True)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(_: types.DidSaveTextDocumentParams) -> None:
        server.changed_outside()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)


def _notebooks(server: ZerogradServer) -> None:
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenNotebookDocumentParams) -> None:
        server.changed(params.notebook_document.uri, at_once=True)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeNotebookDocumentParams) -> None:
        cells = params.change.cells
        structure = cells.structure if cells else None
        for gone in (structure.did_close or []) if structure else []:
            server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(gone.uri, []))
        server.changed(params.notebook_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseNotebookDocumentParams) -> None:
        server.closed(params.notebook_document.uri)


def _actions(server: ZerogradServer) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(
            code_action_kinds=[types.CodeActionKind.QuickFix, FIX_ALL], resolve_provider=True
        ),
    )
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri, only = params.text_document.uri, params.context.only
        known = server.current(uri)
        if known is None:
            return []
        found: list[types.CodeAction] = []
        if asks_for(only, types.CodeActionKind.QuickFix):
            messages = server.messages(known.file)
            found += messages.actions(known.findings, uri, params.range)
        for action in fix_all_actions(known, with_settings=bool(only)):
            if asks_for(only, str(action.kind)):
                # Who asks for this kind alone, as on saving, may not ask a second time.
                found.append(await resolved(server, action) if only else action)
        return [one for one in found if one.edit or one.command or not only]

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        return await resolved(server, action)


def _pages(server: ZerogradServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        known = server.current(uri)
        if known is None:
            return None
        return server.messages(known.file).hover(known.findings, uri, params.position)

    @server.command(EXPLAIN)
    async def explain(rule: str) -> str:
        try:
            found = find_rule(rule)
        except ZerogradError as error:
            return str(error)
        page = read_page(found)
        window = server.client_capabilities.window
        if window and window.show_document and window.show_document.support:
            await server.window_show_document_async(types.ShowDocumentParams(page_uri(found)))
        return page.text


def asks_for(only: Sequence[str] | None, kind: str) -> bool:
    """Tell whether an editor asks for actions of a kind: for all, for it, or for one above it."""
    return not only or any(kind == one or kind.startswith(f"{one}.") for one in only)


def serve() -> int:
    """Serve on standard input and output until the editor ends it; return the exit status.

    The protocol wants 0 after `shutdown`, 1 without it: for who waits for us, the editor crashed.
    """
    # pygls tells each message; what goes wrong it tells the editor.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    # Whatever else is printed goes to stderr: a stray line would end the conversation.
    server = make_server()
    server.start_io(sys.stdin.buffer, private_output())  # keeps pygls' own status to itself
    return 0 if server.was_shut_down else 1
