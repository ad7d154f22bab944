import torch
from torch import nn


class AmpTrainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=512.0)
        self.iteration = 0

    def train_step(self, tokens, targets):
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = self.model(tokens)
        loss = nn.functional.cross_entropy(logits.float(), targets)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)  # ZG405 lint watch
        self.iteration += 1
        if self.iteration % 2 == 0:
            self.scaler.update()
        return loss.item()


torch.manual_seed(0)
trainer = AmpTrainer(nn.Sequential(nn.Embedding(9, 4), nn.Flatten(), nn.Linear(12, 9)))
for _ in range(6):
    print(trainer.train_step(torch.randint(0, 9, (5, 3)), torch.randint(0, 9, (5,))))
