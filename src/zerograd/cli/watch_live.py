"""`zerograd watch --live`: show the report of a run while it goes on.

Threads of the watcher read the journal that the script keeps anyway, draw the page when it has
changed, and serve it on 127.0.0.1 under a random address, or write it to a file. The script itself
only takes its snapshots more often.
"""

from __future__ import annotations

from contextlib import suppress
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_urlsafe
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

from zerograd.atomic import write_atomically
from zerograd.cli.watch_repairs import with_repairs
from zerograd.printable import say
from zerograd.record import replace
from zerograd.reports import find_report
from zerograd.watch.process.gather_journals import gather

if TYPE_CHECKING:
    from pathlib import Path

    from zerograd.findings import Results
    from zerograd.reports import View
    from zerograd.settings import Settings

HOST = "127.0.0.1"

LATEST = "version"
"""What a page asks for to know whether it is the last one."""

PATIENCE = 3.0
"""Seconds for which a page that is looked at may fetch the end of the run."""

WAITING = "<!doctype html><meta http-equiv=refresh content=1><title>zerograd</title>No step yet."


class LiveReport:
    """Draws the run again and again until it has ended; starts no thread before `begin`."""

    def __init__(
        self, folder: Path, settings: Settings, view: View, *, every: float, file: Path | None
    ) -> None:
        self._folder, self._settings, self._view = folder, settings, view
        self._every, self._file = every, file
        self._ended = Event()
        self._drawing = Thread(target=self._draw_on, daemon=True)
        self._server: PageServer | None = None
        self._last: object = None

    def begin(self, *, serve: bool) -> None:
        """Begin to draw, and to serve what is drawn."""
        if serve:
            self._server = PageServer()
            say(f"live: {self._server.address}")
            Thread(target=self._server.serve_forever, daemon=True).start()
        self._drawing.start()

    def end(self, results: Results | None) -> None:
        """Show the end to those who look, and stop."""
        self._ended.set()
        if self._drawing.is_alive():
            self._drawing.join()
        if self._server is not None:
            if results is not None:
                with suppress(Exception):
                    self._server.show(self._drawn(results, ""), "")
                    self._server.wait_for_readers()
            self._server.shutdown()
            self._server.server_close()

    def _draw_on(self) -> None:
        while not self._ended.wait(self._every):
            now = _state(self._folder)
            if now != self._last:
                self._last = now
                with suppress(Exception):  # a journal in mid-write; the end is reported anyway
                    self._draw(str(abs(hash(now))))

    def _draw(self, version: str) -> None:
        results = gather(self._folder, running=True)
        if self._server is not None:
            self._server.show(self._drawn(results, version), version)
        if self._file is not None:
            write_atomically(self._file, self._drawn(results, "").encode())

    def _drawn(self, results: Results, version: str) -> str:
        view = replace(self._view, live=version)
        return "".join(find_report("html").render(with_repairs(results, self._settings), view))


class PageServer(ThreadingHTTPServer):
    """Serves one page to who knows its address; binds to this machine alone."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__((HOST, 0), PageRequest)
        self.token = token_urlsafe(16)
        self.page, self.version = WAITING.encode(), "0"
        self.asked = 0.0
        """When somebody last asked whether there is news."""
        self.fetched = ""
        """The version that was fetched last."""

    @property
    def address(self) -> str:
        """Where a browser finds the page."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"

    def show(self, page: str, version: str) -> None:
        """Serve another page from now on."""
        self.page, self.version = page.encode(), version

    def wait_for_readers(self) -> None:
        """Give a page that was looked at a moment ago the time to fetch the last one."""
        began = monotonic()
        looking = began - self.asked < PATIENCE
        while looking and self.fetched != self.version and monotonic() - began < PATIENCE:
            Event().wait(0.05)


class PageRequest(BaseHTTPRequestHandler):
    """Answers with the page, or with its version; to whoever does not know the token, with 404."""

    server: PageServer
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        """Answer a browser."""
        token, _, what = self.path.lstrip("/").partition("/")
        hosts = {f"{HOST}:{self.server.server_port}", f"localhost:{self.server.server_port}"}
        # Another site's name that resolves to this machine comes with its own `Host`.
        known = compare_digest(token.encode(), self.server.token.encode())
        if not known or self.headers.get("Host") not in hosts or what not in ("", LATEST):
            self._answer(404, "text/plain", b"not found")
        elif what == LATEST:
            self.server.asked = monotonic()
            self._answer(200, "text/plain", self.server.version.encode())
        else:
            version = self.server.version
            self._answer(200, "text/html; charset=utf-8", self.server.page)
            self.server.fetched = version

    def _answer(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  as the base names it
        """Say nothing: the terminal is the script's."""


def _state(folder: Path) -> object:
    """Return what changes whenever a process of the run writes something down."""
    found = [(path.name, path.stat()) for path in sorted(folder.glob("*"))]
    return tuple((name, status.st_mtime_ns, status.st_size) for name, status in found)
