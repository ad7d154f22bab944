import torch

torch.manual_seed(0)

X = torch.linspace(-1, 1, 50).unsqueeze(1)
Y = 3 * X + 0.5
w = torch.zeros(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
lr = 0.05

for it in range(20):
    y_hat = X @ w + b
    loss = torch.mean((y_hat - Y) ** 2)
    loss.backward()  # ZG101 lint watch
    with torch.no_grad():
        w -= lr * w.grad
        b -= lr * b.grad

print("w", round(w.item(), 2), "b", round(b.item(), 2))
