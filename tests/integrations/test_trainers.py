"""Each framework's own trainer under watch: a right training is silent, a wrong one is logged."""

from __future__ import annotations

import ast
import logging
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch_as_found import torch_as_found

from zerograd.errors import FaultError, UnknownArgumentError
from zerograd.integrations.training_watch import TrainingWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from zerograd.findings import Finding

    Train: TypeAlias = Callable[..., list[Finding]]
    Logged: TypeAlias = Callable[[], list[str]]

pytestmark = pytest.mark.filterwarnings("ignore")  # the frameworks' own

ROOT = Path(__file__).parents[2]
DATA = torch.randn(24, 4, generator=torch.Generator().manual_seed(0))


@pytest.fixture(autouse=True)
def torch_is_whole_again() -> Iterator[None]:
    before = found()

    yield

    assert found() == before


def found() -> dict[str, object]:
    # Lightning puts back `__delattr__` of DataLoader, and leaves it on a class that had none.
    return {name: one for name, one in torch_as_found().items() if "__delattr__" not in name}


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Logged:
    """Return a function that tells what any logger has logged of ours."""
    names = ("lightning.pytorch", "transformers", "accelerate", "ignite.engine.engine.Engine")
    for name in names:
        caplog.set_level(logging.WARNING, logger=name)
        logging.getLogger(name).addHandler(caplog.handler)

    def words() -> list[str]:
        # A record that propagates reaches the handler at each logger on its way.
        return list(dict.fromkeys(m for m in caplog.messages if m.startswith("zerograd")))

    return words


def batches() -> DataLoader[tuple[torch.Tensor, ...]]:
    return DataLoader(TensorDataset(DATA, DATA.sum(1, keepdim=True)), batch_size=4)


def lightning_fit(*, right: bool, fails_at: int = -1, **options: Any) -> list[Finding]:
    lightning: Any = pytest.importorskip("lightning")
    from zerograd.integrations.lightning import ZerogradCallback

    class Regression(lightning.LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.automatic_optimization = False
            self.net = nn.Linear(4, 1)

        def training_step(self, batch: list[torch.Tensor], index: int) -> None:
            if index == fails_at:
                raise ArithmeticError("the training's own")
            optimizer = self.optimizers()
            loss = nn.functional.mse_loss(self.net(batch[0]), batch[1])
            if right:
                optimizer.zero_grad()
            self.manual_backward(loss)
            optimizer.step()

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), lr=0.01)

    callback = ZerogradCallback(**options)
    trainer = lightning.Trainer(
        accelerator="cpu",
        devices=1,
        max_epochs=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[callback],
    )
    trainer.fit(Regression(), batches())
    return callback.findings


def lightning_automatic(*, right: bool, **options: Any) -> list[Finding]:
    """Fit as most people do: Lightning accumulates, clips and steps; the wrong one clears too."""
    lightning: Any = pytest.importorskip("lightning")
    from zerograd.integrations.lightning import ZerogradCallback

    class Regression(lightning.LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.net = nn.Linear(4, 1)

        def training_step(self, batch: list[torch.Tensor]) -> torch.Tensor:
            if not right:
                self.zero_grad()
            return nn.functional.mse_loss(self.net(batch[0]), batch[1])

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.AdamW(self.parameters(), lr=0.01)

    callback = ZerogradCallback(**options)
    trainer = lightning.Trainer(
        accelerator="cpu",
        devices=1,
        max_epochs=2,
        accumulate_grad_batches=2,
        gradient_clip_val=1.0,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[callback],
    )
    trainer.fit(Regression(), batches())
    return callback.findings


def transformers_train(*, right: bool, **options: Any) -> list[Finding]:
    transformers: Any = pytest.importorskip("transformers")
    from zerograd.integrations.transformers import ZerogradCallback

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = nn.Linear(4, 1)

        def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
            return {"loss": nn.functional.mse_loss(self.net(inputs), labels)}

    class ClearsEachTime(transformers.Trainer):  # type: ignore[misc]
        def training_step(self, model: nn.Module, *rest: Any, **more: Any) -> torch.Tensor:
            if not right:
                model.zero_grad()
            loss: torch.Tensor = super().training_step(model, *rest, **more)
            return loss

    callback = ZerogradCallback(**options)
    arguments = transformers.TrainingArguments(
        output_dir="unused",
        per_device_train_batch_size=4,
        gradient_accumulation_steps=3,
        num_train_epochs=2,
        use_cpu=True,
        disable_tqdm=True,
        report_to=[],
        save_strategy="no",
        logging_strategy="no",
    )
    rows = [{"inputs": row, "labels": row.sum(0, keepdim=True)} for row in DATA]
    trainer = ClearsEachTime(Model(), arguments, train_dataset=rows, callbacks=[callback])
    trainer.remove_callback(transformers.PrinterCallback)
    trainer.train()
    return callback.findings


def accelerate_loop(*, right: bool, **options: Any) -> list[Finding]:
    accelerate = pytest.importorskip("accelerate")
    from zerograd.integrations.accelerate import watch

    accelerator = accelerate.Accelerator(cpu=True)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    model, optimizer, loader = accelerator.prepare(model, optimizer, batches())
    with watch(accelerator, **options) as watching:
        for inputs, targets in loader:
            if right:
                optimizer.zero_grad()
            accelerator.backward(nn.functional.mse_loss(model(inputs), targets))
            optimizer.step()
    return watching.findings


def ignite_run(
    *,
    right: bool,
    at_third: Callable[[Any], None] | None = None,
    on_error: Callable[[Any, Exception], None] | None = None,
    **options: Any,
) -> list[Finding]:
    ignite = pytest.importorskip("ignite.engine")
    from zerograd.integrations.ignite import ZerogradHandler

    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def train_step(engine: Any, batch: list[torch.Tensor]) -> None:
        if right:
            optimizer.zero_grad()
        nn.functional.mse_loss(model(batch[0]), batch[1]).backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    handler = ZerogradHandler(**options)
    trainer = ignite.Engine(train_step)
    handler.attach(trainer)
    if at_third is not None:
        trainer.add_event_handler(ignite.Events.ITERATION_COMPLETED(once=3), at_third)
    if on_error is not None:
        trainer.add_event_handler(ignite.Events.EXCEPTION_RAISED, on_error)
    trainer.run(batches(), max_epochs=1)
    return handler.findings


def skorch_fit(*, right: bool, **options: Any) -> list[Finding]:
    skorch: Any = pytest.importorskip("skorch")
    from zerograd.integrations.skorch import ZerogradCallback

    class NeverClears(skorch.NeuralNetRegressor):  # type: ignore[misc]
        def _zero_grad_optimizer(self, set_to_none: bool | None = None) -> None:
            if right:
                super()._zero_grad_optimizer(set_to_none)

    callback = ZerogradCallback(
        sink=logging.getLogger("accelerate").warning,  # any of those that the test reads
        **options,
    )
    net = NeverClears(
        nn.Linear,
        module__in_features=4,
        module__out_features=1,
        max_epochs=1,
        batch_size=4,
        train_split=None,
        verbose=0,
        callbacks=[callback],
    )
    net.fit(DATA, DATA.sum(1, keepdim=True))
    return callback.findings


TRAINERS = {
    lightning_fit: "ZG101 missing-zero",
    lightning_automatic: "ZG103 zero-inside-window",
    transformers_train: "ZG103 zero-inside-window",
    accelerate_loop: "ZG101 missing-zero",
    ignite_run: "ZG101 missing-zero",
    skorch_fit: "ZG101 missing-zero",
}


@pytest.mark.parametrize("train", TRAINERS)
def test_a_right_training_is_silent(train: Train, logged: Logged) -> None:
    findings = train(right=True, strict=True)

    assert findings == []
    assert logged() == []


@pytest.mark.parametrize(("train", "fault"), TRAINERS.items())
def test_a_wrong_training_is_logged_once_at_its_end(
    train: Train, fault: str, logged: Logged
) -> None:
    findings = train(right=False)

    (text,) = logged()
    assert text.startswith("zerograd found 1 error:\n")
    assert f"test_trainers.py:{findings[0].location.line}:" in text
    assert f": {fault}: " in text


@pytest.mark.parametrize("train", TRAINERS)
def test_strict_ends_a_wrong_training_with_an_error_after_it_was_logged(
    train: Train, logged: Logged
) -> None:
    with pytest.raises(FaultError, match="zero"):
        train(right=False, strict=True)

    assert len(logged()) == 1


def test_a_training_that_raises_says_what_was_found_and_raises_its_own_error(
    logged: Logged,
) -> None:
    with pytest.raises(ArithmeticError, match="the training's own"):
        lightning_fit(right=False, fails_at=4, strict=True)

    (text,) = logged()
    assert "happened: 3 times, steps 2 to 4" in text


def fail(engine: Any) -> None:
    raise ArithmeticError("the training's own")


def test_an_ignite_run_that_raises_is_told_and_raises_its_own_error(logged: Logged) -> None:
    with pytest.raises(ArithmeticError, match="the training's own"):
        ignite_run(right=False, at_third=fail)

    (text,) = logged()
    assert "happened: 2 times, steps 2 to 3" in text


def test_an_error_that_ignites_users_handle_stays_handled(logged: Logged) -> None:
    handled: list[str] = []

    findings = ignite_run(
        right=False, at_third=fail, on_error=lambda _, error: handled.append(str(error))
    )

    assert handled == ["the training's own"]
    assert [one.rule.name for one in findings] == ["missing-zero"]
    assert len(logged()) == 1


def test_an_ignite_run_that_is_terminated_without_its_last_event_is_told(logged: Logged) -> None:
    findings = ignite_run(
        right=False, at_third=lambda engine: engine.terminate(skip_completed=True)
    )

    assert [one.rule.name for one in findings] == ["missing-zero"]
    assert len(logged()) == 1


def test_what_broke_off_does_not_hear_of_the_next_trainings_of_its_framework() -> None:
    said: list[str] = []
    first, second = TrainingWatch({}, framework="any"), TrainingWatch({}, framework="any")
    other = TrainingWatch({}, framework="another")
    first.begin(said.append)
    other.begin(said.append)

    second.begin(said.append)
    were_watching = (first.is_watching, other.is_watching, second.is_watching)
    second.end()
    other.end()

    assert were_watching == (False, True, True)
    assert said == []


def test_a_training_that_broke_off_is_told_when_the_next_begins() -> None:
    said: list[str] = []
    training = TrainingWatch({})
    training.begin(said.append)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(3):
        model(DATA).mean().backward()
        optimizer.step()

    training.begin(said.append)
    training.end()

    assert len(said) == 1
    assert "ZG101 missing-zero" in said[0]
    assert training.findings == []


def test_under_zerograd_watch_the_report_of_the_run_says_it_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("zerograd.watch.process.child.is_reported", lambda: True)
    said: list[str] = []
    training = TrainingWatch({})
    training.begin(said.append)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(3):
        model(DATA).mean().backward()
        optimizer.step()

    training.end()

    assert said == []
    assert [finding.rule.name for finding in training.findings] == ["missing-zero"]


def test_a_callback_is_copied_and_pickled_with_its_options_while_it_watches() -> None:
    training = TrainingWatch({"ignore": "missing-zero"})
    training.begin(print)

    copied = pickle.loads(pickle.dumps(training))

    training.end()
    assert copied.options == {"ignore": "missing-zero"}
    assert copied.findings == []


def test_an_option_that_watch_does_not_have_is_refused_when_the_callback_is_made() -> None:
    with pytest.raises(UnknownArgumentError) as raised:
        TrainingWatch({"strickt": True})

    assert str(raised.value).startswith(
        "zerograd.watch() has no option 'strickt'; it has config, extend_select, fail_fast, "
    )


@pytest.mark.parametrize("name", ["accelerate", "ignite", "lightning", "skorch", "transformers"])
def test_the_lines_to_add_that_a_module_shows_stand_in_the_guide(name: str) -> None:
    source = (ROOT / f"src/zerograd/integrations/{name}.py").read_text("utf-8")
    shown = (ast.get_docstring(ast.parse(source)) or "").partition("\n\n")[2]

    assert shown.startswith(f"from zerograd.integrations.{name} import ")
    assert f"```py\n{shown}\n```" in (ROOT / "docs/guides/trainers.md").read_text("utf-8")
