import torch
torch.manual_seed(42)
def sgd(params, lr, batch_size):
    with torch.no_grad():
        for param in params:
            param -= lr * param.grad / batch_size
def data_iter(batch_size, X, y):
    idx = torch.randperm(len(X))
    for i in range(0, len(X), batch_size):
        yield X[idx[i:i + batch_size]], y[idx[i:i + batch_size]]
W = torch.normal(0, 0.01, (2, 1), requires_grad=True)
b = torch.zeros(1, requires_grad=True)
X = torch.randn(100, 2); Y = X @ torch.tensor([[2.], [-3.4]]) + 4.2
for epoch in range(3):
    for xb, yb in data_iter(10, X, Y):
        l = (xb @ W + b - yb) ** 2 / 2
        l.sum().backward()  # ZG101 watch
        sgd([W, b], 0.03, 10)
    with torch.no_grad():
        print(epoch, float(((X @ W + b - Y) ** 2 / 2).mean()))
