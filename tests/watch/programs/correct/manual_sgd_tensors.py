import torch
torch.manual_seed(40)
w = torch.randn(5, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
X = torch.randn(50, 5)
y = X @ torch.tensor([[1.], [2.], [3.], [4.], [5.]])
lr = 0.05
for epoch in range(3):
    for i in range(0, 50, 10):
        loss = ((X[i:i + 10] @ w + b - y[i:i + 10]) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
            w.grad.zero_()
            b.grad.zero_()
