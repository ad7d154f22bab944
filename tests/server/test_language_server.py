"""The language server, in a process of its own, as an editor talks to it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from editor_client import Editor, applied

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BROKEN = """\
import torch

model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for inputs, targets in loader:
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
"""
REPAIRED = BROKEN.replace("    loss.b", "    optimizer.zero_grad()\n    loss.b")

STRANGERS = ("click", "lsprotocol", "pygls", "sitecustomize", "torch", "zerograd")
"""Modules in the workspace that the server must not take for its own."""

HELPER = """\
def clear(optimizer):
    optimizer.zero_grad()
"""
CALLER = """\
import torch
from helper import clear

model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for inputs, targets in loader:
    clear(optimizer)
    torch.nn.functional.mse_loss(model(inputs), targets).backward()
    optimizer.step()
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    workspace, other = tmp_path_factory.mktemp("workspace"), tmp_path_factory.mktemp("other")
    for name in STRANGERS:
        (workspace / f"{name}.py").write_text(f"open({str(other / 'ran')!r}, 'w')\n")
    return [workspace, other]


@pytest.fixture(scope="module")
def editor(folders: list[Path]) -> Iterator[Editor]:
    editor = Editor(folders)
    yield editor
    status = editor.end()
    assert status == 0


@pytest.fixture
def uri(folders: list[Path], editor: Editor, request: pytest.FixtureRequest) -> Iterator[str]:
    uri = (folders[0] / f"{request.node.name}.py").as_uri()
    yield uri
    editor.close(uri)


def codes(diagnostics: list[dict[str, Any]]) -> list[str]:
    return [one["code"] for one in diagnostics]


def configure(editor: Editor, settings: dict[str, Any]) -> None:
    editor.notify("workspace/didChangeConfiguration", settings={"zerograd": settings})


def titled(actions: list[dict[str, Any]], beginning: str) -> dict[str, Any]:
    (action,) = [one for one in actions if one["title"].startswith(beginning)]
    return action


def test_a_text_that_was_never_saved_is_linted_with_its_witness(editor: Editor, uri: str) -> None:
    editor.open(uri, BROKEN)
    (found,) = editor.diagnostics(uri)

    assert found["code"] == "ZG101"
    assert found["source"] == "zerograd"
    assert found["severity"] == 1
    assert found["range"] == {
        "start": {"line": 6, "character": 4},
        "end": {"line": 6, "character": 19},
    }
    assert found["message"] == (
        "missing-zero: `loss.backward()` adds to gradients that were already spent: "
        "`optimizer` is never cleared\n"
        "help: call `optimizer.zero_grad()` before this backward"
    )
    (spent,) = found["relatedInformation"]
    assert spent["message"] == "spent by `optimizer.step()`"
    assert spent["location"]["uri"] == uri
    assert spent["location"]["range"]["start"] == {"line": 7, "character": 4}


def test_the_repair_is_marked_and_ends_the_finding(editor: Editor, uri: str) -> None:
    editor.open(uri, BROKEN)
    editor.diagnostics(uri)

    repair = titled(editor.actions(uri, 7), "missing-zero:")
    editor.change(uri, applied(BROKEN, repair))

    assert repair["title"].endswith("(changes what is computed)")
    assert repair["isPreferred"] is False
    assert repair["edit"]["documentChanges"][0]["textDocument"] == {"uri": uri, "version": 1}
    assert applied(BROKEN, repair) == REPAIRED
    assert editor.diagnostics(uri) == []


def test_the_ignore_comment_ends_the_finding(editor: Editor, uri: str) -> None:
    editor.open(uri, BROKEN)
    editor.diagnostics(uri)

    ignored = applied(BROKEN, titled(editor.actions(uri, 7), "Ignore missing-zero"))
    editor.change(uri, ignored)

    assert "    loss.backward()  # zerograd: ignore[missing-zero]\n" in ignored
    assert editor.diagnostics(uri) == []


def test_fix_all_writes_what_is_safe_and_only_on_request_the_rest(editor: Editor, uri: str) -> None:
    text = BROKEN.replace("import torch\n", "import torch  # zerograd: ignore[spent-twice]\n")
    configure(editor, {"extend-select": ["unused-ignore"]})
    editor.open(uri, text)
    found = editor.diagnostics(uri)

    (on_saving,) = editor.actions(uri, 1, only=["source.fixAll"])
    every = titled(editor.actions(uri, 1), "Apply all repairs")
    every = editor.request("codeAction/resolve", **every)
    configure(editor, {})

    assert [one.get("tags") for one in found] == [[1], None]
    assert on_saving["kind"] == "source.fixAll.zerograd"
    assert applied(text, on_saving) == BROKEN
    assert every["title"] == "Apply all repairs of zerograd (changes what is computed)"
    assert every["kind"] == "quickfix"
    assert applied(text, every) == REPAIRED


def test_nothing_safe_to_write_is_nothing_to_do_on_saving(editor: Editor, uri: str) -> None:
    editor.open(uri, BROKEN)
    editor.diagnostics(uri)

    assert editor.actions(uri, 7, only=["source.fixAll"]) == []


def test_a_repair_of_an_old_text_is_not_offered_for_a_new_one(editor: Editor, uri: str) -> None:
    editor.open(uri, BROKEN)
    editor.diagnostics(uri)

    editor.change(uri, "\n" + BROKEN)

    assert editor.actions(uri, 7) == []
    assert codes(editor.diagnostics(uri)) == ["ZG101"]


def test_hovering_shows_the_page_also_over_a_pragma(editor: Editor, uri: str) -> None:
    def hover(line: int, character: int) -> Any:
        place = {"line": line - 1, "character": character}
        return editor.request("textDocument/hover", textDocument={"uri": uri}, position=place)

    editor.open(uri, BROKEN + "x = 1  # zerograd: ignore[spent-twice]\n")
    editor.diagnostics(uri)

    assert hover(7, 6)["contents"]["kind"] == "markdown"
    assert "# missing-zero (ZG101)\n" in hover(7, 6)["contents"]["value"]
    assert hover(9, 30)["contents"]["value"].startswith("# spent-twice (ZG302)\n")
    assert hover(3, 2) is None


def test_an_action_explains_the_rule(editor: Editor, uri: str) -> None:
    editor.open(uri, BROKEN)
    editor.diagnostics(uri)

    command = titled(editor.actions(uri, 7), "Explain")["command"]
    page = editor.request(
        "workspace/executeCommand", command=command["command"], arguments=command["arguments"]
    )

    assert page.startswith("# missing-zero (ZG101)\n")


def test_columns_count_as_the_editor_counts(editor: Editor, uri: str) -> None:
    editor.open(uri, BROKEN.replace("    loss.backward()", "    '\N{ROCKET}'; loss.backward()"))
    (found,) = editor.diagnostics(uri)

    assert found["range"]["start"] == {"line": 6, "character": 10}
    assert found["range"]["end"] == {"line": 6, "character": 25}


def test_a_form_feed_is_no_end_of_a_line(editor: Editor, uri: str) -> None:
    editor.open(uri, "\f" + BROKEN)
    (found,) = editor.diagnostics(uri)

    assert found["range"]["start"]["line"] == 6


def test_a_repair_ends_its_lines_as_the_text_does(editor: Editor, uri: str) -> None:
    editor.open(uri, BROKEN.replace("\n", "\r\n"))
    editor.diagnostics(uri)

    repair = titled(editor.actions(uri, 7), "missing-zero:")

    (edit,) = repair["edit"]["documentChanges"][0]["edits"]
    assert edit["newText"] == "    optimizer.zero_grad()\r\n"


def test_python_is_linted_whatever_its_file_is_called(editor: Editor, folders: list[Path]) -> None:
    script = (folders[0] / "train").as_uri()

    editor.open(script, BROKEN)
    found = editor.diagnostics(script)
    editor.close(script)

    assert codes(found) == ["ZG101"]


def test_a_text_without_a_file_is_linted(editor: Editor) -> None:
    editor.open("untitled:Untitled-1", BROKEN)

    found = editor.diagnostics("untitled:Untitled-1")
    editor.close("untitled:Untitled-1")

    assert codes(found) == ["ZG101"]


def test_the_unsaved_text_of_another_file_counts(
    editor: Editor, folders: list[Path], uri: str
) -> None:
    (folders[0] / "helper.py").write_text(HELPER)
    helper = (folders[0] / "helper.py").as_uri()
    editor.open(uri, CALLER)
    before = editor.diagnostics(uri)

    editor.open(helper, HELPER)
    editor.diagnostics(uri)
    editor.change(helper, HELPER.replace("optimizer.zero_grad()", "pass"))
    after = editor.diagnostics(uri)
    editor.close(helper)

    assert before == []
    assert codes(after) == ["ZG101"]


def test_a_text_that_is_closed_unsaved_counts_no_more(
    editor: Editor, folders: list[Path], uri: str
) -> None:
    (folders[0] / "helper.py").write_text(HELPER)
    helper = (folders[0] / "helper.py").as_uri()
    editor.open(uri, CALLER)
    editor.diagnostics(uri)

    editor.open(helper, HELPER.replace("optimizer.zero_grad()", "pass"))
    while_open = editor.diagnostics(uri)
    editor.close(helper)

    assert codes(while_open) == ["ZG101"]
    assert editor.diagnostics(uri) == []


def test_cells_of_a_notebook_are_one_program(editor: Editor, folders: list[Path]) -> None:
    setup, loop = BROKEN.split("for ")
    loop = f"for {loop}"
    notebook = (folders[0] / "lesson.ipynb").as_uri()

    first, second = editor.opened_notebook(notebook, [setup, loop])
    assert editor.diagnostics(first) == []
    (found,) = editor.diagnostics(second)
    repair = titled(editor.actions(second, 3), "missing-zero:")
    insert = repair["edit"]["documentChanges"][0]["edits"][0]
    editor.change_cell(notebook, second, {"range": insert["range"], "text": insert["newText"]})

    assert found["range"]["start"] == {"line": 2, "character": 4}
    assert found["relatedInformation"][0]["location"]["uri"] == second
    assert repair["edit"]["documentChanges"][0]["textDocument"]["uri"] == second
    assert editor.diagnostics(second) == []


def test_a_notebook_that_is_open_as_json_has_its_witness_there(
    editor: Editor, folders: list[Path]
) -> None:
    cells = [{"cell_type": "code", "source": BROKEN.splitlines(keepends=True)}]
    text = json.dumps({"cells": cells, "metadata": {}}, indent=1)
    uri = (folders[0] / "as_text.ipynb").as_uri()

    editor.open(uri, text)
    (found,) = editor.diagnostics(uri)
    editor.close(uri)

    lines = text.split("\n")
    (spent,) = found["relatedInformation"]
    assert "loss.backward()" in lines[found["range"]["start"]["line"]]
    assert "optimizer.step()" in lines[spent["location"]["range"]["start"]["line"]]


def test_columns_in_a_file_that_is_not_open_count_as_the_editor_counts(
    editor: Editor, folders: list[Path], uri: str
) -> None:
    taken = "def take(optimizer):\n    '\N{ROCKET}'; optimizer.step()\n"
    (folders[0] / "taking.py").write_text(taken, encoding="utf-8")

    loop = BROKEN.replace("optimizer.step()", "take(optimizer)")
    editor.open(uri, f"from taking import take\n{loop}")
    (found,) = editor.diagnostics(uri)

    (spent,) = found["relatedInformation"]
    assert spent["location"]["uri"] == (folders[0] / "taking.py").as_uri()
    assert spent["location"]["range"]["start"] == {"line": 1, "character": 10}


def test_parts_of_a_cell_land_where_the_editor_means(editor: Editor, folders: list[Path]) -> None:
    notebook = (folders[0] / "separators.ipynb").as_uri()
    strange = "text = 'a\u2028b\x0cc'\n" + REPAIRED

    (cell,) = editor.opened_notebook(notebook, [strange])
    clean = editor.diagnostics(cell)
    line = {"start": {"line": 7, "character": 4}, "end": {"line": 7, "character": 25}}
    editor.change_cell(notebook, cell, {"range": line, "text": "pass"})
    (found,) = editor.diagnostics(cell)

    assert clean == []
    assert found["code"] == "ZG101"
    assert found["range"]["start"] == {"line": 8, "character": 4}


def test_a_message_that_makes_no_sense_is_told_and_the_server_goes_on(
    editor: Editor, uri: str
) -> None:
    stranger = {"uri": "file:///never/opened.py", "version": 2}
    editor.forget()

    editor.notify("textDocument/didChange", textDocument=stranger, contentChanges=[{"text": ""}])
    complaint = editor.heard("window/showMessage")
    editor.open(uri, BROKEN)

    assert complaint["message"] == (
        "zerograd: cannot take a message of the editor: KeyError: 'file:///never/opened.py'"
    )
    assert codes(editor.diagnostics(uri)) == ["ZG101"]


def test_a_request_that_makes_no_sense_is_answered(editor: Editor) -> None:
    with pytest.raises(AssertionError, match="Invalid Params"):
        editor.request("textDocument/hover", nonsense=True)

    with pytest.raises(AssertionError, match="Method Not Found"):
        editor.request("textDocument/nonsense")


def test_settings_are_read_again_when_they_change(
    editor: Editor, folders: list[Path], uri: str
) -> None:
    settings = folders[0] / "zerograd.toml"

    def changed(text: str) -> None:
        settings.write_text(text)
        event = {"uri": settings.as_uri(), "type": 2}
        editor.notify("workspace/didChangeWatchedFiles", changes=[event])

    editor.open(uri, BROKEN)
    before = editor.diagnostics(uri)
    changed('ignore = ["missing-zero"]\n')
    ignored = editor.diagnostics(uri)
    changed("ignore = 7\n")
    complaint = editor.heard("window/showMessage")
    settings.unlink()
    changed("")
    after = editor.diagnostics(uri)
    settings.unlink()

    assert (codes(before), codes(ignored), codes(after)) == (["ZG101"], [], ["ZG101"])
    assert complaint["type"] == 1
    assert complaint["message"] == (
        "zerograd: zerograd.toml: ignore must be a list of strings, not a number; "
        'write ignore = ["missing-zero"]'
    )


def test_a_file_that_was_opened_under_wrong_settings_is_linted_once_they_are_right(
    editor: Editor, folders: list[Path], uri: str
) -> None:
    settings = folders[0] / "zerograd.toml"
    settings.write_text("ignore = true\n")
    editor.forget()

    editor.open(uri, BROKEN)
    complaint = editor.heard("window/showMessage")
    settings.unlink()
    event = {"uri": settings.as_uri(), "type": 3}
    editor.notify("workspace/didChangeWatchedFiles", changes=[event])

    assert complaint["message"].startswith("zerograd: zerograd.toml: ignore must be a list")
    assert codes(editor.diagnostics(uri)) == ["ZG101"]


def test_every_workspace_folder_has_its_own_settings(
    editor: Editor, folders: list[Path], uri: str
) -> None:
    (folders[1] / "zerograd.toml").write_text('ignore = ["ZG1"]\n')
    other = (folders[1] / "train.py").as_uri()

    editor.open(other, BROKEN)
    quiet = editor.diagnostics(other)
    editor.close(other)
    editor.open(uri, BROKEN)

    assert quiet == []
    assert codes(editor.diagnostics(uri)) == ["ZG101"]


def test_the_editors_own_settings_hold(editor: Editor, uri: str) -> None:
    editor.open(uri, BROKEN)
    editor.diagnostics(uri)

    configure(editor, {"ignore": ["missing-zero"], "path": "zerograd"})
    quiet = editor.diagnostics(uri)
    configure(editor, {})

    assert quiet == []
    assert codes(editor.diagnostics(uri)) == ["ZG101"]


def test_a_wrong_setting_of_the_editor_is_called_one(editor: Editor, uri: str) -> None:
    configure(editor, {"ignore": "missing-zero"})
    editor.forget()

    editor.open(uri, BROKEN)
    complaint = editor.heard("window/showMessage")
    configure(editor, {})

    assert complaint["message"] == (
        "zerograd: zerograd.ignore in the editor's settings must be a list of strings, "
        'not a string; write ignore = ["missing-zero"]'
    )
    assert codes(editor.diagnostics(uri)) == ["ZG101"]


def test_a_burst_of_changes_is_linted_fewer_times_than_it_has_changes(
    editor: Editor, uri: str
) -> None:
    editor.open(uri, BROKEN)
    editor.diagnostics(uri)

    for length in range(50):
        editor.change(uri, BROKEN + "# " + "x" * length)
    told = [editor.heard("textDocument/publishDiagnostics")]
    while told[-1].get("version") != 51:
        told.append(editor.heard("textDocument/publishDiagnostics"))

    assert len(told) < 25
    assert codes(told[-1]["diagnostics"]) == ["ZG101"]


def test_an_excluded_file_is_left_alone(editor: Editor, folders: list[Path]) -> None:
    uri = (folders[0] / ".venv" / "lib" / "train.py").as_uri()

    editor.open(uri, BROKEN)
    found = editor.diagnostics(uri)
    editor.close(uri)

    assert found == []


def test_a_file_that_is_closed_has_no_findings(editor: Editor, folders: list[Path]) -> None:
    uri = (folders[0] / "closed.py").as_uri()

    editor.open(uri, BROKEN)
    before = editor.diagnostics(uri)
    editor.close(uri)

    assert codes(before) == ["ZG101"]
    assert editor.diagnostics(uri) == []


def test_nothing_in_the_workspace_was_imported_or_run(
    editor: Editor, folders: list[Path], uri: str
) -> None:
    editor.open(uri, "import zerograd, torch\n" + BROKEN)

    assert codes(editor.diagnostics(uri)) == ["ZG101"]
    assert not (folders[1] / "ran").exists()


def test_an_editor_that_leaves_without_shutdown_is_told_so_by_the_exit_status(
    tmp_path: Path,
) -> None:
    editor = Editor([tmp_path])

    editor.notify("exit")

    assert editor.wait() == 1


def test_without_pygls_one_sentence_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['pygls'] = None; from zerograd.cli import main; "
        "sys.exit(main(['server']))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert done.stderr == (
        "zerograd: the language server needs pygls; pip install 'zerograd[lsp]'\n"
    )


def test_the_server_says_what_it_can_do(editor: Editor) -> None:
    assert json.loads(json.dumps(editor.capabilities["codeActionProvider"])) == {
        "codeActionKinds": ["quickfix", "source.fixAll.zerograd"],
        "resolveProvider": True,
    }
    assert editor.capabilities["textDocumentSync"]["change"] == 1
