"""What a signal handler raises, as a time-out does, while our code runs is the program's.

Python calls a handler in the middle of whatever runs. Each case sends the signal from one function
of ours; what its handler raises must arrive in the program as it would without watch.
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch_as_found import torch_as_found

from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WATCH = "zerograd.watch."


class TooLateError(Exception):
    """What the program's own handler raises."""


def too_late(*_: Any) -> None:
    raise TooLateError("ten seconds are over")


def too_late_by_name(number: int, frame: object) -> None:
    """Forget itself first, as handlers of one time-out do, and raise what our code expects too."""
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    raise ValueError(f"signal {number}")


def rings(*_: Any, **__: Any) -> Any:
    signal.raise_signal(signal.SIGALRM)


def training() -> None:
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(64):  # calm soon, and answered from memory
        optimizer.zero_grad()
        model(torch.ones(4, 3)).mean().backward()
        optimizer.step()


@pytest.fixture(autouse=True)
def handler_as_found() -> Iterator[None]:
    before = signal.getsignal(signal.SIGALRM)
    yield
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("handler", "raised"), [(too_late, TooLateError), (too_late_by_name, ValueError)]
)
@pytest.mark.parametrize(
    "place",
    [
        "fast_path.backward._getframe",
        "fast_path.clear._getframe",
        "fast_path.step._getframe",
        "gradients.registry.Registry.look",
        "damage.damages.Damages.hear",
    ],
)
def test_what_a_signal_handler_raises_in_our_code_reaches_the_program(
    place: str,
    handler: Callable[..., None],
    raised: type[Exception],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = torch_as_found()
    signal.signal(signal.SIGALRM, handler)
    session = Session()
    session.start()
    monkeypatch.setattr(WATCH + place, rings)

    with pytest.raises(raised):
        training()
    after = torch_as_found()
    session.stop()

    assert after == before
    assert session.findings == []
    assert session.internal_words() == (
        f"the program's own {raised.__name__} came in the middle of our work"
    )
