import torch
from torch import nn

model = nn.Linear(2, 1)
<<<<<<< HEAD  # ZG001 lint
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
=======
optimizer = torch.optim.Adam(model.parameters())
>>>>>>> feature
