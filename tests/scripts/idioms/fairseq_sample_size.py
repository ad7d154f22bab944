"""fairseq style: sum-reduced losses over a group of samples, gradients multiplied by one over the sample size."""
import torch
from torch import nn


class Trainer:
    def __init__(self, model, update_freq=2):
        self.model, self.update_freq = model, update_freq
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def zero_grad(self):
        self.optimizer.zero_grad()

    def multiply_grads(self, c):
        for p in self.model.parameters():
            if p.grad is not None:
                p.grad.data.mul_(c)

    def train_step(self, samples):
        self.model.train()
        self.zero_grad()
        sample_size = 0
        for i, (tokens, target) in enumerate(samples):
            loss = nn.functional.cross_entropy(self.model(tokens), target, reduction="sum")
            loss.backward()
            sample_size += target.numel()
        self.multiply_grads(1.0 / sample_size)
        nn.utils.clip_grad_norm_(self.model.parameters(), 25.0)
        self.optimizer.step()


torch.manual_seed(0)
trainer = Trainer(nn.Sequential(nn.EmbeddingBag(40, 8), nn.Linear(8, 6)))
for update in range(4):
    samples = []
    for _ in range(trainer.update_freq):
        n = int(torch.randint(2, 7, ()))
        samples.append((torch.randint(0, 40, (n, 5)), torch.randint(0, 6, (n,))))
    trainer.train_step(samples)
