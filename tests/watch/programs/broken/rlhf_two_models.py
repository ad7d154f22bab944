import torch
from torch import nn
torch.manual_seed(6)
actor, critic, reward = (nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, n)) for n in (5, 1, 1))
actor_opt = torch.optim.Adam(actor.parameters(), 1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), 1e-3)  # ZG303 watch
reward.requires_grad_(False)
for it in range(5):
    states = torch.randn(24, 6)
    with torch.no_grad():
        old = actor(states).log_softmax(-1)
        act = old.exp().multinomial(1)
        r = reward(states)
        adv = r - critic(states)
    for inner in range(2):
        lp = actor(states).log_softmax(-1).gather(1, act)
        ratio = (lp - old.gather(1, act)).exp()
        actor_loss = -torch.min(ratio * adv, ratio.clamp(.8, 1.2) * adv).mean()
        actor_opt.zero_grad(); actor_loss.backward(); actor_opt.step()
        critic_loss = 0.5 * (critic(states) - r).pow(2).mean()
        critic_opt.zero_grad(); critic_loss.backward(); actor_opt.step()  # ZG302 watch
