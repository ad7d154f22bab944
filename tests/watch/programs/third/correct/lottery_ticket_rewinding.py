import copy

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import prune

torch.manual_seed(69)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
initial = copy.deepcopy(model.state_dict())
layers = [(model[0], "weight"), (model[2], "weight")]
for round_ in range(3):
    opt = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(8):
        x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
    prune.global_unstructured(layers, pruning_method=prune.L1Unstructured, amount=0.3)
    with torch.no_grad():
        for index, (module, name) in zip(("0", "2"), layers):
            getattr(module, name + "_orig").copy_(initial[f"{index}.weight"])
            module.bias.copy_(initial[f"{index}.bias"])
