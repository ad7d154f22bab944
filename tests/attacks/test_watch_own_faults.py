"""A mistake of ours: torch is whole at once, nothing is reported, the training is the bare one.

Each case breaks one function of ours, wherever torch, or the program, leads into it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset
from torch_as_found import torch_as_found

import zerograd
from zerograd.hooks import subscription
from zerograd.settings import Settings
from zerograd.watch.process.session import Session
from zerograd.watch.process.stopping import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator


class MistakeError(Exception):
    """What none of our code expects."""


def breaks(*_: Any, **__: Any) -> Any:
    raise MistakeError("broken on purpose")


def training() -> list[torch.Tensor]:
    """Come by every place at which watch listens; the first loop is faulty. Return what it made."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 5)
    for _ in range(64):  # calm soon, and answered from memory
        optimizer.zero_grad()
        model(torch.randn(4, 3)).mean().backward()
        optimizer.step()
    for _ in range(3):
        model(torch.randn(4, 3)).mean().backward()
        optimizer.step()
    for (batch,) in DataLoader(TensorDataset(torch.randn(80, 3)), batch_size=2):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
        scheduler.step()
    with zerograd.allow("missing-zero"):
        optimizer.zero_grad()
        model(torch.randn(4, 3)).mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    for _ in range(2):
        model.zero_grad()
        scaler.scale(model(torch.randn(4, 3)).mean()).backward()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()

    def closure() -> torch.Tensor:
        lbfgs.zero_grad()
        loss: torch.Tensor = model(torch.ones(4, 3)).square().mean()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    lbfgs = torch.optim.LBFGS(model.parameters(), max_iter=2)
    lbfgs.step(closure)  # type: ignore[no-untyped-call]
    return [*(parameter.detach().clone() for parameter in model.parameters()), torch.rand(1)]


@pytest.fixture(scope="module")
def bare() -> list[torch.Tensor]:
    return training()


@pytest.fixture(autouse=True)
def whole_torch() -> Iterator[None]:
    before = torch_as_found(), torch.compile
    yield
    assert (torch_as_found(), torch.compile) == before


WATCH = "zerograd.watch."
PLACES = (
    *(
        "observe.event_poster.EventPoster.enlist",
        "observe.event_poster.EventPoster.settle",
        "observe.event_poster.EventPoster.bury",
        "observe.event_poster.EventPoster.absorb",
    ),
    *(
        "observe.deposits.DepositObserver.begin",
        "observe.deposits.DepositObserver.end",
        "observe.deposits.DepositObserver.nest",
    ),
    *("observe.steps.Steps.begin", "observe.steps.Steps.end", "observe.steps.Steps.begin_scaled"),
    *("observe.steps.Steps.end_scaled", "observe.steps.Steps.contain"),
    *("observe.observer.post_clear", "observe.observer.post_clip", "observe.observer.post_unscale"),
    *(
        "observe.observer.SchedulerStep",
        "observe.observer.ScalerUpdate",
        "observe.observer.Epoch",
        "observe.observer.Evaluated",
    ),
    *(
        "observe.loss_graph.mark_scale",
        "observe.data_feeds.DataFeeds.started",
        "observe.data_feeds.DataFeeds.drawn",
    ),
    *(
        "observe.module_calls.ModuleCalls._begin",
        "observe.module_calls.ModuleCalls._end",
        "observe.module_calls.ModuleCalls.count",
    ),
    *(
        "fast_path.call_cache.CallCache.learn",
        "fast_path.call_cache.CallCache.take_over",
        "fast_path.call_cache.CallCache.hand_back",
    ),
    *(
        "fast_path.call_cache.CallCache._count",
        "fast_path.call_cache.site",
        "fast_path.several_groups.Replay._answers_from_cache",
        "fast_path.clear._getframe",
        "fast_path.step._getframe",
    ),
    *(
        "fast_path.backward._getframe",
        "process.session.Session._take",
        "process.session.Session._stepped",
    ),
    *(
        "process.session.Session._repost",
        "process.session.statement",
        "process.session.allowed_now",
    ),
    *(
        "observe.other_ranks.OtherRanks.group_added",
        "damage.damages.Damages.hear",
        "gradients.registry.Registry.look",
    ),
)


@pytest.mark.parametrize("place", PLACES)
def test_a_mistake_while_the_program_runs_is_not_the_programs(
    bare: list[torch.Tensor], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = torch_as_found()
    monkeypatch.setattr(WATCH + place, breaks)
    session = Session(on_progress=lambda: None)

    session.start()
    made = training()
    after = torch_as_found()
    session.stop()

    assert all(map(torch.equal, made, bare))
    assert isinstance(session.internal_error, MistakeError)
    assert after == before
    assert session.findings == []


@pytest.mark.parametrize(
    "place",
    ["report.meter.norm_of", "report.recording.Recorder.post", "report.recording.OptimizerCourse"],
)
def test_a_mistake_of_the_recording_is_not_the_programs(
    bare: list[torch.Tensor], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WATCH + place, breaks)
    session = Session(record=True)

    session.start()
    made = training()
    session.stop()

    assert all(map(torch.equal, made, bare))
    assert isinstance(session.internal_error, MistakeError)
    assert session.findings == []


def test_without_a_mistake_the_same_program_has_findings(bare: list[torch.Tensor]) -> None:
    session = Session(Settings(preview=True))

    session.start()
    made = training()
    session.stop()

    assert all(map(torch.equal, made, bare))
    assert session.internal_error is None
    assert "missing-zero" in {found.rule.name for found in session.findings}


@pytest.mark.parametrize("place", ["faults_of", "Ledger.close", "findings", "Admission.admits"])
def test_a_mistake_at_the_end_leaves_no_finding(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session()
    session.start()
    training()
    monkeypatch.setattr(f"{WATCH}process.session.{place}", breaks)

    session.stop()

    assert session.findings == []
    assert isinstance(session.internal_error, MistakeError)


PATCHES = [
    (group, number)
    for group, (_, patches) in enumerate(subscription._patches())
    for number in range(len(patches))
]


@pytest.mark.parametrize(("group", "number"), PATCHES)
def test_a_patch_that_cannot_be_installed_leaves_none(
    group: int, number: int, bare: list[torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = torch_as_found()
    patch = subscription._patches()[group][1][number]
    monkeypatch.setattr(type(patch), "install", failing_for(patch, type(patch).install))
    session = Session()

    session.start()
    after = torch_as_found()
    made = training()
    session.stop()

    assert isinstance(session.internal_error, MistakeError)
    assert after == before
    assert all(map(torch.equal, made, bare))
    assert session.findings == []


def failing_for(patch: Any, install: Any) -> Any:
    def fail(self: Any) -> None:
        if self is patch:
            raise MistakeError("cannot be installed")
        install(self)

    return fail


def test_fail_fast_raises_nothing_after_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(limits=Limits(fail_fast=True), on_first=breaks)

    session.start()
    training()
    session.stop()

    assert isinstance(session.internal_error, MistakeError)


@pytest.mark.parametrize(
    "place",
    [
        "observe.event_poster.EventPoster.enlist",
        "report.console_report.summary",
        "report.console_report.View",
    ],
)
def test_a_call_of_watch_says_one_sentence_of_a_mistake(
    place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(WATCH + place, breaks)

    with zerograd.watch(quiet=True, format="concise", preview=True, strict=False) as watching:
        training()

    assert watching.findings == []
    assert capsys.readouterr().err == (
        "zerograd: this run was not watched to its end, and nothing of it is reported: "
        "a bug of ours: MistakeError: broken on purpose\n"
    )
