"""What a first notebook on autograd does: backward on bare tensors, printing .grad, adding up on purpose."""
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = (x**2).sum()
y.backward()
print(x.grad)

z = (3 * x).sum()
z.backward()
print(x.grad)

x.grad.zero_()
(x.exp()).sum().backward()
print(x.grad)

a = torch.ones(2, 2, requires_grad=True)
b = a + 2
out = (b * b * 3).mean()
out.backward()
print(a.grad)
