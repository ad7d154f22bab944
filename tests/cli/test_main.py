"""How the command line ends: quietly, with one sentence, or with the status that it documents."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

import click
import pytest

from zerograd import __version__
from zerograd.cli import main
from zerograd.cli.verbs import SUMMARIES, VERBS

if TYPE_CHECKING:
    from pathlib import Path


NOWHERE = (
    "zerograd: the working directory was deleted, or may not be read; "
    "`cd` to one that exists and try again\n"
)


def zerograd(*arguments: str) -> list[str]:
    """Return the command line that runs zerograd in a process of its own."""
    return [sys.executable, "-m", "zerograd", *arguments]


def ending_with(exception: BaseException) -> click.Command:
    """Return a verb that ends with this exception."""

    def callback() -> NoReturn:
        raise exception

    return click.Command("fail", callback=callback)


@pytest.mark.parametrize("verb", SUMMARIES)
def test_a_verb_is_the_command_of_its_module_with_the_summary_of_the_table(verb: str) -> None:
    command: click.Command = import_module(f"zerograd.cli.{verb}").command

    assert command.name == verb
    assert command.short_help == SUMMARIES[verb]


@pytest.mark.parametrize("verb", SUMMARIES)
def test_the_help_of_every_verb_has_examples_and_says_how_it_ends(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main([verb, "--help"])

    said = capsys.readouterr().out
    assert status == 0
    assert f"  Examples:\n    zerograd {verb}" in said
    assert "Exit status: " in said


def test_the_help_lists_every_verb_with_its_summary(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["--help"])

    said = capsys.readouterr().out
    assert status == 0
    assert said.endswith(
        "Commands:\n"
        "  doctor   say what works here, and what to type where not\n"
        "  explain  say what a rule or a question is about\n"
        "  lint     find gradient faults in source\n"
        "  prove    compare each step of a script with the gradient of its whole batch\n"
        "  rules    list the rules\n"
        "  server   serve findings to an editor\n"
        "  watch    run a script and report its gradient faults\n"
    )


def test_without_a_verb_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    status = main([])

    assert status == 0
    assert capsys.readouterr().out.startswith("Usage: zerograd ")


@pytest.mark.parametrize("verb", [[], ["lint"]], ids=["alone", "with a verb"])
def test_help_typed_as_a_verb_prints_the_help(
    verb: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main([*verb, "--help"])
    usual = capsys.readouterr().out

    status = main(["help", *verb])

    assert status == 0
    assert capsys.readouterr().out == usual


def test_help_for_a_verb_that_does_not_exist_names_the_help_that_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = main(["help", "tidy"])

    assert status == 2
    assert capsys.readouterr().err == ("zerograd: no such command 'tidy'\nTry `zerograd --help`.\n")


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["--version"])

    assert status == 0
    assert capsys.readouterr().out == f"zerograd, version {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["rlues"],
            "zerograd: no such command 'rlues'. Did you mean 'rules'?\nTry `zerograd --help`.\n",
        ),
        (
            ["rules", "--formt", "json"],
            (
                "zerograd: no such option '--formt'. Did you mean '--format'?\n"
                "Try `zerograd rules --help`.\n"
            ),
        ),
        (
            ["rules", "--format", "xml"],
            (
                "zerograd: invalid value for '--format': 'xml' is not one of 'text', 'json'\n"
                "Try `zerograd rules --help`.\n"
            ),
        ),
    ],
)
def test_a_mistake_on_the_command_line_is_one_sentence_and_status_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(arguments)

    out, err = capsys.readouterr()
    assert (status, out, err) == (2, "", sentence)


def test_ctrl_c_ends_with_130_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(VERBS, "fail", ending_with(KeyboardInterrupt()))

    status = main(["fail"])

    assert status == 130
    assert capsys.readouterr().err.strip() == ""


def test_a_bug_of_ours_shows_its_traceback_asks_for_it_and_is_no_finding(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(VERBS, "fail", ending_with(RuntimeError("lost")))

    status = main(["fail"])

    said = capsys.readouterr().err
    assert status == 2
    assert "RuntimeError: lost" in said
    assert said.endswith("zerograd: internal error; please report it with the lines above\n")


def test_an_error_of_click_without_a_command_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(VERBS, "fail", ending_with(click.ClickException("Nothing to do.")))

    status = main(["fail"])

    assert (status, capsys.readouterr().err) == (2, "zerograd: nothing to do\n")


@pytest.mark.parametrize(
    "typed",
    [
        ["lint"],
        ["lint", "{0}/train.py", "--write-baseline"],
        ["watch", "{0}/train.py"],
        ["watch", "--recover"],
        ["prove", "{0}/train.py"],
    ],
    ids=" ".join,
)
def test_a_working_directory_that_was_deleted_is_one_sentence_that_says_what_to_type(
    typed: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "train.py").write_text("import torch\n")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()

    status = main([word.format(tmp_path) for word in typed])

    assert (status, capsys.readouterr()) == (2, ("", NOWHERE))


def test_a_full_disk_is_one_sentence_and_status_2() -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123  a device, not a path to handle
        run = subprocess.run(zerograd("rules"), stdout=full, stderr=subprocess.PIPE, text=True)

    assert run.returncode == 2
    assert run.stderr == "zerograd: [Errno 28] No space left on device\n"


def test_a_reader_that_has_gone_is_no_error() -> None:
    with subprocess.Popen(
        zerograd("rules"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        _, said = process.communicate()

    assert said == ""


@pytest.mark.parametrize(
    ("redirection", "arguments", "status"),
    [
        (">&-", "rules", 0),
        (">&-", "explain missing-zero", 0),
        (">&- 2>&-", "rules", 0),
        ("2>&-", "explain no-such-page", 2),
        ("2>&-", "rules --format xml", 2),
    ],
)
def test_without_stdout_or_stderr_only_the_status_tells(
    redirection: str, arguments: str, status: int
) -> None:
    command = f"exec {sys.executable} -m zerograd {arguments} {redirection}"

    run = subprocess.run(["sh", "-c", command], capture_output=True, text=True)

    assert (run.returncode, run.stdout, run.stderr) == (status, "", "")


def test_an_ascii_only_stream_gets_question_marks_instead_of_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")

    run = subprocess.run(zerograd("explain", "é"), capture_output=True, text=True)

    assert run.returncode == 2
    assert run.stderr.startswith("zerograd: no page '?'; ")
