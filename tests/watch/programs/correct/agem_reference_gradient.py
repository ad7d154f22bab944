import torch
from torch import nn
torch.manual_seed(35)
net = nn.Linear(6, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
memory = []
def flat():
    return torch.cat([p.grad.flatten() for p in net.parameters()])
def put(vector):
    at = 0
    for p in net.parameters():
        p.grad.copy_(vector[at:at + p.numel()].view_as(p)); at += p.numel()
for step in range(24):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    ref = None
    if memory:
        opt.zero_grad()
        mx, my = zip(*[memory[i] for i in torch.randint(0, len(memory), (2,))])
        nn.functional.cross_entropy(net(torch.cat(mx)), torch.cat(my)).backward()
        ref = flat().clone()
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    if ref is not None:
        g = flat()
        dot = g @ ref
        if dot < 0:
            put(g - dot / (ref @ ref) * ref)
    opt.step()
    if step % 4 == 0:
        memory.append((x, y))
