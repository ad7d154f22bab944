"""A terminal gets colour and rendered pages through rich; a pipe gets text, and rich stays out."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO

import pytest

from zerograd.cli import main
from zerograd.rules.questions import read_topic

ESCAPE = "\x1b["

# Runs one command and then says on stderr whether rich was loaded.
PROGRAM = """
import sys
from zerograd.cli import main
main(sys.argv[1:])
print("rich" in sys.modules, file=sys.stderr)
"""


def command(*arguments: str) -> list[str]:
    """Return a command line that runs zerograd and says whether rich was loaded."""
    return [sys.executable, "-c", PROGRAM, *arguments]


def environment(**variables: str) -> dict[str, str]:
    """Return this process's environment with a plain terminal's variables, and these."""
    decided = {"NO_COLOR", "FORCE_COLOR", "PYTHONIOENCODING", "COLORTERM"}
    inherited = {name: value for name, value in os.environ.items() if name not in decided}
    return inherited | {"TERM": "xterm-256color", "COLUMNS": "80", "PYTHONUTF8": "1"} | variables


def on_a_terminal(*arguments: str, **variables: str) -> tuple[str, bool]:
    """Run a command on a terminal and return what it showed, and whether it loaded rich."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command(*arguments), stdout=theirs, stderr=subprocess.PIPE, env=environment(**variables)
    ) as process:
        os.close(theirs)
        shown = b"".join(iter(lambda: read(ours), b""))
        _, said = process.communicate()
    os.close(ours)
    return shown.decode().replace("\r\n", "\n"), said == b"True\n"


def read(terminal: int) -> bytes:
    """Read from a terminal, which reports the end as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def in_a_pipe(*arguments: str, **variables: str) -> tuple[str, bool]:
    """Run a command into a pipe and return what it wrote, and whether it loaded rich."""
    run = subprocess.run(
        command(*arguments), capture_output=True, text=True, env=environment(**variables)
    )
    return run.stdout, run.stderr == "True\n"


@pytest.mark.parametrize("arguments", [("rules",), ("explain", "missing-zero"), ("explain",)])
def test_a_pipe_gets_plain_text_and_rich_is_not_loaded(arguments: tuple[str, ...]) -> None:
    text, rich = in_a_pipe(*arguments)

    assert ESCAPE not in text
    assert not rich


@pytest.mark.parametrize("arguments", [("rules",), ("explain", "missing-zero"), ("explain",)])
def test_a_terminal_gets_colour_and_rich_is_loaded(arguments: tuple[str, ...]) -> None:
    text, rich = on_a_terminal(*arguments)

    assert ESCAPE in text
    assert rich


def test_force_color_colours_a_pipe() -> None:
    text, rich = in_a_pipe("rules", FORCE_COLOR="1")

    assert ESCAPE in text
    assert rich


def test_no_color_keeps_the_layout_and_drops_the_colours() -> None:
    text, rich = on_a_terminal("rules", "ZG101", NO_COLOR="1")

    assert f"{ESCAPE}31m" not in text
    assert "\n       deposits on top of gradients that a step already spent" in plain(text)
    assert rich


def test_a_dumb_terminal_gets_plain_text() -> None:
    text, rich = on_a_terminal("rules", "ZG101", TERM="dumb")

    assert ESCAPE not in text
    assert not rich


def test_an_ascii_only_terminal_gets_plain_text() -> None:
    text, rich = on_a_terminal("explain", "missing-zero", PYTHONIOENCODING="ascii")

    assert text.isascii()
    assert not rich


def test_a_narrow_terminal_shows_each_fault_below_its_rule() -> None:
    text, _ = on_a_terminal("rules", "ZG503", COLUMNS="80")

    table, _, legend = plain(text).partition("\n\n")
    assert legend.lstrip().startswith("SEVERITY  the highest that a finding of the rule can have")
    assert table.split("\n") == [
        "CODE   NAME              SEVERITY  SEEN  STATUS  REAL  FALSE",
        "       FAULT",
        "ZG503  wrapper-bypassed  error     LWE   stable  1     0    ",
        "       the bare module is called instead of its DDP wrapper",
    ]


def test_what_to_type_stands_on_a_line_of_its_own_below_its_question() -> None:
    text, _ = on_a_terminal("explain", COLUMNS="80")

    lines = [line.strip() for line in plain(text).split("\n")]
    assert lines[lines.index("zerograd explain tracking") - 1].endswith("update by hand?")


def test_a_wide_terminal_shows_a_rule_in_one_line() -> None:
    text, _ = on_a_terminal("rules", "ZG503", COLUMNS="160")

    assert plain(text).partition("\n\n")[0].split("\n") == [
        "CODE   NAME              SEVERITY  SEEN  STATUS  REAL  FALSE  FAULT",
        (
            "ZG503  wrapper-bypassed  error     LWE   stable  1     0      "
            "the bare module is called instead of its DDP wrapper"
        ),
    ]


def plain(text: str) -> str:
    """Return a terminal's text without its escape sequences."""
    from rich.text import Text

    return Text.from_ansi(text).plain


def test_output_that_names_no_encoding_gets_text() -> None:
    written = StringIO()

    with redirect_stdout(written):
        status = main(["explain", "adam"])

    assert status == 0
    assert written.getvalue() == read_topic("adam")
