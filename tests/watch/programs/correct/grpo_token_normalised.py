import copy
import torch
from torch import nn
torch.manual_seed(4)
policy = nn.Sequential(nn.Embedding(12, 16), nn.Linear(16, 12))
reference = copy.deepcopy(policy).eval().requires_grad_(False)
opt = torch.optim.AdamW(policy.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.1, total_iters=10)
for iteration in range(5):
    with torch.no_grad():
        prompts = torch.randint(0, 12, (4, 1)).repeat_interleave(4, 0)
        seq = [prompts]
        for _ in range(6):
            seq.append(torch.multinomial(policy(seq[-1][:, -1]).softmax(-1), 1))
        seq = torch.cat(seq, 1)
        lengths = torch.randint(2, 7, (16,))
        mask = (torch.arange(6)[None] < lengths[:, None]).float()
        reward = (seq == 3).float().mean(1).view(4, 4)
        adv = ((reward - reward.mean(1, keepdim=True)) / (reward.std(1, keepdim=True) + 1e-4)).view(-1)
        old = policy(seq[:, :-1]).log_softmax(-1).gather(-1, seq[:, 1:, None]).squeeze(-1)
        ref = reference(seq[:, :-1]).log_softmax(-1).gather(-1, seq[:, 1:, None]).squeeze(-1)
    for inner in range(2):
        opt.zero_grad()
        total_tokens = mask.sum()
        for rows in torch.randperm(16).split(4):
            new = policy(seq[rows, :-1]).log_softmax(-1).gather(-1, seq[rows, 1:, None]).squeeze(-1)
            ratio = (new - old[rows]).exp()
            a = adv[rows, None]
            surrogate = -torch.min(ratio * a, ratio.clamp(0.8, 1.2) * a)
            kl = (ref[rows] - new).exp() - (ref[rows] - new) - 1
            loss = ((surrogate + 0.04 * kl) * mask[rows]).sum() / total_tokens
            loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        opt.step()
        sched.step()
