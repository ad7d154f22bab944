"""A client of the language server protocol over pipes: what an editor does, and no more."""

from __future__ import annotations

import json
import subprocess
import sys
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 60
"""Seconds for an answer, on a machine that does much else."""

CAPABILITIES: dict[str, Any] = {
    "workspace": {
        "workspaceEdit": {"documentChanges": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "workspaceFolders": True,
    },
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "codeAction": {"resolveSupport": {"properties": ["edit"]}, "dataSupport": True},
    },
    "notebookDocument": {"synchronization": {}},
}


class Editor:
    """One server process, and everything that it said."""

    def __init__(self, folders: list[Path], **options: Any) -> None:
        self.process = subprocess.Popen(
            [f"{sys.exec_prefix}/bin/zerograd", "server", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folders[0],
        )
        self._arrived: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        self.notifications: list[dict[str, Any]] = []
        self.responses: dict[int, dict[str, Any]] = {}
        self._next = 0
        self._versions: dict[str, int] = {}
        Thread(target=self._listen, daemon=True).start()
        self.capabilities = self.request(
            "initialize",
            processId=None,
            rootUri=folders[0].as_uri(),
            capabilities=CAPABILITIES,
            workspaceFolders=[{"uri": one.as_uri(), "name": one.name} for one in folders],
            **options,
        )["capabilities"]
        self.notify("initialized")

    def _listen(self) -> None:
        assert self.process.stdout is not None
        while header := self.process.stdout.readline():
            length = int(header.split(b":")[1]) if header.startswith(b"Content-Length") else 0
            while header.strip():
                header = self.process.stdout.readline()
            self._arrived.put(json.loads(self.process.stdout.read(length)))
        self._arrived.put(None)

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def notify(self, method: str, **params: Any) -> None:
        self._send({"method": method, "params": params})

    def request(self, method: str, **params: Any) -> Any:
        self._next += 1
        self._send({"id": self._next, "method": method, "params": params})
        while self._next not in self.responses:
            self._take()
        answer = self.responses.pop(self._next)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def _take(self) -> None:
        message = self._arrived.get(timeout=PATIENCE)
        assert message is not None, "the server has ended"
        if "method" in message:
            self.notifications.append(message)
            if "id" in message:  # a request to the editor: register this, show that
                self._send({"id": message["id"], "result": None})
        else:
            self.responses[message["id"]] = message

    def heard(self, method: str) -> dict[str, Any]:
        """Wait for the next message of this name."""
        while True:
            for at, message in enumerate(self.notifications):
                if message["method"] == method:
                    del self.notifications[at]
                    params: dict[str, Any] = message["params"]
                    return params
            self._take()

    def forget(self) -> None:
        """Forget what was said until now: an answer comes after it."""
        self.request("workspace/executeCommand", command="zerograd.explain", arguments=["ZG101"])
        self.notifications.clear()

    def diagnostics(self, uri: str) -> list[dict[str, Any]]:
        """Wait for what is said about the newest version of a text."""
        while True:
            told = self.heard("textDocument/publishDiagnostics")
            if told["uri"] == uri and told.get("version") == self._versions.get(uri):
                found: list[dict[str, Any]] = told["diagnostics"]
                return found

    def open(self, uri: str, text: str) -> None:
        self._versions[uri] = 1
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=item)

    def change(self, uri: str, text: str) -> None:
        self._versions[uri] += 1
        self.notify(
            "textDocument/didChange",
            textDocument={"uri": uri, "version": self._versions[uri]},
            contentChanges=[{"text": text}],
        )

    def close(self, uri: str) -> None:
        del self._versions[uri]
        self.notify("textDocument/didClose", textDocument={"uri": uri})

    def actions(self, uri: str, line: int, only: list[str] | None = None) -> list[dict[str, Any]]:
        """Return what can be done on a line, counted from 1."""
        place = {"line": line - 1, "character": 4}
        context = {"diagnostics": [], **({"only": only} if only else {})}
        found: list[dict[str, Any]] = self.request(
            "textDocument/codeAction",
            textDocument={"uri": uri},
            range={"start": place, "end": place},
            context=context,
        )
        return found

    def opened_notebook(self, uri: str, cells: list[str]) -> list[str]:
        """Open a notebook and return the addresses of its cells."""
        names = [
            f"{uri.replace('file:', 'vscode-notebook-cell:')}#{at}" for at in range(len(cells))
        ]
        self._versions |= dict.fromkeys(names, 1)
        self.notify(
            "notebookDocument/didOpen",
            notebookDocument={
                "uri": uri,
                "notebookType": "jupyter-notebook",
                "version": 1,
                "cells": [{"kind": 2, "document": name} for name in names],
            },
            cellTextDocuments=[
                {"uri": name, "languageId": "python", "version": 1, "text": text}
                for name, text in zip(names, cells, strict=True)
            ],
        )
        return names

    def change_cell(self, notebook: str, cell: str, *changes: dict[str, Any]) -> None:
        self._versions[cell] += 1
        document = {"uri": cell, "version": self._versions[cell]}
        self.notify(
            "notebookDocument/didChange",
            notebookDocument={"uri": notebook, "version": self._versions[cell]},
            change={"cells": {"textContent": [{"document": document, "changes": [*changes]}]}},
        )

    def end(self) -> int:
        """Ask the server to end, and return its status."""
        self.request("shutdown")
        self.notify("exit")
        return self.wait()

    def wait(self) -> int:
        """Return the status of the server once it has ended."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return status


def applied(text: str, action: dict[str, Any]) -> str:
    """Return a text after the edits of an action: lines and columns as an ASCII editor has them."""
    (change,) = action["edit"]["documentChanges"]
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:at]) for at in range(len(lines) + 1)]
    for edit in sorted(
        change["edits"], key=lambda one: one["range"]["start"]["line"], reverse=True
    ):
        begin, end = (
            starts[place["line"]] + place["character"]
            for place in (edit["range"]["start"], edit["range"]["end"])
        )
        text = text[:begin] + edit["newText"] + text[end:]
    return text
