"""A shared encoder collects the gradients of two heads that are stepped in between, and steps last."""
import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(12, 16), nn.ReLU())
policy_head, value_head = nn.Linear(16, 4), nn.Linear(16, 1)
encoder_optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
policy_optimizer = torch.optim.Adam(policy_head.parameters(), lr=1e-3)
value_optimizer = torch.optim.Adam(value_head.parameters(), lr=1e-3)

for _ in range(10):
    x, action, ret = torch.randn(8, 12), torch.randint(0, 4, (8,)), torch.randn(8, 1)
    encoder_optimizer.zero_grad()

    policy_optimizer.zero_grad()
    policy_loss = nn.functional.cross_entropy(policy_head(encoder(x)), action)
    policy_loss.backward()
    policy_optimizer.step()

    value_optimizer.zero_grad()
    value_loss = nn.functional.mse_loss(value_head(encoder(x)), ret)
    value_loss.backward()
    value_optimizer.step()

    encoder_optimizer.step()
