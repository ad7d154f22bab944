"""What a project keeps of the files it has read, and what it gives back."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING
from weakref import ref

import pytest

from zerograd.lint import Analyser, Project, Source
from zerograd.lint.program.display_paths import shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROGRAM = """\
import torch

model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


class Trainer:
    def loss(self, x, scale=1.0):
        return model(x).mean() * scale

    def train(self, batches):
        for x in batches:
            self.loss(x).backward()
            optimizer.step()


Trainer().train([])
"""


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Keep the garbage collector away, as `zerograd lint` does."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def source(tmp_path: Path) -> Source:
    path = tmp_path / "train.py"
    path.write_text(PROGRAM, "utf-8")
    return Source(str(path), PROGRAM)


def test_a_file_that_another_one_imported_is_not_parsed_again(source: Source) -> None:
    project = Project()

    imported = project.at(shown(source.path))

    assert project.module(source) is imported


def test_another_text_of_the_same_file_is_parsed(source: Source) -> None:
    project = Project()

    imported = project.at(shown(source.path))

    assert project.module(Source(source.path, PROGRAM + "pass\n")) is not imported


@pytest.mark.usefixtures("uncollected")
def test_what_was_parsed_goes_without_a_collection(source: Source) -> None:
    project = Project()
    kept = ref(project.module(source))

    found = Analyser(project).analyse(source).findings
    is_kept_after_its_analysis = kept() is not None
    project.close()

    assert "ZG101" in [item.rule.code for item in found]
    assert is_kept_after_its_analysis
    assert kept() is None


@pytest.mark.usefixtures("uncollected")
def test_a_text_that_was_replaced_goes_without_a_collection(source: Source) -> None:
    project = Project()
    replaced = ref(project.at(shown(source.path)))

    Analyser(project).analyse(Source(source.path, PROGRAM + "pass\n"))

    assert replaced() is None


def test_a_text_is_at_hand_only_while_it_is_analysed(source: Source, tmp_path: Path) -> None:
    project = Project()
    Analyser(project).analyse(source)
    project.close()

    (tmp_path / "train.py").write_text("pass\n", "utf-8")
    module = project.at(shown(source.path))

    assert module is not None
    assert module.source.text == "pass\n"


def test_what_takes_a_files_place_is_always_at_hand(source: Source, tmp_path: Path) -> None:
    project = Project(sources=[source])
    Analyser(project).analyse(source)
    project.close()

    (tmp_path / "train.py").write_text("pass\n", "utf-8")
    module = project.at(shown(source.path))

    assert module is not None
    assert module.source.text == PROGRAM
