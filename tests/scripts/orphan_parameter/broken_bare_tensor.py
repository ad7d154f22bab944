import torch

torch.manual_seed(0)
X = torch.randn(50, 3)
y = torch.sin(X.sum(dim=1, keepdim=True))

W1 = torch.randn(3, 10, requires_grad=True)
b1 = torch.zeros(10, requires_grad=True)
W2 = torch.randn(10, 1, requires_grad=True)
b2 = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([W1, b1, W2], lr=0.01)  # ZG304 lint watch

for i in range(20):
    h = torch.relu(X @ W1 + b1)
    y_hat = h @ W2 + b2
    loss = torch.mean((y_hat - y) ** 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("loss", loss.item())
