import torch
from torch import nn

torch.manual_seed(0)
client, server = nn.Linear(6, 4), nn.Linear(4, 1)
client_optimizer = torch.optim.SGD(client.parameters(), lr=0.05)
server_optimizer = torch.optim.SGD(server.parameters(), lr=0.05)

for _ in range(8):
    x = torch.randn(16, 6)
    y = x.sum(1, keepdim=True)
    client_optimizer.zero_grad()
    server_optimizer.zero_grad()

    smashed = client(x)
    received = smashed.detach().requires_grad_()
    loss = nn.functional.mse_loss(server(torch.tanh(received)), y)
    loss.backward()
    server_optimizer.step()

    smashed.backward(received.grad)
    client_optimizer.step()
