# expected: shared-parameter at curious_opt (plan2explore): same set twice while curious_actor has none
import torch
actor = torch.nn.Linear(1, 1)
curious_actor = torch.nn.Linear(1, 1)
actor_opt = torch.optim.Adam(actor.parameters())
curious_opt = torch.optim.Adam(actor.parameters())
def train(loader):
    for x in loader:
        a = actor(x).mean()
        actor_opt.zero_grad()
        a.backward()
        actor_opt.step()
        c = curious_actor(x).mean()
        curious_opt.zero_grad()
        c.backward()
        curious_opt.step()
train([])
