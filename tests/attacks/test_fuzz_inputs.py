"""Settings, pragmas, notebooks and ignore files of any content lead to no crash.

Whatever is in them, the outcome is a result or one of the documented errors. `make test` tries a
few with a fixed seed; `make robustness` tries twenty times as many with another one each time.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from zerograd.errors import SettingsError
from zerograd.lint.shell.check_file import Checker, Job
from zerograd.lint.shell.files.git_index import tracked_paths
from zerograd.lint.shell.files.gitignore import Patterns
from zerograd.lint.shell.files.root import project_root
from zerograd.rules import find_rule
from zerograd.settings import Knowledge, Settings, excluded, ignored_in, load_settings
from zerograd.settings.keys import KEYS

if TYPE_CHECKING:
    from zerograd.lint.shell.checked import Checked

THOROUGH = 20 if os.environ.get("ZEROGRAD_ROBUSTNESS") else 1
"""`make robustness` tries more."""

pytestmark = pytest.mark.timeout(300 * THOROUGH)


def examples(count: int) -> settings:
    """Few enough for every run; pyproject.toml seeds them."""
    return settings(
        max_examples=count * THOROUGH,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


# JSON is TOML where no null, no surrogate and no float without digits is in it.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
scalars = st.booleans() | st.integers(-5, 2**70) | texts
values = st.recursive(
    scalars | st.none() | st.floats(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)

# --- settings ------------------------------------------------------------------------------------

PLAUSIBLE = [
    "ZG1",
    "missing-zero",
    "missing-zer",
    "**",
    "*a*",
    "a/../b",
    "..",
    "/",
    "",
    "[",
    "json",
]
plausible = st.sampled_from(PLAUSIBLE) | texts
set_values = st.one_of(
    scalars,
    plausible,
    st.lists(plausible | scalars, max_size=4),
    st.dictionaries(plausible, st.lists(plausible, max_size=3) | scalars, max_size=3),
)
tables = st.dictionaries(st.sampled_from(list(KEYS)) | texts, set_values, max_size=4)


def as_toml(value: Any) -> str:
    """Return a value as TOML spells it."""
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)} = {as_toml(item)}" for key, item in value.items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def settle(name: str, content: bytes) -> Settings | SettingsError:
    """Return the settings of a file, used for all that lint uses them for, or the error."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_bytes(content)
        try:
            found = load_settings(Path(folder))
            project_root([Path(folder)], found)
        except SettingsError as error:
            return error
    excluded(Path(folder, "pkg/train.py"), found)
    ignored_in(Path(folder, "pkg/train.py"), find_rule("missing-zero"), found)
    return found


@examples(100)
@given(table=tables)
def test_settings_of_any_values_hold_or_are_refused(table: dict[str, Any]) -> None:
    lines = [f"{json.dumps(key)} = {as_toml(value)}\n" for key, value in table.items()]

    outcome = settle("zerograd.toml", "".join(lines).encode())

    assert isinstance(outcome, Settings) or str(outcome).isprintable()


@examples(50)
@example(name="zerograd.toml", content=b"a = " + b"[" * 100_000)
@example(name="zerograd.toml", content=b"a." * 50_000 + b"b = 1")
@example(name="zerograd.toml", content=b"a = " + b"9" * 10_000)
@example(name="pyproject.toml", content=b"tool = 1 # zerograd")
@example(name="pyproject.toml", content=b"\xff\xfe[tool.zerograd]")
@given(
    name=st.sampled_from(["zerograd.toml", "pyproject.toml"]),
    content=st.binary(max_size=40) | texts.map(str.encode),
)
def test_a_settings_file_of_any_bytes_holds_or_is_refused(name: str, content: bytes) -> None:
    outcome = settle(name, b"[tool.zerograd]\n" * (name == "pyproject.toml") + content)

    assert isinstance(outcome, Settings) or str(outcome).isprintable()


# --- sources -------------------------------------------------------------------------------------


def check(name: str, content: bytes) -> Checked:
    """Lint a file of this content, without the prefilter."""
    job = Job(
        root=Path("/nowhere"), knowledge=Knowledge(), prefilter=False, overlay={name: content}
    )
    return Checker(job).check(name)


PRAGMA = (
    *("# zerograd: ignore", "#zerograd:ignore-file", "# zerograd:", "#", "ignore", "zerograd"),
    *("[", "]", "[missing-zero]", "[ZG101,", "unused-ignore", "ZG", ",", " ", "\t", "\\"),
    *("loss.backward()", "\n", "\n    ", '"""', "'", "(", ")", "if x:", "\r", "\f", "\x00", "é"),
)
lines = st.lists(st.sampled_from(PRAGMA) | texts, max_size=12).map("".join)


@examples(150)
@given(source=lines)
def test_pragmas_of_any_spelling_are_obeyed_or_reported(source: str) -> None:
    checked = check("train.py", source.encode())

    assert not checked.is_failure


@examples(60)
@example(content=b"# coding: unicode_escape\n\\n")
@example(content=b"# coding: rot13\nloss")
@example(content=b"# coding: " + b"x" * 5_000)
@given(content=st.binary(max_size=60))
def test_a_source_of_any_bytes_is_read_or_reported(content: bytes) -> None:
    checked = check("train.py", b"# coding: latin-1\n" * (len(content) % 2) + content)

    assert not checked.is_failure


source_parts = st.sampled_from([*PRAGMA, "%%time\n", "!ls\n", "%x", "await x\n", "x?\n"]) | texts
cells = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown", "raw"]) | values,
        "source": st.lists(source_parts, max_size=4).map("".join)
        | st.lists(source_parts, max_size=4)
        | values,
        "metadata": values,
        "outputs": values,
    },
)
notebooks = st.fixed_dictionaries(
    {},
    optional={
        "cells": st.lists(cells | values, max_size=4) | values,
        "worksheets": values,
        "nbformat": values,
        "metadata": values,
    },
)


@examples(150)
@given(notebook=notebooks | values)
def test_a_notebook_of_any_shape_is_read_or_reported(notebook: Any) -> None:
    checked = check("train.ipynb", json.dumps(notebook).encode())

    assert not checked.is_failure


@examples(40)
@example(content=b"[" * 200_000)
@example(content=b'{"cells":' * 100_000)
@example(content=b'{"cells": [{"cell_type": "code", "source": "\\ud800"}]}')
@example(content=b"9" * 10_000)
@given(content=st.binary(max_size=60))
def test_a_notebook_of_any_bytes_is_read_or_reported(content: bytes) -> None:
    checked = check("train.ipynb", content)

    assert not checked.is_failure


# --- what git left -------------------------------------------------------------------------------


@examples(150)
@given(
    content=st.lists(st.sampled_from(list("ab*?[]!\\/-^: \n\r#")) | texts, max_size=20).map(
        "".join
    ),
    path=st.sampled_from([b"a", b"a/b", b"[", b"a/b/a", b"\xff", b"a\nb"]),
)
def test_an_ignore_file_of_any_text_has_a_verdict(content: str, path: bytes) -> None:
    verdict = Patterns(content.encode()).verdict(path, path.rpartition(b"/")[2], is_folder=True)

    assert verdict in (True, False, None)


@examples(80)
@given(version=st.integers(0, 5), count=st.integers(0, 2**32 - 1), rest=st.binary(max_size=300))
def test_an_index_of_any_bytes_tracks_something_or_nothing(
    version: int, count: int, rest: bytes
) -> None:
    header = b"DIRC" + version.to_bytes(4, "big") + count.to_bytes(4, "big")

    assert isinstance(tracked_paths(header + rest), list)
