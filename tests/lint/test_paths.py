"""Which paths are followed, and which support no finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.lint import Analysis


def test_a_loop_that_never_clears_is_missing_zero(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        for x, y in loader:
            loss = (model(x) - y).square().mean()
            loss.backward()
            optimizer.step()
    """)

    assert found == ["3 ZG101"]


def test_a_clear_anywhere_in_the_round_is_enough(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        for x, y in loader:
            loss = (model(x) - y).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    """)

    assert found == []


def test_a_clear_once_an_epoch_is_not_enough(analyse: Callable[[str], Analysis]) -> None:
    found = analyse("""\
        for epoch in range(3):
            optimizer.zero_grad()
            for x, y in loader:
                loss = (model(x) - y).square().mean()
                loss.backward()
                optimizer.step()
    """).findings

    assert found[0].message == (
        "`loss.backward()` adds to gradients that were already spent: "
        "`optimizer` is cleared only outside this loop (line 6)"
    )


def test_the_message_names_the_branch_that_decides(analyse: Callable[[str], Analysis]) -> None:
    found = analyse("""\
        for x, y in loader:
            if args.clear:
                optimizer.zero_grad()
            loss = (model(x) - y).square().mean()
            loss.backward()
            optimizer.step()
    """).findings

    assert found[0].message == (
        "`loss.backward()` adds to gradients that were already spent: "
        "`optimizer` is not cleared when `args.clear` is false"
    )


def test_equal_tests_take_the_same_branch(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        for i, (x, y) in enumerate(loader):
            loss = (model(x) - y).square().mean() / 4
            loss.backward()
            if (i + 1) % 4 == 0:
                optimizer.step()
            if i % 4 == 3:
                optimizer.zero_grad()
    """)

    assert found == []


def test_tests_that_cannot_be_compared_support_no_finding(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        for i, (x, y) in enumerate(loader):
            if i == 0:
                optimizer.zero_grad()
            loss = (model(x) - y).square().mean() / 4
            loss.backward()
            if i + 1 == len(loader):
                optimizer.step()
    """)

    assert found == []


def test_a_step_that_cannot_be_followed_makes_the_account_unknown(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        for x, y in loader:
            loss = (model(x) - y).square().mean()
            loss.backward()
            optimizer.step()
            engine.reset_grads(optimizer)
    """)

    assert found == []


def test_a_comprehension_is_a_loop(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        def update(x, y):
            loss = (model(x) - y).square().mean()
            loss.backward()
            optimizer.step()

        losses = [update(x, y) for x, y in loader]
    """)

    assert found == ["3 ZG101"]


def test_a_handler_that_does_not_touch_the_account_is_no_path(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        for x, y in loader:
            try:
                optimizer.zero_grad()
                loss = (model(x) - y).square().mean()
                loss.backward()
            except RuntimeError:
                continue
            optimizer.step()
    """)

    assert found == []


def test_every_way_out_of_a_loop_is_followed(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        while True:
            for x, y in loader:
                optimizer.zero_grad()
                loss = (model(x) - y).square().mean()
                loss.backward()
                if loss < 0.1:
                    break
                optimizer.step()
            else:
                continue
            break
    """)

    assert found == []


def test_a_match_statement_branches(analyse: Callable[[str], Analysis]) -> None:
    found = analyse("""\
        for x, y in loader:
            match mode:
                case "train":
                    optimizer.zero_grad()
                case _:
                    pass
            loss = (model(x) - y).square().mean()
            loss.backward()
            optimizer.step()
    """).findings

    assert found[0].message.endswith("`optimizer` is not cleared when `mode == 'train'` is false")


def test_async_functions_are_followed(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        async def train():
            async for x, y in loader:
                loss = (model(x) - y).square().mean()
                loss.backward()
                optimizer.step()
    """)

    assert found == ["4 ZG101"]


def test_what_is_only_named_like_an_optimizer_gives_a_warning(
    analyse: Callable[[str], Analysis],
) -> None:
    found = analyse("""\
        def train(net, solver_optimizer, loader):
            for x in loader:
                net(x).sum().backward()
                solver_optimizer.step()
    """).findings

    assert [item.severity for item in found] == ["warning"]
