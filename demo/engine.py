"""The same training with `zerograd.Gradients`, in unequal micro-batches, beside the full batch."""

import torch

import zerograd


def problem():
    torch.manual_seed(0)
    inputs = torch.randn(64, 3)
    targets = inputs.sum(1, keepdim=True)
    model = torch.nn.Linear(3, 1)
    return model, torch.optim.SGD(model.parameters(), lr=0.1), inputs, targets


model, optimizer, inputs, targets = problem()
gradients = zerograd.Gradients(optimizer, accumulate=4)
sizes = [30, 20, 10, 4]
for _ in range(10):
    for part, wanted in gradients.batches(
        zip(inputs.split(sizes), targets.split(sizes), strict=True)
    ):
        loss = torch.nn.functional.mse_loss(model(part), wanted)
        gradients.backward(loss, items=len(part))

whole, optimizer, inputs, targets = problem()
for _ in range(10):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(whole(inputs), targets)
    loss.backward()
    optimizer.step()

apart = (model.weight - whole.weight).abs().max().item()
print(f"full batch of 64: {whole.weight.tolist()}")
print(f"micro-batches of {sizes}: {model.weight.tolist()}")
print(f"largest difference of a weight: {apart:.0e}")
# Ten steps at a rate of 0.1, each with means over 64 samples: one rounding a sample and a step.
assert apart < 10 * 64 * 2**-24
