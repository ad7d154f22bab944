import torch

torch.manual_seed(0)
x = torch.randn(8, 2)
y = x[:, :1]
W = torch.randn(2, 1, requires_grad=True)

loss = ((x @ W - y) ** 2).mean()
loss.backward()
print("gradient", W.grad.flatten().tolist())
W = W - 0.1 * W.grad
with torch.no_grad():
    print("before", loss.item(), "after", ((x @ W - y) ** 2).mean().item())
