"""How often everything is looked at: often while a loop is new, then ever more seldom."""

from __future__ import annotations

from zerograd.watch.gradients.sampling import AGAIN, NEW, SELDOM, Sampling, until_again


def looked_at_all(backwards: int) -> list[int]:
    sampling, found = Sampling(), []
    for number in range(1, backwards + 1):
        sampling.next(number)
        found += [number] * sampling.at_all
    return found


def test_a_loop_is_looked_at_ever_more_seldom_but_for_ever() -> None:
    first = list(range(1, NEW + 1))

    assert looked_at_all(2100) == [*first, AGAIN, 256, SELDOM, 1024, 1536, 2048]


def test_until_the_next_look_nobody_has_to_see_a_backward() -> None:
    unseen = [until_again(number) for number in (0, 8, 127, 128, 300, 512, 2047, 2048)]

    assert unseen == [128, 120, 1, 128, 212, 512, 1, 512]


def test_after_a_surprise_everything_is_looked_at_again() -> None:
    sampling = Sampling()
    sampling.next(200)

    sampling.relapse()

    sampling.next(200 + NEW)
    assert sampling.at_all
    sampling.next(200 + NEW + 1)
    assert not sampling.at_all
