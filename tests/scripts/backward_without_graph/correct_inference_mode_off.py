import torch

torch.manual_seed(0)


def tune(evidence, rounds):
    with torch.inference_mode(False):
        scale = torch.ones(1, requires_grad=True)
        optimizer = torch.optim.Adam([scale], lr=0.1)
        for _ in range(rounds):
            optimizer.zero_grad()
            loss = -evidence(scale.exp())
            loss.backward()
            optimizer.step()
    return scale.detach()


with torch.inference_mode():
    print(tune(lambda scale: -(scale - 2).pow(2).sum(), 4).shape)
