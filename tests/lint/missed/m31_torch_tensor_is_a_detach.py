# expected: backward-without-graph at loss.backward(); today: silent (same for Variable(loss, requires_grad=True))
import torch
opt = torch.optim.Adam(model.parameters())
for x in data:
    loss = model(x).mean()
    loss = torch.tensor(loss, requires_grad=True)
    opt.zero_grad()
    loss.backward()
    opt.step()
