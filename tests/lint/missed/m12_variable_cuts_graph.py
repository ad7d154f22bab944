# expected: backward-without-graph at backward: Variable(loss, requires_grad=True) is a detach
import torch
from torch.autograd import Variable
def train(model, loader):
    opt = torch.optim.Adam(model.parameters())
    for x in loader:
        loss = model(x).mean()
        loss = Variable(loss, requires_grad=True)
        opt.zero_grad()
        loss.backward()
        opt.step()
