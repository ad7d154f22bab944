"""One model, first by maximum likelihood, then by a critic's advantage: an optimizer for each phase."""
import torch
from torch import nn


class SelfCritical(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, log_probs, words, advantage):
        chosen = log_probs.gather(1, words.unsqueeze(1)).squeeze(1)
        return -(chosen * advantage.detach()).mean()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 10), nn.LogSoftmax(dim=1))
ml_optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
rl_optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=0.01)
ml_criterion = nn.NLLLoss()
rl_criterion = SelfCritical()
source, target = torch.randn(16, 6), torch.randint(10, (16,))

for epoch in range(4):
    ml_optimizer.zero_grad()
    loss = ml_criterion(model(source), target)
    loss.backward()
    ml_optimizer.step()

for epoch in range(4):
    rl_optimizer.zero_grad()
    log_probs = model(source)
    words = log_probs.exp().multinomial(1).squeeze(1)
    loss = rl_criterion(log_probs, words, (words == target).float())
    loss.backward()
    rl_optimizer.step()
print(loss.item())
