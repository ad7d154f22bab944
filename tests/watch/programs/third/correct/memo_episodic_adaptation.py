import copy

import torch
from torch import nn

torch.manual_seed(64)
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3)).eval()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
model_state, optim_state = copy.deepcopy(model.state_dict()), copy.deepcopy(optimizer.state_dict())
for sample in range(8):
    model.load_state_dict(model_state)
    optimizer.load_state_dict(optim_state)
    x = torch.randn(1, 6)
    for _ in range(1):
        views = x + 0.1 * torch.randn(8, 6)
        marginal = model(views).softmax(1).mean(0)
        loss = -(marginal * marginal.log()).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        model(x).argmax()
