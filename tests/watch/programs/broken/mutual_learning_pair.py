import torch
from torch import nn
torch.manual_seed(26)
nets = [nn.Sequential(nn.Linear(6, h), nn.ReLU(), nn.Linear(h, 3)) for h in (8, 12)]
opts = [torch.optim.SGD(n.parameters(), lr=0.05, momentum=0.9) for n in nets]
scheds = [torch.optim.lr_scheduler.StepLR(o, 5, 0.5) for o in opts]
kl = nn.KLDivLoss(reduction="batchmean")
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(64, 6), torch.randint(0, 3, (64,))), batch_size=16)
history = {0: [], 1: []}
for epoch in range(4):
    for x, y in loader:
        outs = [n(x) for n in nets]
        for i in range(2):
            peer = outs[1 - i].detach().softmax(1)
            loss = nn.functional.cross_entropy(outs[i], y) + kl(outs[i].log_softmax(1), peer)
            opts[i].zero_grad()
            loss.backward()
            opts[i].step()
            history[i].append(loss)  # ZG602 watch
    for s in scheds:
        s.step()
print(len(history[0]))
