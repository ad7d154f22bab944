"""A configuration that cannot be used is refused in one sentence that says what to type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zerograd.errors import SettingsError
from zerograd.settings import load_settings

if TYPE_CHECKING:
    from pathlib import Path

KEYS = (
    "select, extend-select, ignore, per-file-ignores, exclude, extend-exclude, force-exclude, "
    "respect-gitignore, hints, preview, fix, unsafe-fixes, format, baseline, project-root, "
    "knowledge"
)


def refusal(folder: Path, name: str, content: str | bytes) -> str:
    """Return what loading this settings file says."""
    binary = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(binary)
    with pytest.raises(SettingsError) as refused:
        load_settings(folder)
    return str(refused.value)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            'ignore = ["missing-zer"]',
            (
                "unknown rule 'missing-zer' in [tool.zerograd] ignore; did you mean missing-zero? "
                "`zerograd rules` lists them"
            ),
        ),
        (
            'select = ["E501"]',
            "unknown rule 'E501' in [tool.zerograd] select; `zerograd rules` lists them",
        ),
        (
            'extend-select = ["missing"]',
            (
                "unknown rule 'missing' in [tool.zerograd] extend-select; "
                "did you mean missing-zero? `zerograd rules` lists them"
            ),
        ),
        (
            'per-file-ignores = { "tests" = ["ZG11"] }',
            (
                "unknown rule 'ZG11' in [tool.zerograd.per-file-ignores] \"tests\"; "
                "did you mean ZG101 or ZG311? `zerograd rules` lists them"
            ),
        ),
        ('igonre = ["ZG1"]', "unknown key 'igonre' in [tool.zerograd]; did you mean ignore?"),
        (
            'extend_select = ["ZG1"]',
            "unknown key 'extend_select' in [tool.zerograd]; did you mean extend-select?",
        ),
        ("qqq = 1", f"unknown key 'qqq' in [tool.zerograd]; the keys are {KEYS}"),
        (
            'ignore = "missing-zero"',
            (
                "[tool.zerograd] ignore must be a list of strings, not a string; "
                'write ignore = ["missing-zero"]'
            ),
        ),
        (
            "exclude = [1]",
            (
                "[tool.zerograd] exclude must be a list of strings, "
                'not a list that holds a number; write exclude = ["third_party"]'
            ),
        ),
        (
            'hints = "yes"',
            "[tool.zerograd] hints must be true or false, not a string; write hints = true",
        ),
        (
            "preview = 1979-05-27",
            (
                "[tool.zerograd] preview must be true or false, not a date or time; "
                "write preview = true"
            ),
        ),
        (
            "format = true",
            (
                "[tool.zerograd] format must be the name of a format, not a boolean; "
                'write format = "concise"'
            ),
        ),
        (
            'format = "sarfi"',
            "unknown format 'sarfi' in [tool.zerograd] format; did you mean sarif?",
        ),
        (
            'format = "xml"',
            (
                "unknown format 'xml' in [tool.zerograd] format; "
                "the formats are full, concise, json, sarif, github, html, gitlab, junit, rdjson"
            ),
        ),
        (
            "baseline = 3",
            (
                "[tool.zerograd] baseline must be a path, not a number; "
                'write baseline = "zerograd-baseline.json"'
            ),
        ),
        (
            'per-file-ignores = ["tests"]',
            (
                "[tool.zerograd] per-file-ignores must be a table of patterns and rules, "
                'not a list; write per-file-ignores = { "tests" = ["ZG1"] }'
            ),
        ),
        (
            'per-file-ignores = { "tests" = "ZG1" }',
            (
                '[tool.zerograd.per-file-ignores] "tests" must be a list of strings, not a string; '
                'write "tests" = ["ZG1"]'
            ),
        ),
        (
            'exclude = ["/"]',
            "[tool.zerograd] exclude has the empty pattern '/'; name a file or folder",
        ),
        (
            'exclude = ["./"]',
            "[tool.zerograd] exclude has the empty pattern './'; name a file or folder",
        ),
        (
            'exclude = ["../third_party"]',
            (
                "[tool.zerograd] exclude has '../third_party'; "
                "a pattern cannot leave its folder by .."
            ),
        ),
        (
            'baseline = ""',
            (
                "[tool.zerograd] baseline has '', which is no path; "
                'write baseline = "zerograd-baseline.json"'
            ),
        ),
        (
            r'project-root = "a\u0000b"',
            (
                r"[tool.zerograd] project-root has 'a\x00b', which is no path; "
                'write project-root = "."'
            ),
        ),
        (
            r'per-file-ignores = { "\u001b[2J" = [] }',
            (
                r"[tool.zerograd] per-file-ignores has '\x1b[2J'; "
                "a pattern knows only *, **, ? and [a-z], write several"
            ),
        ),
        (
            r'per-file-ignores = { "a\u009b2J" = ["ZG9"] }',
            (
                "unknown rule 'ZG9' in "
                r'[tool.zerograd.per-file-ignores] "a\x9b2J"; '
                "`zerograd rules` lists them"
            ),
        ),
        (
            'exclude = ["{a,b}.py"]',
            (
                "[tool.zerograd] exclude has '{a,b}.py'; a pattern knows only *, **, ? and [a-z], "
                "write several"
            ),
        ),
        (
            'exclude = ["[z-a].py"]',
            (
                "[tool.zerograd] exclude has '[z-a].py'; "
                "a range between [ and ] begins with its smaller end, as [a-z]"
            ),
        ),
        (
            f"exclude = {[f'a{number}*' for number in range(1_001)]}",
            (
                "[tool.zerograd] exclude has 1,001 patterns with *, ? or []; "
                "at most 1,000 are compared with each file, name the folders above them"
            ),
        ),
        (
            "per-file-ignores = { "
            + ", ".join(f'"a{number}*" = ["ZG101"]' for number in range(1_001))
            + " }",
            (
                "[tool.zerograd] per-file-ignores has 1,001 patterns with *, ? or []; "
                "at most 1,000 are compared with each file, name the folders above them"
            ),
        ),
        (
            "knowledge = 1",
            (
                "[tool.zerograd] knowledge must be a table, not a number; "
                'write knowledge = { clears = ["mylib.trainer.zero_all"] }'
            ),
        ),
        (
            "knowledge = { clear = [] }",
            "unknown key 'clear' in [tool.zerograd.knowledge]; did you mean clears?",
        ),
        (
            'knowledge = { steps = "mylib.go" }',
            (
                "[tool.zerograd.knowledge] steps must be a list of strings, not a string; "
                'write steps = ["mylib.trainer.zero_all"]'
            ),
        ),
        (
            'knowledge = { steps = ["my lib.go"] }',
            (
                "'my lib.go' in [tool.zerograd.knowledge] steps is no dotted name "
                "like mylib.trainer.zero_all"
            ),
        ),
    ],
)
def test_a_wrong_key_or_value_is_refused_with_the_file_and_what_to_write(
    project: Path, line: str, sentence: str
) -> None:
    said = refusal(project, "pyproject.toml", f"[tool.zerograd]\n{line}\n")

    assert said == f"pyproject.toml: {sentence}"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            'ignore = ["missing-zer"]',
            (
                "zerograd.toml: unknown rule 'missing-zer' in ignore; did you mean missing-zero? "
                "`zerograd rules` lists them"
            ),
        ),
        ("igonre = []", "zerograd.toml: unknown key 'igonre'; did you mean ignore?"),
        (
            "[tool.zerograd]\nhints = true",
            "zerograd.toml: the keys stand here by themselves, without [tool.zerograd] above them",
        ),
        (
            "hints = true\nignore = [",
            "zerograd.toml is not valid TOML: Invalid value (at end of document)",
        ),
        (
            "hints = true\npreview true\n",
            (
                "zerograd.toml is not valid TOML: "
                "Expected '=' after a key in a key/value pair (at line 2, column 9)"
            ),
        ),
        ("x = " + "[" * 5000, "zerograd.toml is not valid TOML: nested too deeply"),
        (b"hints = true\n\xff\xfe", "zerograd.toml is no UTF-8 text: byte 13 is not"),
        ("hints = true".encode("utf-16"), "zerograd.toml is UTF-16; save it as UTF-8"),
        (
            b"\x7fELF\x00\x01",
            ("zerograd.toml is not valid TOML: Invalid statement (at line 1, column 1)"),
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_sentence(
    project: Path, content: str | bytes, sentence: str
) -> None:
    assert refusal(project, "zerograd.toml", content) == sentence


def test_a_byte_order_mark_before_utf_8_is_no_reason_to_refuse(project: Path) -> None:
    (project / "zerograd.toml").write_bytes(b"\xef\xbb\xbfhints = true\n")

    assert load_settings(project).hints


def test_a_pyproject_where_zerograd_is_no_table_is_refused(project: Path) -> None:
    said = refusal(project, "pyproject.toml", "[tool]\nzerograd = true\n")

    assert said == "pyproject.toml: zerograd must be a table; write [tool.zerograd]"


def test_a_pyproject_where_tool_is_no_table_says_nothing_to_zerograd(project: Path) -> None:
    (project / "pyproject.toml").write_text('tool = "zerograd"\n')

    assert load_settings(project).file is None


def test_a_named_file_that_does_not_exist_is_refused(project: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(project, config=project / "none.toml")

    assert str(refused.value) == "cannot read none.toml: No such file or directory"


def test_a_file_whose_name_a_terminal_would_obey_is_named_harmlessly(project: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(project, config=project / "\x1b[2J.toml")

    assert str(refused.value) == r"cannot read \x1b[2J.toml: No such file or directory"


def test_a_named_folder_is_refused(project: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(project, config=project)

    assert str(refused.value) == "cannot read .: Is a directory"


def test_a_file_outside_the_working_directory_is_named_in_full(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = project / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)

    said = refusal(project, "zerograd.toml", "igonre = []")

    assert said == f"{project / 'zerograd.toml'}: unknown key 'igonre'; did you mean ignore?"


def test_a_wrong_rule_on_the_command_line_is_refused_by_its_option(project: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(project, command_line={"extend-select": ("ZG9",)})

    assert str(refused.value) == (
        "unknown rule 'ZG9' in --extend-select; `zerograd rules` lists them"
    )


def test_a_file_that_is_too_large_is_not_parsed(project: Path) -> None:
    said = refusal(project, "pyproject.toml", "[tool.zerograd]\n" + "#" * 200_000)

    assert said == (
        "pyproject.toml is larger than 200 kB; write what is for zerograd into a zerograd.toml"
    )


def test_a_large_pyproject_that_does_not_configure_zerograd_stops_nobody(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.ruff]\n" + "#" * 200_000)

    assert load_settings(project).file is None


@pytest.mark.timeout(60)
@pytest.mark.parametrize("line", ["a." * 99_000 + "b = 1", "x = { " + "a . " * 49_000 + "b = 1 }"])
def test_a_key_of_very_many_parts_is_not_parsed(project: Path, line: str) -> None:
    said = refusal(project, "zerograd.toml", line)

    assert said == "zerograd.toml has a key of more than 1,000 parts; shorten it"
