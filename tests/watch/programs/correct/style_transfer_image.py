import torch
from torch import nn
torch.manual_seed(34)
features = nn.Sequential(nn.Conv2d(3, 6, 3), nn.ReLU()).requires_grad_(False)
content = torch.rand(1, 3, 12, 12)
image = content.clone().requires_grad_(True)
opt = torch.optim.LBFGS([image], max_iter=4)
goal = features(content).flatten(2)
goal = goal @ goal.mT
run = [0]
while run[0] < 20:
    def closure():
        with torch.no_grad():
            image.clamp_(0, 1)
        opt.zero_grad()
        f = features(image).flatten(2)
        loss = (f @ f.mT - goal).square().mean() + (image - 0.5).square().mean()
        loss.backward()
        run[0] += 1
        return loss
    opt.step(closure)
