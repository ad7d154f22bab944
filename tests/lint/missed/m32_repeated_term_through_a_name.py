# expected: shared-parameter at the construction (params is a name); today: silent
import torch
params = list(model.parameters()) + list(model.parameters())
opt = torch.optim.AdamW(params, lr=1e-3)
for x in data:
    opt.zero_grad()
    model(x).mean().backward()
    opt.step()
