import contextlib
import torch
from torch import nn
torch.manual_seed(36)
world = nn.ModuleDict({"enc": nn.Linear(6, 8), "dyn": nn.Linear(10, 8), "rew": nn.Linear(8, 1)})
actor, critic = nn.Linear(8, 2), nn.Linear(8, 1)
slow = nn.Linear(8, 1); slow.load_state_dict(critic.state_dict())
opts = {"world": torch.optim.Adam(world.parameters(), 1e-3), "actor": torch.optim.Adam(actor.parameters(), 1e-3), "critic": torch.optim.Adam(critic.parameters(), 1e-3)}
@contextlib.contextmanager
def frozen(*modules):
    flags = [(p, p.requires_grad) for m in modules for p in m.parameters()]
    for p, _ in flags:
        p.requires_grad_(False)
    yield
    for p, f in flags:
        p.requires_grad_(f)
def update(name, loss):
    opts[name].zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_([p for g in opts[name].param_groups for p in g["params"]], 100.0)
    opts[name].step()
for step in range(15):
    obs, act = torch.randn(5, 8, 6), torch.randn(5, 8, 2)
    h = torch.zeros(8, 8); loss = 0.0
    for t in range(5):
        e = world["enc"](obs[t])
        h = world["dyn"](torch.cat([h, act[t]], 1)).tanh()
        loss = loss + (h - e.detach()).square().mean() + 0.1 * (e - h.detach()).square().mean() + (world["rew"](h) - obs[t, :, :1]).square().mean()
    update("world", loss / 5)
    with frozen(world, critic):
        s = h.detach(); states, rewards = [s], []
        for t in range(4):
            s = world["dyn"](torch.cat([s, actor(s).tanh()], 1)).tanh()
            states.append(s); rewards.append(world["rew"](s))
        ret = critic(states[-1])
        rets = []
        for r in reversed(rewards):
            ret = r + 0.9 * ret; rets.append(ret)
    update("actor", -torch.stack(rets).mean())
    feats = torch.stack(states[:-1]).detach()
    target = torch.stack(rets[::-1]).detach()
    value = critic(feats)
    update("critic", (value - target).square().mean() + 0.1 * (value - slow(feats).detach()).square().mean())
    for a, b in zip(slow.parameters(), critic.parameters()):
        a.data = 0.98 * a.data + 0.02 * b.data
