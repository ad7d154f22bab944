"""What is recorded for the HTML report, and that recording changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest
import torch
from torch import nn

from zerograd.history.series import Series
from zerograd.watch.process.session import Session
from zerograd.watch.report.meter import norm_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from zerograd.history import History, OptimizerHistory

INPUTS = torch.linspace(-1, 1, 24).reshape(8, 3)


def recorded(training: Callable[[], object]) -> History:
    """Return the history of a training."""
    session = Session(record=True)
    session.start()
    training()
    session.stop()
    assert session.internal_error is None
    assert session.recorder is not None
    return session.recorder.history()


def kinds(lane: OptimizerHistory, at: int = -1) -> list[str]:
    """Return what happened in the windows of a run."""
    return [moment[0] for moment in lane.shapes[lane.runs[at][2]][0]]


def network() -> tuple[nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
    return model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


def clean() -> list[Tensor]:
    model, optimizer = network()
    for _ in range(6):
        optimizer.zero_grad()
        model(INPUTS).square().mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.05)
        optimizer.step()
    return [p.detach() for p in model.parameters()] + [torch.randn(3)]


def never_cleared() -> None:
    model, optimizer = network()
    for _ in range(6):
        model(INPUTS).square().mean().backward()
        optimizer.step()


def test_a_clean_loop_is_one_kind_of_window_after_the_first() -> None:
    (lane,) = recorded(clean).lanes

    assert (lane.name, lane.steps) == ("SGD", 6)
    assert [run[:2] for run in lane.runs] == [(1, 1), (2, 5)]
    assert kinds(lane) == ["clear", "deposit", "clip", "spend"]
    assert lane.faults == {}


def test_moments_know_their_lines() -> None:
    (lane,) = recorded(clean).lanes

    lines = [lane.places[moment[1]].rpartition(":") for moment in lane.shapes[-1][0]]
    first = clean.__code__.co_firstlineno
    assert [path.rpartition("/")[2] for path, _, _ in lines] == ["test_recording.py"] * 4
    assert [int(line) - first for _, _, line in lines] == [3, 4, 5, 6]


def test_a_fault_is_marked_in_its_windows() -> None:
    (lane,) = recorded(never_cleared).lanes

    assert lane.faults == {"missing-zero": 5}
    assert kinds(lane) == ["deposit", "spend"]


def test_norms_are_what_the_steps_spent_and_should_have_spent() -> None:
    (lane,) = recorded(never_cleared).lanes

    spent, meant = lane.series["spent"], lane.series["meant"]
    assert spent["step"] == [1, 2, 3, 4, 5, 6]
    assert meant["step"] == [2, 3, 4, 5, 6]
    assert all(one != two for one, two in zip(spent["mean"][1:], meant["mean"], strict=True))


def test_a_clip_is_measured_before_and_after() -> None:
    (lane,) = recorded(clean).lanes

    assert all(norm > 0.05 for norm in lane.series["unclipped"]["mean"])  # type: ignore[operator]
    assert lane.series["spent"]["mean"] == [pytest.approx(0.05, rel=1e-3)] * 6


def test_recording_changes_no_parameter_and_no_random_number() -> None:
    bare = clean()
    watched: list[Tensor] = []

    recorded(lambda: watched.extend(clean()))

    assert all(torch.equal(one, two) for one, two in zip(bare, watched, strict=True))


def test_a_skipped_step_and_the_loss_scale_are_recorded() -> None:
    def training() -> None:
        model, optimizer = network()
        scaler = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2)
        for step in range(4):
            optimizer.zero_grad()
            loss = model(INPUTS).square().mean() * (float("inf") if step == 1 else 1.0)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()

    (lane,) = recorded(training).lanes

    assert [kinds(lane, at)[-1] for at in range(3)] == ["spend", "skip", "spend"]
    assert lane.series["scale"]["mean"] == [4.0, 4.0, 2.0, 2.0]
    assert lane.series["spent"]["step"] == [1, 3, 4]


def test_what_a_fused_kernel_skips_and_a_scaled_loss_are_recorded_as_they_are() -> None:
    def training() -> None:
        torch.manual_seed(0)
        model = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        for step in range(3):
            optimizer.zero_grad()
            loss = model(INPUTS).square().mean() * (float("inf") if step == 1 else 1.0)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()

    (lane,) = recorded(training).lanes

    first, second, _ = lane.series["loss"]["mean"]
    assert [kinds(lane, at)[-1] for at in range(3)] == ["spend", "skip", "spend"]
    assert (first is not None and first < 10, second) == (True, None)
    assert lane.series["spent"]["step"] == [1, 3]


def test_each_optimizer_has_its_own_lane() -> None:
    def training() -> None:
        critic, actor = nn.Linear(3, 1), nn.Linear(3, 1)
        first = torch.optim.SGD(critic.parameters(), lr=0.1)
        second = torch.optim.Adam(actor.parameters(), lr=0.1, fused=True)
        for _ in range(4):
            for model, optimizer in ((critic, first), (actor, second)):
                optimizer.zero_grad()
                model(INPUTS).mean().backward()
                optimizer.step()

    lanes = recorded(training).lanes

    assert [(lane.name, lane.steps) for lane in lanes] == [("SGD", 4), ("Adam", 4)]


def test_a_closure_is_one_window() -> None:
    def training() -> None:
        model = nn.Linear(3, 1)
        optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)

        def closure() -> Any:
            optimizer.zero_grad()
            loss = model(INPUTS).square().mean()
            loss.backward()
            return loss

        for _ in range(3):
            optimizer.step(closure)  # type: ignore[no-untyped-call]  # torch's own

    (lane,) = recorded(training).lanes

    assert (lane.name, lane.steps) == ("LBFGS", 3)
    assert kinds(lane)[-1] == "spend"


def test_an_update_by_hand_is_a_lane_of_its_own() -> None:
    def training() -> None:
        weight = torch.zeros(3, requires_grad=True)
        for _ in range(5):
            (INPUTS @ weight - 1).square().mean().backward()  # type: ignore[no-untyped-call]
            with torch.no_grad():
                weight -= 0.1 * weight.grad  # type: ignore[operator]
            weight.grad = None

    (lane,) = recorded(training).lanes

    assert lane.name == "by hand"
    assert kinds(lane)[-1] == "spend"


def test_what_nobody_spends_is_shown_at_the_end() -> None:
    def training() -> None:
        model, optimizer = network()
        optimizer.zero_grad()
        model(INPUTS).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        model(INPUTS).mean().backward()

    (lane,) = recorded(training).lanes

    assert lane.steps == 1
    assert kinds(lane) == ["clear", "deposit", "end"]


def test_parameters_are_named_with_what_became_of_them() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.head, self.dead = nn.Linear(3, 2), nn.Linear(2, 1), nn.Linear(2, 1)
            self.head.bias.requires_grad_(False)

        def forward(self, inputs: Tensor) -> Tensor:
            self.dead.weight  # noqa: B018  there, and not used
            result: Tensor = self.head(self.body(inputs))
            return result

    def training() -> None:
        model = Net()
        owned = [*model.body.parameters(), *model.dead.parameters()]
        optimizer = torch.optim.SGD(owned, lr=0.1)
        for _ in range(3):
            model.zero_grad()
            model(INPUTS).mean().backward()
            optimizer.step()

    found = {
        one.name: (one.owned, one.reached, one.frozen) for one in recorded(training).parameters
    }

    assert found["Net.body.weight"] == (True, True, False)
    assert found["Net.dead.weight"] == (True, False, False)
    assert found["Net.head.weight"] == (False, True, False)
    assert found["Net.head.bias"] == (False, False, True)


def test_a_sweep_of_optimizers_is_bounded_and_says_so() -> None:
    def training() -> None:
        for _ in range(60):
            model = nn.Linear(3, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            model(INPUTS).mean().backward()
            optimizer.step()

    history = recorded(training)

    assert len(history.lanes) == 48
    assert history.left_out == 12


def test_without_a_report_nothing_of_the_recorder_is_made() -> None:
    session = Session()

    session.start()
    session.stop()

    assert session.recorder is None
    assert session._meter is None


def test_the_norm_takes_sparse_and_sixteen_bit_gradients() -> None:
    half, sparse, none = (nn.Parameter(torch.zeros(2)) for _ in range(3))
    half.data = half.data.half()
    half.grad = torch.tensor([60000.0, 60000.0], dtype=torch.float16)
    sparse.grad = torch.sparse_coo_tensor(
        torch.tensor([[0, 0]]), [3.0, 4.0], (2,), check_invariants=True
    )

    norm = norm_of([half, sparse, none])

    assert norm == pytest.approx(2**0.5 * 60000, rel=1e-3)
    assert norm_of([none]) == 0.0
    assert norm_of([sparse]) == 7.0


LONG = 420
"""Steps after which a run with little room is measured at one step in eight."""


def long_and_calm() -> None:
    model, optimizer = network()
    for _ in range(LONG):
        optimizer.zero_grad()
        model(INPUTS).square().mean().backward()
        optimizer.step()


def cleared_no_more_from_the_middle_on() -> None:
    model, optimizer = network()
    for step in range(LONG):
        if step < LONG // 2:
            optimizer.zero_grad()
        (model(INPUTS).square().mean() * 1e-6).backward()
        optimizer.step()


def two_that_step_at_their_own_pace() -> None:
    model, optimizer = network()
    other, seldom = network()
    for step in range(LONG):
        optimizer.zero_grad()
        model(INPUTS).square().mean().backward()
        optimizer.step()
        if step % 5 == 0:
            seldom.zero_grad()
            other(INPUTS).abs().mean().backward()
            seldom.step()


def windows_that_are_clipped() -> None:
    model, optimizer = network()
    for step in range(LONG):
        (model(INPUTS).square().mean() / 3).backward()
        if step % 3 == 2:
            nn.utils.clip_grad_norm_(model.parameters(), 0.05)
            optimizer.step()
            optimizer.zero_grad()


def history_of(
    training: Callable[[], None], monkeypatch: pytest.MonkeyPatch, *, answers: bool
) -> tuple[object, int]:
    """Return what is drawn of a training, and how many backwards the observer has seen itself."""
    session = Session(record=True)
    session.start()
    if not answers:
        session.cache.answer_all()
    begin = Mock(wraps=session.observer.deposits.begin)
    monkeypatch.setattr(session.observer.deposits, "begin", begin)
    training()
    session.stop()
    assert session.internal_error is None
    assert session.recorder is not None
    return session.recorder.history().lanes, begin.call_count


@pytest.mark.parametrize(
    "training",
    [
        long_and_calm,
        cleared_no_more_from_the_middle_on,
        two_that_step_at_their_own_pace,
        windows_that_are_clipped,
    ],
)
def test_a_long_run_is_drawn_the_same_whether_calls_are_answered_from_memory(
    training: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Series.__init__, "__defaults__", (8,))

    drawn, _ = history_of(training, monkeypatch, answers=True)

    assert drawn == history_of(training, monkeypatch, answers=False)[0]


def test_the_observer_sees_few_steps_of_a_long_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Series.__init__, "__defaults__", (8,))

    _, seen = history_of(long_and_calm, monkeypatch, answers=True)

    assert seen < LONG / 2
    assert history_of(long_and_calm, monkeypatch, answers=False)[1] == LONG
