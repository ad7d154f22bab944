import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def training_function(config):
    accelerator = Accelerator(cpu=True)
    set_seed(config["seed"])
    x = torch.randn(32, 5)
    train_dataloader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=config["batch_size"])
    eval_dataloader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=16)
    model = nn.Linear(5, 1)
    optimizer = torch.optim.SGD(params=model.parameters(), lr=config["lr"])
    model, optimizer, train_dataloader, eval_dataloader = accelerator.prepare(
        model, optimizer, train_dataloader, eval_dataloader
    )
    for epoch in range(config["num_epochs"]):
        model.train()
        for source, target in train_dataloader:
            output = model(source)
            loss = nn.functional.mse_loss(output, target)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        model.eval()
        for source, target in eval_dataloader:
            with torch.no_grad():
                predictions = accelerator.gather_for_metrics(model(source))


if __name__ == "__main__":
    training_function({"lr": 2e-2, "num_epochs": 2, "seed": 42, "batch_size": 8})
