"""Who writes to a stream is a short list: nobody prints a name without making it harmless."""

from __future__ import annotations

import ast
from pathlib import Path

import zerograd

ROOT = Path(zerograd.__file__).parent

PRINTS = {
    "printable.py": "`say()`: every sentence of our own",
    "cli/main.py": "the help, which is ours, and the lines of a traceback, each made printable",
    "cli/terminal.py": "pages and tables of the rules, which are ours",
    "cli/output.py": "a report, whose renderers make it printable, and its summary",
    "cli/lint.py": "settings as TOML, with everything hidden escaped",
    "cli/lint_report.py": "counts, and loops that were not checked",
    "cli/lint_fix.py": "the source that came from standard input, as it should be",
    "cli/lint_diff.py": "a difference: byte for byte to a program, printable on a terminal",
    "cli/explain.py": "pages of the rules, which are ours",
    "cli/explain_run.py": "what the programs of those pages print",
    "cli/rules.py": "the table of the rules",
    "cli/migrate.py": "a difference, made printable line by line",
    "cli/prove.py": "how windows compare, made printable",
    "cli/doctor.py": "what is installed, made printable",
    "cli/progress.py": "how many files are done",
    "cli/why_silent.py": "rules by name, and what stopped a loop, made printable",
    "watch/process/page_program.py": "what the programs of our pages do",
}


def prints(source: str) -> bool:
    """Tell whether a module calls what writes to a stream."""
    calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return any(is_stream(ast.unparse(call)) for call in calls)


def is_stream(call: str) -> bool:
    """Tell whether a function writes to stdout or stderr."""
    writes = call.startswith(("sys.stdout.", "sys.stderr.")) and ".write" in call
    return writes or call in {
        "print",
        "click.echo",
        "click.secho",
        "Console",
        "traceback.print_exc",
    }


def test_only_these_modules_write_to_a_stream() -> None:
    found = {
        file.relative_to(ROOT).as_posix()
        for file in ROOT.rglob("*.py")
        if prints(file.read_text("utf-8"))
    }

    assert found == set(PRINTS)


def test_the_search_finds_who_prints() -> None:
    assert prints("def f():\n    sys.stderr.write(name)\n")
    assert prints("sys.stdout.buffer.writelines(names)")
    assert prints("print(name)")
    assert not prints("stream.write(name)\nsay(name)\n")
