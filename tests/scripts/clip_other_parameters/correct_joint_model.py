import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(0)
model = nn.ModuleDict({"actor": nn.Linear(4, 2), "critic": nn.Linear(4, 1)})
actor_opt = torch.optim.Adam(model["actor"].parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(model["critic"].parameters(), lr=1e-3)

for update in range(6):
    states, returns = torch.randn(8, 4), torch.randn(8, 1)

    critic_opt.zero_grad()
    value = model["critic"](states)
    value_loss = nn.functional.mse_loss(value, returns)
    value_loss.backward()
    clip_grad_norm_(model.parameters(), 0.5)
    critic_opt.step()

    actor_opt.zero_grad()
    chosen = torch.log_softmax(model["actor"](states), dim=1)[:, :1]
    policy_loss = -(chosen * (returns - value.detach())).mean()
    policy_loss.backward()
    clip_grad_norm_(model.parameters(), 0.5)
    actor_opt.step()
print(value_loss.item(), policy_loss.item())
