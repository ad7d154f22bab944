"""Neural style transfer: LBFGS over an image, the closure counts its own evaluations."""
import torch
import torch.nn.functional as F
from torch import nn, optim

torch.manual_seed(0)
cnn = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1)).eval().requires_grad_(False)
content_img, style_img = torch.rand(1, 3, 12, 12), torch.rand(1, 3, 12, 12)


def gram_matrix(features):
    a, b, c, d = features.size()
    flat = features.view(a * b, c * d)
    return torch.mm(flat, flat.t()).div(a * b * c * d)


content_target = cnn(content_img).detach()
style_target = gram_matrix(cnn(style_img)).detach()
input_img = content_img.clone().requires_grad_(True)
optimizer = optim.LBFGS([input_img])

run = [0]
while run[0] <= 20:

    def closure():
        with torch.no_grad():
            input_img.clamp_(0, 1)
        optimizer.zero_grad()
        features = cnn(input_img)
        style_score = 1e4 * F.mse_loss(gram_matrix(features), style_target)
        content_score = F.mse_loss(features, content_target)
        loss = style_score + content_score
        loss.backward()
        run[0] += 1
        return style_score + content_score

    optimizer.step(closure)

with torch.no_grad():
    input_img.clamp_(0, 1)
