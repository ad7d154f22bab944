"""A skorch classifier with callbacks and a grid over the learning rate."""

import torch
from sklearn.model_selection import GridSearchCV
from skorch import NeuralNetClassifier
from skorch.callbacks import GradientNormClipping, LRScheduler
from torch import nn

torch.manual_seed(82)
x = torch.randn(80, 5).numpy()
y = (x[:, 0] > 0).astype("int64")


class Net(nn.Module):
    def __init__(self, hidden=8):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(5, hidden), nn.ReLU(), nn.Linear(hidden, 2), nn.Softmax(-1)
        )

    def forward(self, x):
        return self.layers(x)


net = NeuralNetClassifier(
    Net,
    max_epochs=2,
    batch_size=16,
    optimizer=torch.optim.Adam,
    verbose=0,
    train_split=None,
    callbacks=[
        GradientNormClipping(1.0),
        LRScheduler(torch.optim.lr_scheduler.ExponentialLR, gamma=0.9),
    ],
)
search = GridSearchCV(net, {"lr": [1e-3, 1e-2]}, cv=2, scoring="accuracy")
search.fit(x, y)
print(
    "digest",
    sum(p.double().sum().item() for p in search.best_estimator_.module_.parameters()).hex(),
)
