import torch
from torch import nn

from epoch import run

torch.manual_seed(0)
lstm = nn.LSTM(3, 4, batch_first=True)
head = nn.Linear(4, 2)
optimizer = torch.optim.RMSprop([*lstm.parameters(), *head.parameters()], lr=1e-3)
batches = [(torch.randn(2, 5, 3), torch.randint(0, 2, (2,))) for _ in range(11)]

for epoch in range(3):
    run(lambda x: head(lstm(x)[0][:, -1]), batches, optimizer)
print("finished")
