# expected: wrong-divisor at backward (neural_sp 325a6fbb): divides by the running index
import torch
def train(model, loader, accum):
    optimizer = torch.optim.Adam(model.parameters())
    n = 0
    for x in loader:
        n += 1
        loss = model(x).mean()
        loss = loss / n
        loss.backward()
        if n >= accum:
            optimizer.step()
            optimizer.zero_grad()
            n = 0
