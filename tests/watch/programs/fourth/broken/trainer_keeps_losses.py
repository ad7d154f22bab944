"""A small trainer with callbacks: early stopping, the best checkpoint, a plateau scheduler."""

import copy
import logging
from dataclasses import dataclass, field

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

log = logging.getLogger(__name__)


@dataclass
class Config:
    lr: float = 1e-2
    epochs: int = 12
    batch_size: int = 16
    patience: int = 3
    hidden: list[int] = field(default_factory=lambda: [32, 16])


class Callback:
    def on_epoch_end(self, trainer, epoch, metrics): ...


class EarlyStopping(Callback):
    def __init__(self, patience):
        self.patience, self.best, self.wait, self.state = patience, float("inf"), 0, None

    def on_epoch_end(self, trainer, epoch, metrics):
        if metrics["val"] < self.best - 1e-4:
            self.best, self.wait = metrics["val"], 0
            self.state = copy.deepcopy(trainer.model.state_dict())
        else:
            self.wait += 1
            trainer.should_stop = self.wait >= self.patience


class Trainer:
    def __init__(self, model, config, callbacks=()):
        self.model, self.config, self.callbacks = model, config, list(callbacks)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr)
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, patience=1)
        self.criterion = nn.MSELoss()
        self.should_stop = False

    def training_step(self, batch):
        x, y = batch
        return self.criterion(self.model(x), y)

    def fit(self, train, val):
        for epoch in range(self.config.epochs):
            self.model.train()
            running = 0.0
            for batch in train:
                self.optimizer.zero_grad(set_to_none=True)
                loss = self.training_step(batch)
                loss.backward()
                self.optimizer.step()
                running += loss  # nothing: eight batches, then all are freed
            metrics = {"train": float(running) / len(train), "val": self.evaluate(val)}
            self.scheduler.step(metrics["val"])
            for callback in self.callbacks:
                callback.on_epoch_end(self, epoch, metrics)
            log.info("epoch %d %s", epoch, metrics)
            if self.should_stop:
                break

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        return sum(self.training_step(batch).item() for batch in loader) / len(loader)


def main():
    torch.manual_seed(0)
    config = Config()
    x = torch.randn(160, 8)
    data = TensorDataset(x, x[:, :1].sin() + 0.1 * torch.randn(160, 1))
    train, val = random_split(data, [120, 40])
    layers, width = [], 8
    for hidden in config.hidden:
        layers += [nn.Linear(width, hidden), nn.GELU()]
        width = hidden
    model = nn.Sequential(*layers, nn.Linear(width, 1))
    stopper = EarlyStopping(config.patience)
    Trainer(model, config, [stopper]).fit(
        DataLoader(train, config.batch_size, shuffle=True), DataLoader(val, config.batch_size)
    )
    model.load_state_dict(stopper.state)
    print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())


if __name__ == "__main__":
    main()
