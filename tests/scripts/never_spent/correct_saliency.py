import torch
from torch import nn

torch.manual_seed(0)
classifier = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 6 * 6, 10)).eval()
image = torch.rand(1, 3, 8, 8, requires_grad=True)

scores = classifier(image)
scores[0, scores.argmax()].backward()
saliency = image.grad.abs().amax(dim=1)
print(saliency.shape, saliency.max().item() > 0)
