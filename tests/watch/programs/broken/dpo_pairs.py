import copy
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(5)
model = nn.Sequential(nn.Embedding(20, 8), nn.Linear(8, 20))
ref = copy.deepcopy(model)
for p in ref.parameters():
    p.requires_grad = False
opt = torch.optim.RMSprop(model.parameters(), lr=5e-4)
scheduler = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 5))
def seq_logp(m, t):
    return m(t[:, :-1]).log_softmax(-1).gather(2, t[:, 1:, None]).sum((1, 2))
grad_accum = 4
batches = [(torch.randint(0, 20, (3, 6)), torch.randint(0, 20, (3, 6))) for _ in range(24)]
running = 0.0
for i, (chosen, rejected) in enumerate(batches, 1):
    pc, pr = seq_logp(model, chosen), seq_logp(model, rejected)
    with torch.no_grad():
        rc, rr = seq_logp(ref, chosen), seq_logp(ref, rejected)
    loss = -F.logsigmoid(0.1 * ((pc - rc) - (pr - rr))).mean()
    (loss / grad_accum).backward()  # ZG204 watch
    running += loss.item()
    if i % 6 == 0:
        nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        opt.step()
        opt.zero_grad()
        scheduler.step()
