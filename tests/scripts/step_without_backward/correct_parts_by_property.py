"""Parts of a model that its properties name, each with an optimizer; the losses are summed for the log."""

import torch
from torch import nn


class Inner(nn.Module):
    def __init__(self, body, head):
        super().__init__()
        self.body = body
        self.head = head

    def forward(self, x):
        return self.head(self.body(x))


class Words(nn.Module):
    def gather(self, outputs):
        return outputs

    def logits(self, outputs):
        return outputs * 2


class Outer(nn.Module):
    def __init__(self, body, head, words):
        super().__init__()
        self.inner = Inner(body, head)
        self.words = words

    @property
    def body(self):
        return self.inner.body

    @property
    def head(self):
        return self.inner.head

    def forward(self, x):
        outputs = self.words.gather(self.inner(x))
        return self.words.logits(outputs)


torch.manual_seed(0)
model = Outer(body=nn.Linear(4, 8), head=nn.Linear(8, 2), words=Words())
if torch.cuda.is_available():
    model = model.cuda()
groups = [
    {"params": [p for n, p in model.body.named_parameters() if "bias" not in n]},
    {"params": [p for n, p in model.body.named_parameters() if "bias" in n], "weight_decay": 0.0},
]
optimizer1 = torch.optim.AdamW(groups, lr=1e-3)
head = [{"params": [p for n, p in model.head.named_parameters() if "raw" not in n]}]
optimizer2 = torch.optim.AdamW(head, lr=1e-3)
loss_function = nn.MSELoss()
for epoch in range(2):
    total_loss = 0
    for step in range(8):
        logits = model(torch.randn(8, 4))
        loss = loss_function(logits, torch.zeros(8, 2))
        loss.backward()
        total_loss += loss.item()
        optimizer1.step()
        optimizer1.zero_grad()
        optimizer2.step()
        optimizer2.zero_grad()
    print(total_loss)
