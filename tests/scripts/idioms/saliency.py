"""Input gradients of a trained classifier, one image after the other; nothing is ever stepped."""
import torch
from torch import nn

torch.manual_seed(0)
classifier = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32, 4)).eval()
maps = []
for image in torch.rand(5, 1, 1, 6, 6):
    image.requires_grad_()
    classifier.zero_grad()
    score = classifier(image).max()
    score.backward()
    maps.append(image.grad.abs().amax(1))
print(torch.cat(maps).shape)
