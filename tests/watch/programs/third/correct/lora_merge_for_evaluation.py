import math

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(24)


class LoRALinear(nn.Module):
    def __init__(self, base, r=2, alpha=4):
        super().__init__()
        self.base = base
        self.base.requires_grad_(False)
        self.lora_A = nn.Parameter(torch.empty(r, base.in_features))
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
        self.scale, self.merged = alpha / r, False

    def merge(self, flag):
        if flag != self.merged:
            delta = self.scale * self.lora_B.data @ self.lora_A.data
            self.base.weight.data += delta if flag else -delta
            self.merged = flag

    def forward(self, x):
        out = self.base(x)
        return out if self.merged else out + self.scale * (x @ self.lora_A.T @ self.lora_B.T)


model = nn.Sequential(LoRALinear(nn.Linear(6, 16)), nn.GELU(), LoRALinear(nn.Linear(16, 3)))
trainable = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.AdamW(trainable, lr=1e-2, weight_decay=0.0)
loader = DataLoader(TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,))), batch_size=4)
ACC = 2
for epoch in range(3):
    model.train()
    for layer in (model[0], model[2]):
        layer.merge(False)
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y) / ACC
        loss.backward()
        if (i + 1) % ACC == 0:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
    model.eval()
    for layer in (model[0], model[2]):
        layer.merge(True)
    with torch.no_grad():
        model(torch.randn(4, 6))
