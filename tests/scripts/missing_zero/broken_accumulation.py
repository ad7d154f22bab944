import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ACCUM_STEPS = 4


def main():
    torch.manual_seed(11)
    dataset = TensorDataset(torch.randn(64, 7), torch.randn(64, 1))
    loader = DataLoader(dataset, batch_size=4)
    model = nn.Sequential(nn.Linear(7, 7), nn.GELU(), nn.Linear(7, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    mse = nn.MSELoss()

    optimizer.zero_grad(set_to_none=True)
    for idx, (x, y) in enumerate(loader):
        loss = mse(model(x), y) / ACCUM_STEPS
        loss.backward()  # ZG101 lint watch
        if (idx + 1) % ACCUM_STEPS == 0:
            optimizer.step()
            print(f"update {(idx + 1) // ACCUM_STEPS}")


main()
