"""Waiting for an import, unseen by whoever imports."""

from __future__ import annotations

import importlib.util
import sys
from importlib import import_module
from importlib.machinery import SourceFileLoader
from typing import TYPE_CHECKING

import pytest

from zerograd.watch.process.torch_import import when_imported

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "awaited_module"


@pytest.fixture(autouse=True)
def awaited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / f"{NAME}.py").write_text("there = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    finders = list(sys.meta_path)

    yield

    sys.modules.pop(NAME, None)
    assert sys.meta_path == finders


def test_it_is_told_once_after_the_module_was_executed() -> None:
    told: list[bool] = []
    when_imported(NAME, lambda: told.append(sys.modules[NAME].there))

    import_module(NAME)
    import_module(NAME)

    assert told == [True]


def test_a_module_that_is_there_already_is_told_at_once() -> None:
    import_module(NAME)
    told: list[str] = []

    when_imported(NAME, lambda: told.append("now"))

    assert told == ["now"]


def test_asking_whether_the_module_exists_is_no_import() -> None:
    told: list[str] = []
    when_imported(NAME, lambda: told.append("imported"))

    importlib.util.find_spec(NAME)
    asked = list(told)
    import_module(NAME)

    assert (asked, told) == ([], ["imported"])


def test_the_module_has_its_own_loader() -> None:
    when_imported(NAME, lambda: None)

    module = import_module(NAME)

    assert type(module.__loader__) is SourceFileLoader
    assert module.__spec__ is not None
    assert module.__spec__.loader is module.__loader__


def test_two_can_wait_for_the_same_module() -> None:
    told: list[str] = []
    when_imported(NAME, lambda: told.append("one"))
    when_imported(NAME, lambda: told.append("other"))

    import_module(NAME)

    assert sorted(told) == ["one", "other"]


def test_one_that_waits_no_longer_is_not_told() -> None:
    told: list[str] = []
    wait_no_longer = when_imported(NAME, lambda: told.append("imported"))

    wait_no_longer()
    import_module(NAME)

    assert told == []
