import torch

torch.manual_seed(0)
X = torch.randn(30, 2)
Y = X @ torch.tensor([[2.0], [-1.0]]) + 0.5
W = torch.zeros(2, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.Adam([W, b], lr=0.05)
updates_per_batch = 3

for epoch in range(5):
    pred = X @ W + b
    loss = ((pred - Y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    for _ in range(updates_per_batch):
        optimizer.step()  # ZG302 lint watch
print(W.flatten().tolist(), b.item())
