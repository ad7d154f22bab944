import torch
from torch import nn
from torch.func import functional_call
from torch.nn import functional as F

torch.manual_seed(81)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
shapes = [(n, p.shape, p.numel()) for n, p in net.named_parameters()]


def unflat(v):
    out, i = {}, 0
    for n, s, k in shapes:
        out[n] = v[i : i + k].view(s)
        i += k
    return out


start = torch.cat([p.detach().flatten() for p in net.parameters()])
goal = start + 0.1 * torch.randn_like(start)
images, labels = torch.randn(6, 4, requires_grad=True), torch.randint(0, 2, (6,))
syn_lr = torch.tensor(0.1, requires_grad=True)
opt_img, opt_lr = torch.optim.SGD([images], 1.0, momentum=0.5), torch.optim.SGD([syn_lr], 1e-4)
for it in range(8):
    student = [start.clone().requires_grad_()]
    for _ in range(4):
        ce = F.cross_entropy(functional_call(net, unflat(student[-1]), (images,)), labels)
        (g,) = torch.autograd.grad(ce, student[-1], create_graph=True)
        student.append(student[-1] - syn_lr * g)
    loss = F.mse_loss(student[-1], goal, reduction="sum") / F.mse_loss(start, goal, reduction="sum")
    opt_img.zero_grad()
    opt_lr.zero_grad()
    loss.backward()
    opt_img.step()
    opt_lr.step()
    for _ in student:
        del _
