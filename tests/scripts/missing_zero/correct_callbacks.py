import torch
from torch import nn


class Callback:
    def after_backward(self, trainer): ...
    def after_step(self, trainer): ...


class ClearGradients(Callback):
    def after_step(self, trainer):
        trainer.optimizer.zero_grad()


class Recorder(Callback):
    def __init__(self):
        self.losses = []

    def after_backward(self, trainer):
        self.losses.append(trainer.loss.item())


class Trainer:
    def __init__(self, model, callbacks):
        self.model = model
        self.callbacks = callbacks
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    def notify(self, event):
        for callback in self.callbacks:
            getattr(callback, event)(self)

    def fit(self, batches):
        for x, y in batches:
            self.loss = nn.functional.mse_loss(self.model(x), y)
            self.loss.backward()
            self.notify("after_backward")
            self.optimizer.step()
            self.notify("after_step")


torch.manual_seed(0)
recorder = Recorder()
trainer = Trainer(nn.Linear(4, 1), [recorder, ClearGradients()])
trainer.fit([(torch.randn(6, 4), torch.randn(6, 1)) for _ in range(5)])
print(len(recorder.losses))
