"""Layer: words. Which files, lines and functions are looked at at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from layer_programs import Opened

from zerograd.lint.knowledge.name_heuristics import makes_optimizers, writes_gradients
from zerograd.lint.knowledge.shipped import shipped
from zerograd.lint.program.event_words import METHODS
from zerograd.lint.program.prefilter import is_candidate
from zerograd.source.names import has_word, words

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("self.optimizerD_list", ["optimizer", "d", "list"]),
        ("GradScaler", ["grad", "scaler"]),
        ("loss2", ["loss"]),
        ("HTTPServer", ["http", "server"]),
        ("_x_", ["x"]),
        ("", []),
    ],
)
def test_a_name_is_made_of_words(name: str, expected: list[str]) -> None:
    assert words(name) == expected


HAS = [
    ("gen_loss", "loss", True),
    ("lossG", "loss", True),
    ("gloss", "loss", True),
    ("glossy", "loss", False),
    ("router", "out", False),
    ("layout", "out", True),
    ("agent", "gen", False),
    ("member", "emb", False),
    ("status", "tau", False),
    ("finance", "nan", False),
    ("gradaccumsteps", "accum", True),
    ("args.gradAccSteps > 1", "grad_acc", True),
    ("update_frequency", "update_freq", True),
    ("numclasses", "mc", False),
]


@pytest.mark.parametrize(("text", "word", "is_there"), HAS)
def test_a_word_is_found_by_words_and_not_by_letters(text: str, word: str, is_there: bool) -> None:
    assert has_word(text, (word,)) is is_there


@pytest.mark.parametrize(
    ("name", "writes"),
    [
        ("scale_gradients", True),
        ("unscale_grads", True),
        ("allreduce_gradients", True),
        ("add_grad_noise", True),
        ("log_gradients", False),
        ("program", False),
        ("GradScaler", False),
        ("GradientNormalizer", False),
    ],
)
def test_a_name_that_writes_gradients(name: str, writes: bool) -> None:
    assert writes_gradients(name) is writes


@pytest.mark.parametrize(
    ("name", "makes"),
    [
        ("build_optimizer", True),
        ("make_large_optimizer", True),
        ("get_optimizer_state", False),
        ("optimize", False),
    ],
)
def test_a_name_that_makes_optimizers(name: str, makes: bool) -> None:
    assert makes_optimizers(name) is makes


CANDIDATES = [
    (b"loss.backward()", True),
    (b"optimizer.zero_grad()", True),
    (b"p.grad = None", True),
    (b"from torch import optim\noptim.SGD(ps)", True),
    (b"self.manual_backward(loss)", True),
    (b"env.step(action)", False),
    (b"ctx.save_for_backward(x)", False),
    (b"gradient = 3", False),
    (b"import mxnet\nloss.backward()", False),
    (b"import mxnet\nimport torch\nloss.backward()", True),
]


@pytest.mark.parametrize(("content", "is_one"), CANDIDATES)
def test_a_file_is_parsed_for_its_words(content: bytes, is_one: bool) -> None:
    assert is_candidate(content) is is_one


def test_no_broken_script_is_dismissed_by_its_words() -> None:
    broken = [path for path in SCRIPTS.rglob("broken_*.py") if b"lint" in path.read_bytes()]

    assert [path.name for path in broken if not is_candidate(path.read_bytes())] == []
    assert len(broken) > 100


@pytest.mark.parametrize("name", sorted(METHODS | set(shipped().rows)))
def test_every_call_that_has_a_reader_stands_on_a_relevant_line(name: str) -> None:
    program = f"scaler.unscale_(o)\ndef f():\n    x = 1\n\nfirst.{name}(a)\n"

    opened = Opened(program, prelude="")

    assert 5 in opened.relevance.parts(opened.module).lines


def test_a_line_without_a_word_is_not_relevant() -> None:
    opened = Opened("x = 1\noptimizer.step()\n", prelude="")

    assert opened.relevance.parts(opened.module).lines == [2]


def test_the_caller_of_a_function_with_an_event_is_relevant_and_its_caller_too() -> None:
    program = (
        "def a():\n    o.step()\ndef b():\n    a()\ndef c():\n    b()\ndef d():\n    print()\n"
    )

    opened = Opened(program, prelude="")

    assert sorted(opened.relevance.parts(opened.module).functions) == ["a", "b", "c"]
