"""What the language server lints is what the command line lints, however often it is asked."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from shutil import copytree

import pytest
from lsprotocol import types
from pygls.workspace import PositionCodec, Workspace

from zerograd.findings import Edit
from zerograd.lint import analysis_budget
from zerograd.lint.analysis_budget import AnalysisCancelledError
from zerograd.lint.program.display_paths import shown
from zerograd.lint.program.import_lines import ImportLines, imports_under
from zerograd.lint.repair.edits import apply_edits
from zerograd.lint.shell.check_file import Job
from zerograd.lint.shell.results import wanted
from zerograd.lint.shell.run import lint_files
from zerograd.server.editor_lint import EditorLint, FileToLint, workspace_folder
from zerograd.server.fix_all import changed_lines
from zerograd.server.open_files import OpenFile, OpenText, Positions, encoded, path_of
from zerograd.settings import load_settings

SCRIPTS = Path(__file__).parents[1] / "scripts"
LOOP = """\
import torch
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for inputs, targets in loader:
    loss = (model(inputs) - targets).square().mean()
    loss.backward()
    optimizer.step()
"""


def opened(path: Path, text: str | None = None) -> OpenFile:
    one = OpenText(path.as_uri(), 1, path.read_text("utf-8") if text is None else text)
    return OpenFile(str(path), path.as_uri(), (one,))


def asked(file: OpenFile, *others: OpenFile, folder: Path | None = None) -> FileToLint:
    folders = (str(folder),) if folder else ()
    return FileToLint(file, others, folders, {})


def never() -> bool:
    return False


def test_scripts_have_in_the_editor_the_findings_that_the_command_line_shows(
    tmp_path: Path,
) -> None:
    project = Path(copytree(SCRIPTS / "clip_before_unscale", tmp_path / "project"))
    paths = sorted(project.glob("*.py"))
    settings = load_settings(project, isolated=True)
    editor = EditorLint()

    job = Job(root=project, knowledge=settings.knowledge, opened=(project,))
    run = lint_files({shown(path): True for path in paths}, job, processes=1)
    shared = [
        finding
        for path in paths
        for finding in editor.findings(asked(opened(path), folder=project), never)
    ]

    assert len(shared) > 2
    expected = wanted(run, settings)
    assert {(one.location, one.rule.code, one.message) for one in shared} == {
        (one.location, one.rule.code, one.message) for one in expected
    }


def test_an_analysis_that_nobody_waits_for_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis_budget, "BETWEEN_LOOKS", 1)
    file = opened(tmp_path / "train.py", LOOP)

    assert EditorLint().findings(asked(file), never)
    with pytest.raises(AnalysisCancelledError):
        EditorLint().findings(asked(file), lambda: True)


def test_a_day_of_typing_keeps_no_more_than_its_first_minute(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def clear(optimizer):\n    optimizer.zero_grad()\n")
    editor = EditorLint()

    def type_on(letters: range) -> int:
        for letter in letters:
            text = f"from helper import clear\n{LOOP}\nx{letter} = {letter}\n"
            editor.findings(asked(opened(tmp_path / "train.py", text), folder=tmp_path), never)
        gc.collect()
        return len(gc.get_objects())

    first = type_on(range(20))
    later = type_on(range(20, 80))

    assert later - first < 1_000


def test_import_lines_are_what_reading_every_file_again_gives(tmp_path: Path) -> None:
    lines = ImportLines()

    def agree(given: dict[str, bytes]) -> bool:
        lines.forget()
        return lines.under([tmp_path], given) == imports_under([tmp_path], (), given)

    (tmp_path / "a.py").write_text("import torch\nfrom b import step\nstep(optimizer.step())\n")
    (tmp_path / "b.py").write_text("import torch\nloss.backward()\n")
    before = dict(lines.under([tmp_path], {}))
    assert agree({})
    (tmp_path / "a.py").write_text("import torch\nfrom c import step\nstep(optimizer.step())\n")
    assert agree({})
    assert lines.under([tmp_path], {}) != before
    (tmp_path / "c.py").write_text("import torch, b\nloss.backward()\n")
    (tmp_path / "a.py").unlink()
    assert agree({})
    assert agree({shown(tmp_path / "b.py"): b"import torch\nimport c\nc.optimizer.step()\n"})


def test_what_an_unsaved_file_imports_counts(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("")
    (tmp_path / "train.py").write_text("")
    given = {shown(tmp_path / "train.py"): b"import torch\nimport model\nloss.backward()\n"}

    assert "model" not in imports_under([tmp_path], ())
    assert imports_under([tmp_path], (), given)["model"] == [
        (shown(tmp_path / "train.py"), "model")
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\nc\n", "a\nx\nc\n"),
        ("a\nb\n", "a\nb\nc\n"),
        ("a\nb\nc", "a\nc"),
        ("a\na\na\n", "a\na\n"),
        ("", "a\n"),
        ("a", ""),
    ],
)
def test_the_edit_between_two_texts_leads_from_one_to_the_other(old: str, new: str) -> None:
    edit = changed_lines(old, new)

    assert apply_edits(old, [edit]) == new


def test_an_edit_leaves_the_lines_alone_that_stay() -> None:
    assert changed_lines("a\nb\nc\nd\n", "a\nb\nx\nd\n") == Edit(3, 1, 4, 1, "x\n")


def test_positions_count_in_the_units_that_the_editor_asked_for() -> None:
    text = "x = 1\ny = '\N{ROCKET}'; z = 2\n"
    edit = Edit(2, 9, 2, 10, "")

    utf16 = Positions(PositionCodec(types.PositionEncodingKind.Utf16)).range(text, edit)
    utf8 = Positions(PositionCodec(types.PositionEncodingKind.Utf8)).range(text, edit)
    utf32 = Positions(PositionCodec(types.PositionEncodingKind.Utf32)).range(text, edit)

    assert [one.start.character for one in (utf16, utf8, utf32)] == [9, 11, 8]


def test_an_unsaved_text_without_a_workspace_has_no_files_around_it(tmp_path: Path) -> None:
    alone = path_of("untitled:Untitled-1", Workspace(None), ".py")
    inside = path_of("untitled:Untitled-1", Workspace(tmp_path.as_uri()), ".py")

    assert alone is not None
    assert Path(alone).name == "Untitled-1.py"
    assert not Path(alone).parent.exists()  # a server's working directory may be `/` or a home
    assert inside == str(tmp_path / "Untitled-1.py")


def test_a_text_is_read_in_the_encoding_that_it_declares() -> None:
    text = "# -*- coding: latin-1 -*-\nname = 'é'\n"

    assert encoded(text) == text.encode("latin-1")
    assert encoded("name = 'é'\n") == "name = 'é'\n".encode()
    assert encoded("# coding: nonsense\n'é'\n") == "# coding: nonsense\n'é'\n".encode()


def test_nothing_in_a_project_is_imported_or_run(tmp_path: Path) -> None:
    proof = tmp_path / "ran"
    (tmp_path / "torch.py").write_text(f"open({os.fspath(proof)!r}, 'w')\n")
    (tmp_path / "sitecustomize.py").write_text(f"open({os.fspath(proof)!r}, 'w')\n")

    found = EditorLint().findings(asked(opened(tmp_path / "t.py", LOOP), folder=tmp_path), never)

    assert [one.rule.code for one in found] == ["ZG101"]
    assert not proof.exists()


def test_a_home_folder_that_is_open_in_the_editor_is_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    project = tmp_path / "project"
    project.mkdir()
    train = opened(project / "train.py", LOOP)

    assert workspace_folder(asked(train, folder=tmp_path)) is None
    assert workspace_folder(asked(train, folder=project)) == project
