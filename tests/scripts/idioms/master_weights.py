"""apex O2 by hand: a bf16 model, fp32 master copies in the optimizer."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 2)).to(torch.bfloat16)
model_params = list(model.parameters())
master_params = [p.detach().clone().float().requires_grad_() for p in model_params]
optimizer = torch.optim.Adam(master_params, lr=1e-2)
loss_scale = 128.0


def model_grads_to_master_grads():
    for p, master in zip(model_params, master_params):
        if master.grad is None:
            master.grad = torch.empty_like(master)
        master.grad.copy_(p.grad)
        master.grad.div_(loss_scale)


def master_params_to_model_params():
    for p, master in zip(model_params, master_params):
        p.data.copy_(master.data)


for _ in range(8):
    x, y = torch.randn(8, 10), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(model(x.bfloat16()).float(), y)
    model.zero_grad()
    (loss * loss_scale).backward()
    model_grads_to_master_grads()
    optimizer.step()
    master_params_to_model_params()
