import torch
from ignite.engine import create_supervised_trainer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = nn.Linear(5, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
trainer = create_supervised_trainer(model, optimizer, nn.CrossEntropyLoss())
loader = DataLoader(TensorDataset(torch.randn(40, 5), torch.randint(0, 2, (40,))), batch_size=8)
state = trainer.run(loader, max_epochs=2)
print(state.iteration)
