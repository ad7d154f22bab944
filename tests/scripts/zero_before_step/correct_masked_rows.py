import torch

torch.manual_seed(0)
frozen = torch.tensor([0, 2])
offset = torch.zeros(4, 3, requires_grad=True)
optimizer = torch.optim.AdamW([offset], lr=0.05)

for target in torch.randn(6, 4, 3):
    distance = (offset + 1 - target).pow(2).mean()
    distance.backward()
    offset.grad[frozen] = 0
    optimizer.step()
    optimizer.zero_grad()
