from torch import nn, optim


def solve(model, x, y, rounds):
    optimizer = optim.LBFGS(model.parameters(), lr=0.05, max_iter=4, history_size=5)
    criterion = nn.MSELoss()

    def closure():
        loss = criterion(model(x), y) + 1e-4 * sum(p.pow(2).sum() for p in model.parameters())
        loss.backward()  # ZG106 lint watch
        return loss

    model.zero_grad()
    for _ in range(rounds):
        final = optimizer.step(closure)
    return final.item()
