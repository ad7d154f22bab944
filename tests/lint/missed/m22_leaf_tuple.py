# expected: leaf-replaced at the assignment (SO 54064934)
import torch
w = torch.randn(3, requires_grad=True)
b = torch.randn(1, requires_grad=True)
for i in range(10):
    loss = (torch.mv(X, w) + b).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        w, b = w - 1e-4 * w.grad, b - 1e-4 * b.grad
