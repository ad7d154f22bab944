"""The JSON Schema of the settings accepts what zerograd accepts, and refuses what it refuses."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator

from zerograd.cli import main
from zerograd.errors import SettingsError
from zerograd.settings import load_settings
from zerograd.settings.keys import KEYS
from zerograd.settings.schema import settings_schema

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = settings_schema()
VALIDATOR = Draft202012Validator(SCHEMA)

WRONG = [
    "selct = []",
    'select = "ZG1"',
    'select = ["missing-zer"]',
    'ignore = ["XX1"]',
    "hints = 1",
    'format = "xml"',
    'per-file-ignores = ["tests"]',
    'per-file-ignores = { tests = ["nothing"] }',
    "exclude = [1]",
    'baseline = ""',
    'knowledge = { clears = ["a b"] }',
    'knowledge = { cleans = ["a"] }',
]


def test_it_is_a_schema_with_every_key() -> None:
    Draft202012Validator.check_schema(SCHEMA)

    assert [*SCHEMA["properties"]] == [*KEYS]
    assert all(one["description"].endswith(".") for one in SCHEMA["properties"].values())


@pytest.mark.parametrize("key", KEYS)
def test_the_example_of_a_key_is_accepted(key: str) -> None:
    assert VALIDATOR.is_valid(tomllib.loads(KEYS[key].example))


@pytest.mark.parametrize("text", WRONG)
def test_what_is_refused_by_one_is_refused_by_the_other(tmp_path: Path, text: str) -> None:
    (tmp_path / "zerograd.toml").write_text(text)

    with pytest.raises(SettingsError):
        load_settings(tmp_path)
    assert not VALIDATOR.is_valid(tomllib.loads(text))


def test_the_command_line_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["lint", "--settings-schema"])

    assert status == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA
