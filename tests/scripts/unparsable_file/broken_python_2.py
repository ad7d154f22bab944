import torch

w = torch.ones(3, requires_grad=True)
loss = w.pow(2).sum()
loss.backward()
print "gradient", w.grad  # ZG001 lint
