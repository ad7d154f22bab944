import torch

torch.manual_seed(0)
x = torch.cat([torch.randn(20, 2) + 4, torch.randn(20, 2) - 4])
y = torch.cat([torch.ones(20), -torch.ones(20)])
w = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.05)

for epoch in range(20):
    optimizer.zero_grad()
    hinge = torch.relu(1 - y * (x @ w)).mean()
    hinge.backward()
    optimizer.step()
print(hinge.item(), w.tolist())
