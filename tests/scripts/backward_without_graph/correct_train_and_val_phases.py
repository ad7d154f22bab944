import copy

import torch
import torch.nn as nn
import torch.optim as optim
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = {phase: TensorDataset(torch.randn(32, 3, 8, 8), torch.randint(0, 2, (32,))) for phase in ["train", "val"]}
dataloaders = {x: DataLoader(data[x], batch_size=8, shuffle=x == "train") for x in ["train", "val"]}


def train_model(model, criterion, optimizer, scheduler, num_epochs=2):
    best_weights, best_acc = copy.deepcopy(model.state_dict()), 0.0
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            if phase == "train":
                model.train()
            else:
                model.eval()
            running_loss, running_corrects = 0.0, 0
            for inputs, labels in dataloaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    _, preds = torch.max(outputs, 1)
                    loss = criterion(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                running_loss += loss.item() * inputs.size(0)
                running_corrects += torch.sum(preds == labels.data)
            if phase == "train":
                scheduler.step()
            epoch_acc = running_corrects.double() / len(data[phase])
            if phase == "val" and epoch_acc > best_acc:
                best_acc, best_weights = epoch_acc, copy.deepcopy(model.state_dict())
    model.load_state_dict(best_weights)
    return model


net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2))
sgd = optim.SGD(net.parameters(), lr=0.001, momentum=0.9)
train_model(net, nn.CrossEntropyLoss(), sgd, lr_scheduler.StepLR(sgd, step_size=7, gamma=0.1))
