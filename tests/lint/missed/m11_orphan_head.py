# expected: orphan-parameter at the construction (pytorch-openai-transformer-lm)
import torch
model = torch.nn.Linear(1, 1)
clf_head = torch.nn.Linear(1, 1)
opt = torch.optim.Adam(model.parameters())
for x in loader:
    h = model(x)
    loss = clf_head(h).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
