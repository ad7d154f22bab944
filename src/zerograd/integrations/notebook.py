"""`%load_ext zerograd`: `%%watch` for one cell, `%zerograd on` for all that follow.

Findings are shown under the cell that caused them, as HTML with the code frame: plain HTML with
inline styles, which Jupyter, VS Code, Colab and exported notebooks show alike. Loading the
extension imports no torch.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser
from shlex import split
from typing import TYPE_CHECKING, Any, NoReturn

from zerograd.errors import ZerogradError
from zerograd.settings import load_settings
from zerograd.system import here

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zerograd.watch.process.session import Session

CELL = re.compile(r"%%watch(?=\s|$)(.*)")
USAGE = "write %zerograd on, %zerograd off or %zerograd report"
_loaded: dict[int, NotebookMagics] = {}
"""The magics of each shell; a process has one."""


def load(shell: Any) -> None:
    """Register the magics; a second time changes nothing."""
    if id(shell) not in _loaded:
        _loaded[id(shell)] = NotebookMagics(shell)
        _loaded[id(shell)].register()


def unload(shell: Any) -> None:
    """Take the magics away, and stop to watch."""
    magics = _loaded.pop(id(shell), None)
    if magics is not None:
        magics.unregister()


class NotebookMagics:
    """What the magics do, and what was found in each execution of a cell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._all: Session | None = None
        """Watches every cell, between `%zerograd on` and `off`."""
        self._running: list[object] = []
        """The cells that run now, as IPython tells of them: `%run` in one runs others."""
        self._cells: list[tuple[object, Session]] = []
        """What watches those of them that begin with `%%watch`."""
        self._told: list[tuple[str, str]] = []
        """What was found since `%zerograd on`, as HTML and as text, by execution."""
        self._waiting: list[tuple[str, str]] = []
        """What is shown when the outermost cell has ended: `%%capture` would swallow it before."""
        self._steps = 0
        """How many steps the executions before this one took, since `%zerograd on`."""

    def register(self) -> None:
        """Become part of the shell."""
        # A cell that begins with `%%watch` runs as any other, with its own line numbers, output
        # and `await`: its first line becomes a call. A cell magic would have to run it by itself.
        self._shell.input_transformers_cleanup.append(self.transform)
        self._shell.register_magic_function(self.zerograd, "line", "zerograd")
        self._shell.register_magic_function(self.watch_cell, "cell", "watch")
        self._shell.events.register("pre_run_cell", self._running.append)
        self._shell.events.register("post_run_cell", self._cell_ended)

    def unregister(self) -> None:
        """Leave the shell."""
        self._stop_all()
        self._shell.input_transformers_cleanup.remove(self.transform)
        self._shell.events.unregister("pre_run_cell", self._running.append)
        self._shell.events.unregister("post_run_cell", self._cell_ended)
        for kind, name in (("line", "zerograd"), ("cell", "watch")):
            self._shell.magics_manager.magics[kind].pop(name, None)

    def transform(self, lines: list[str]) -> list[str]:
        """Replace `%%watch` by a call that begins to watch; the cell keeps its number of lines."""
        found = CELL.match(lines[0]) if lines else None
        if found is None:
            return lines
        begin = f"get_ipython().run_line_magic('zerograd', {f'cell{found[1]}'.strip()!r})\n"
        if len(lines) > 1 and lines[1].startswith("%%"):
            return [lines[1], begin, *lines[2:]]  # `%%time` below it stays the first line
        return [begin, *lines[1:]]

    def watch_cell(self, line: str, cell: str) -> None:
        """Watch the gradients of this cell: `%%watch --hints --select ZG1 --ignore missing-zero`.

        Findings are shown under the cell when it has ended.
        """
        # Reached only where `%%watch` is not the first line that IPython sees.
        self._shell.run_cell(f"%%watch {line}\n{cell}")

    def zerograd(self, line: str) -> None:
        """Watch the gradients of all cells that follow: `%zerograd on`, `off` or `report`.

        `on` takes the options of `%%watch`.
        """
        word, _, rest = line.strip().partition(" ")
        if word == "cell":
            cell = self._running[-1] if self._running else None
            self._cells.append((cell, self._begun(rest)))
        elif word == "on":
            self._stop_all()
            self._told, self._steps = [], 0
            self._all = self._begun(rest)
        elif word == "off" and not rest.strip():
            self._off()
        elif word == "report" and not rest.strip():
            self._show_all()
        else:
            raise usage_error(USAGE)

    def _begun(self, options: str) -> Session:
        """Watch from here on, and know the optimizers that earlier cells have built."""
        from zerograd.watch.process.session import Session

        session = Session(settings_from(options))
        session.start()
        for value in optimizers_in(self._shell.user_ns.values()):
            session.meet(value)
        return session

    def _cell_ended(self, result: Any) -> None:
        """Show what this execution has brought to light."""
        cell = getattr(result, "info", None)
        if cell in self._running:
            del self._running[self._running.index(cell) :]
        ended = [one for begun, one in self._cells if begun not in self._running]
        self._cells = [(begun, one) for begun, one in self._cells if begun in self._running]
        for one in ended:
            # A cell is not a whole run: what it never stepped may be stepped by the next.
            one.stop(getattr(result, "error_in_exec", None), whole=False)
            self._show(one, always=True)
        if self._running:
            return
        if self._all is not None:
            # `%%watch` in this cell shows the same.
            self._show(self._all, always=False, hidden=bool(self._waiting))
            self._all.count_anew()
            self._steps = self._all.observer.steps.count
        waiting, self._waiting = self._waiting, []
        for html, text in waiting:
            self._publish(html, text)

    def _show(self, session: Session, *, always: bool, hidden: bool = False) -> None:
        from zerograd.integrations import notebook_html

        findings = session.findings
        words = session.internal_words()
        if words is not None:
            self._waiting.append(notebook_html.broken(words))
        elif findings or always:
            before = self._steps if session is self._all else 0
            shown = notebook_html.shown(findings, notebook_html.closing(findings, session, before))
            if session is self._all:
                self._told.append(shown)
            if not hidden:
                self._waiting.append(shown)

    def _off(self) -> None:
        session = self._all
        if session is None:
            raise usage_error("nothing is watched; %zerograd on begins to watch")
        session.stop(whole=False)
        self._show(session, always=False)
        self._all = None

    def _stop_all(self) -> None:
        cells = [session for _, session in self._cells]
        for session in (self._all, *cells):
            if session is not None:
                session.silence()
        self._all, self._cells = None, []

    def _show_all(self) -> None:
        from zerograd.integrations import notebook_html

        if not self._told:
            self._publish(*notebook_html.shown([], "Found nothing since %zerograd on."))
        for html, text in self._told:
            self._publish(html, text)

    def _publish(self, html: str, text: str) -> None:
        self._shell.display_pub.publish(data={"text/html": html, "text/plain": text}, metadata={})


class Options(ArgumentParser):
    """The options of `%%watch`; a mistake is a sentence in the cell, not the end of the kernel."""

    def __init__(self) -> None:
        super().__init__(prog="%%watch", add_help=False, allow_abbrev=False)
        self.add_argument("--select", default="")
        self.add_argument("--ignore", default="")
        self.add_argument("--hints", action="store_true", default=None)
        self.add_argument("--preview", action="store_true", default=None)

    def error(self, message: str) -> NoReturn:
        """Say what can be written."""
        raise usage_error(f"{message}; %%watch takes --select, --ignore, --hints and --preview")


def settings_from(options: str) -> Any:
    """Return the settings of the notebook's folder, with these options over them."""
    parser = Options()
    try:
        words = split(options)
    except ValueError as error:
        parser.error(str(error))
    given = parser.parse_args(words)
    lists = {
        name: tuple(item.strip() for item in getattr(given, name).split(",") if item.strip())
        for name in ("select", "ignore")
    }
    choices = {"hints": given.hints, "preview": given.preview}
    try:
        return load_settings(here(), command_line={**lists, **choices})
    except ZerogradError as error:
        raise usage_error(str(error)) from None


def optimizers_in(values: Iterable[object]) -> list[Any]:
    """Return the optimizers among a notebook's variables, each once."""
    from torch.optim import Optimizer

    # `isinstance` would ask each for its `__class__`, which proxies compute, and may raise.
    found = {id(value): value for value in values if issubclass(type(value), Optimizer)}
    return list(found.values())


def usage_error(sentence: str) -> Exception:
    """Return what IPython shows as one line, without a traceback."""
    from IPython.core.error import UsageError

    error: Exception = UsageError(sentence)
    return error
