import copy
import torch
from torch import nn
torch.manual_seed(4)
policy = nn.Sequential(nn.Embedding(11, 12), nn.Linear(12, 11))
reference = copy.deepcopy(policy).eval().requires_grad_(False)
optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
ACCUM, GROUP = 2, 4
def logps(m, tokens):
    lp = m(tokens[:, :-1]).log_softmax(-1)
    return lp.gather(-1, tokens[:, 1:, None]).squeeze(-1)
for step in range(6):
    optimizer.zero_grad()
    for _ in range(ACCUM):
        tokens = torch.randint(0, 11, (GROUP, 7))
        rewards = (tokens == 3).float().sum(1)
        adv = (rewards - rewards.mean()) / (rewards.std() + 1e-4)
        lp = logps(policy, tokens)
        with torch.no_grad():
            ref = logps(reference, tokens)
        kl = (ref - lp).exp() - (ref - lp) - 1
        per_token = -(lp - lp.detach()).exp() * adv[:, None] + 0.04 * kl
        (per_token.mean() / ACCUM).backward()
    torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
    optimizer.step()
