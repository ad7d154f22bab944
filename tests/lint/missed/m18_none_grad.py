# expected: none-grad at p.grad += g (pytorch/examples 6fc19c7): zero_grad sets None
import torch
class Server:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for p in self.model.parameters():
            p.grad = torch.zeros_like(p)
    def update(self, grads):
        for p, g in zip(self.model.parameters(), grads):
            p.grad += g
        self.optimizer.step()
        self.optimizer.zero_grad()
