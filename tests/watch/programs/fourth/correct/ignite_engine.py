"""Ignite: a supervised trainer with accumulation by hand in the update function, handlers and an evaluator."""

import torch
from ignite.engine import Engine, Events
from ignite.handlers import EarlyStopping
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(81)
x = torch.randn(64, 5)
loader = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), 8, shuffle=True)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
window = 2


def update(engine, batch):
    inputs, labels = batch
    loss = nn.functional.cross_entropy(model(inputs), labels) / window
    loss.backward()
    if engine.state.iteration % window == 0:
        optimizer.step()
        optimizer.zero_grad()
    return loss.item()


def evaluate(engine, batch):
    model.eval()
    with torch.no_grad():
        inputs, labels = batch
        loss = nn.functional.cross_entropy(model(inputs), labels).item()
    model.train()
    return loss


trainer, evaluator = Engine(update), Engine(evaluate)
evaluator.add_event_handler(Events.COMPLETED, EarlyStopping(3, lambda e: -e.state.output, trainer))


@trainer.on(Events.EPOCH_COMPLETED)
def validate(engine):
    evaluator.run(loader)


trainer.run(loader, max_epochs=4)
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
