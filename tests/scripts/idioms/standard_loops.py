"""The loop that everybody starts with, and the five places where it may clear."""
import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(40, 2)
Y = X @ torch.tensor([[2.0], [-3.0]]) + 1


def adam_over_bare_tensors():
    W = torch.randn(2, 1, requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.Adam([W, b], lr=0.05)
    for epoch in range(10):
        optimizer.zero_grad()
        y_pred = X @ W + b
        loss = ((y_pred - Y) ** 2).mean()
        loss.backward()
        optimizer.step()


def sgd_over_a_linear_layer():
    model = nn.Linear(2, 1)
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(10):
        outputs = model(X)
        loss = criterion(outputs, Y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def after_the_step():
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(10):
        loss = nn.functional.mse_loss(model(X), Y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def at_the_end_of_the_body():
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3)
    for epoch in range(10):
        loss = nn.functional.mse_loss(model(X), Y)
        loss.backward()
        optimizer.step()
        scheduler.step()
        if epoch % 5 == 0:
            print(f"{loss.item():.2f} {model.bias.grad.item():.2f}")
        model.zero_grad()


def twice_to_be_sure():
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    optimizer.zero_grad()
    for epoch in range(10):
        model.zero_grad()
        loss = nn.functional.mse_loss(model(X), Y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def accumulation():
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    accumulation_steps = 4
    optimizer.zero_grad()
    for i, (x, y) in enumerate(zip(X.split(5), Y.split(5))):
        loss = nn.functional.mse_loss(model(x), y)
        loss = loss / accumulation_steps
        loss.backward()
        if (i + 1) % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()


adam_over_bare_tensors()
sgd_over_a_linear_layer()
after_the_step()
at_the_end_of_the_body()
twice_to_be_sure()
accumulation()
