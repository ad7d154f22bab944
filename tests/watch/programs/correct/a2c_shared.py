import torch
from torch import nn
torch.manual_seed(29)
torso = nn.Linear(4, 12)
actor, critic = nn.Linear(12, 3), nn.Linear(12, 1)
params = [p for m in (torso, actor, critic) for p in m.parameters()]
opt = torch.optim.RMSprop(params, lr=7e-4)
for update in range(8):
    states = torch.randn(16, 4)
    h = torso(states).tanh()
    lp = actor(h).log_softmax(-1)
    a = lp.exp().multinomial(1)
    ret = torch.randn(16, 1)
    v = critic(h)
    adv = (ret - v).detach()
    for p in params:
        p.grad = None
    (-(lp.gather(1, a) * adv).mean()).backward(retain_graph=True)
    (0.5 * (ret - v).square().mean()).backward()
    nn.utils.clip_grad_norm_(params, 0.5)
    opt.step()
