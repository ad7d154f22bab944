# -*- coding: ascii -*-  # ZG004 lint
import torch

name = 'réseau'
w = torch.ones(2, requires_grad=True)
w.sum().backward()
print(name, w.grad)
