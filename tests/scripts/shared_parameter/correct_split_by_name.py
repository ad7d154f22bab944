import torch
from torch import nn

torch.manual_seed(0)
model = nn.ModuleDict({
    "embed": nn.Embedding(12, 6),
    "mix": nn.Linear(6, 6),
    "unembed": nn.Linear(6, 12, bias=False),
})
model["unembed"].weight = model["embed"].weight
matrices = [model["mix"].weight]
others = [p for n, p in model.named_parameters() if n != "mix.weight"]
optimizers = [torch.optim.SGD(matrices, lr=0.02, momentum=0.9), torch.optim.AdamW(others, lr=1e-2)]

for step in range(6):
    tokens = torch.randint(0, 12, (8,))
    h = torch.relu(model["mix"](model["embed"](tokens)))
    loss = nn.functional.cross_entropy(model["unembed"](h), tokens.roll(-1))
    loss.backward()
    for opt in optimizers:
        opt.step()
    for opt in optimizers:
        opt.zero_grad(set_to_none=True)
print(loss.item())
