import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
torch.manual_seed(33)
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 16), nn.GELU(), nn.Dropout(0.1), nn.Linear(16, 8))
    def forward(self, x):
        return x + self.f(x)
blocks = nn.Sequential(*(Block() for _ in range(4)))
tail = Block(); head = nn.Linear(8, 5)
opt = torch.optim.AdamW([*blocks.parameters(), *tail.parameters(), *head.parameters()], lr=1e-3)
for step in range(10):
    opt.zero_grad(set_to_none=True)
    for micro in range(2):
        x, y = torch.randn(6, 8), torch.randint(0, 5, (6,))
        with torch.autograd.graph.save_on_cpu():
            h = checkpoint_sequential(blocks, 2, x, use_reentrant=False)
            h = checkpoint(tail, h, use_reentrant=False)
            loss = nn.functional.cross_entropy(head(h), y) * 0.5
        loss.backward()
    nn.utils.clip_grad_norm_(blocks.parameters(), 1.0)
    opt.step()
