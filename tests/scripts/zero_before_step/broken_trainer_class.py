import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, loss_fn, optimizer, device="cpu"):
        self.model = model.to(device)
        self.loss_fn = loss_fn
        self.optimizer = optimizer
        self.device = device

    def _backward(self, loss):
        loss.backward()

    def _update(self):
        self.optimizer.zero_grad()  # ZG102 lint watch
        self.optimizer.step()

    def _run_batch(self, source, targets):
        source, targets = source.to(self.device), targets.to(self.device)
        loss = self.loss_fn(self.model(source), targets)
        self._backward(loss)
        self._update()
        return loss.item()

    def train(self, loader, max_epochs):
        for epoch in range(max_epochs):
            total = sum(self._run_batch(s, t) for s, t in loader)
            print(f"[{self.device}] Epoch {epoch} | {total / len(loader):.3f}")


def main():
    torch.manual_seed(0)
    dataset = TensorDataset(torch.randn(40, 20), torch.randn(40, 1))
    model = nn.Linear(20, 1)
    trainer = Trainer(model, nn.MSELoss(), torch.optim.Adam(model.parameters()))
    trainer.train(DataLoader(dataset, batch_size=10), max_epochs=2)


if __name__ == "__main__":
    main()
