import torch
from ignite.engine import Engine, Events
from ignite.handlers import EMAHandler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
criterion = nn.MSELoss()
accumulation_steps = 4


def update_model(engine, batch):
    model.train()
    x, y = batch
    loss = criterion(model(x), y) / accumulation_steps
    loss.backward()
    if engine.state.iteration % accumulation_steps == 0:
        optimizer.step()
        optimizer.zero_grad()
    return loss.item()


trainer = Engine(update_model)
EMAHandler(model, momentum=0.1).attach(trainer, event=Events.ITERATION_COMPLETED(every=accumulation_steps))


@trainer.on(Events.EPOCH_COMPLETED)
def log(engine):
    print(engine.state.epoch, f"{engine.state.output * accumulation_steps:.2f}")


x = torch.randn(64, 6)
trainer.run(DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4), max_epochs=2)
