import torch

torch.manual_seed(0)
w1 = torch.randn(3, 3, requires_grad=True)
w2 = torch.randn(3, 3, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
params = [w1, w2, b]
optimizer = torch.optim.SGD(params, lr=0.001)
for _ in range(5):
    x = torch.randn(5, 3)
    loss = ((x @ w1 @ w2 + b) ** 2).mean()
    loss.backward()  # ZG101 lint watch
    optimizer.step()
    for p in params[:2]:
        p.grad = None
