import torch
from torch import nn


class Trainer:
    def __init__(self, model, lr=0.1, max_norm=1.0):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        self.max_norm = max_norm

    def update(self):
        if self.max_norm is not None:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
        self.optimizer.step()  # ZG302 lint watch

    def fit(self, sequences, targets, epochs):
        for _ in range(epochs):
            for seq, tgt in zip(sequences, targets):
                self.optimizer.zero_grad()
                out, _ = self.model(seq)
                loss = nn.functional.mse_loss(out[:, -1], tgt)
                loss.backward()
                self.update()
        return loss.item()


torch.manual_seed(0)
trainer = Trainer(nn.LSTM(2, 4, batch_first=True))
print(trainer.fit(torch.randn(3, 5, 7, 2), torch.randn(3, 5, 4), epochs=2))
