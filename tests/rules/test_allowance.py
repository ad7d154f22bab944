"""`zerograd.allow` holds where it is written, and nowhere else."""

from __future__ import annotations

import asyncio
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from zerograd.errors import UnknownRuleError
from zerograd.rules import allow, is_allowed
from zerograd.rules.allowance import changed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


def test_nothing_is_allowed_by_itself() -> None:
    assert not is_allowed("missing-zero")


def test_a_block_allows_its_rules_and_no_other_and_only_inside() -> None:
    with allow("missing-zero", "ZG302"):
        inside = [is_allowed(name) for name in ("missing-zero", "spent-twice", "tail-leaks")]
    after = is_allowed("missing-zero")

    assert inside == [True, True, False]
    assert not after


def test_who_asks_is_told_when_a_block_begins_and_ends() -> None:
    heard: list[bool] = []

    def hear() -> None:
        heard.append(is_allowed("missing-zero"))

    changed.append(hear)
    with allow("missing-zero"):
        pass
    changed.remove(hear)

    assert heard == [True, False]


def test_an_inner_block_adds_to_the_outer_and_gives_it_back() -> None:
    with allow("missing-zero"):
        with allow("tail-leaks"):
            inner = is_allowed("missing-zero") and is_allowed("tail-leaks")
        outer = [is_allowed("missing-zero"), is_allowed("tail-leaks")]

    assert inner
    assert outer == [True, False]


def test_one_object_may_be_entered_again_inside_itself() -> None:
    allowance = allow("missing-zero")

    with allowance:
        with allowance:
            pass
        still = is_allowed("missing-zero")

    assert still
    assert not is_allowed("missing-zero")


def test_a_block_that_raises_ends_its_allowance() -> None:
    with pytest.raises(ZeroDivisionError), allow("missing-zero"):
        1 / 0  # noqa: B018  the exception is the point

    assert not is_allowed("missing-zero")


def test_an_exit_too_many_allows_nothing() -> None:
    allow("missing-zero").__exit__(None, None, None)

    assert not is_allowed("missing-zero")


def test_a_decorated_function_allows_its_rules_while_it_runs() -> None:
    @allow("missing-zero")
    def train(name: str) -> bool:
        return is_allowed(name)

    assert train("missing-zero")
    assert train.__name__ == "train"
    assert not is_allowed("missing-zero")


def test_a_decorated_coroutine_allows_its_rules_across_its_awaits() -> None:
    @allow("missing-zero")
    async def train() -> bool:
        await asyncio.sleep(0)
        return is_allowed("missing-zero")

    assert asyncio.run(train())


def test_a_task_does_not_see_what_a_task_beside_it_allows() -> None:
    seen = []

    async def allowing() -> None:
        with allow("missing-zero"):
            await asyncio.sleep(0)

    async def watching() -> None:
        seen.append(is_allowed("missing-zero"))
        await asyncio.sleep(0)

    async def both() -> None:
        await asyncio.gather(allowing(), watching())

    asyncio.run(both())

    assert seen == [False]


def test_a_thread_begins_with_nothing_allowed() -> None:
    seen = []

    with allow("missing-zero"):
        thread = Thread(target=lambda: seen.append(is_allowed("missing-zero")))
        thread.start()
        thread.join()

    assert seen == [False]


def test_a_generator_function_is_refused_with_what_to_write() -> None:
    def batches() -> Iterator[int]:
        yield 1

    with pytest.raises(UnknownRuleError) as refusal:
        allow("missing-zero")(batches)

    assert str(refusal.value) == (
        "zerograd.allow decorates functions, and "
        "test_a_generator_function_is_refused_with_what_to_write.<locals>.batches is a class or "
        "a generator; write `with zerograd.allow(...):` around the lines inside it"
    )


def test_an_asynchronous_generator_and_a_class_are_refused_too() -> None:
    async def batches() -> AsyncIterator[int]:
        yield 1

    class Trainer:
        pass

    with pytest.raises(UnknownRuleError, match="is a class or a generator"):
        allow("missing-zero")(batches)
    with pytest.raises(UnknownRuleError, match="is a class or a generator"):
        allow("missing-zero")(Trainer)


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ((), 'zerograd.allow() names no rule; write zerograd.allow("missing-zero")'),
        (
            ("missing-zer",),
            (
                "unknown rule 'missing-zer' in zerograd.allow; did you mean missing-zero? "
                "`zerograd rules` lists them"
            ),
        ),
        (
            (["missing-zero"],),
            (
                "zerograd.allow takes the names of rules, not list; "
                'write zerograd.allow("missing-zero")'
            ),
        ),
    ],
)
def test_what_is_no_rule_is_refused_with_what_to_write(
    rules: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(UnknownRuleError) as refusal:
        allow(*rules)

    assert str(refusal.value) == sentence
