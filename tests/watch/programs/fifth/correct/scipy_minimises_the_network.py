"""scipy's optimizer asks for loss and gradient; torch has no optimizer at all."""

import numpy as np
import torch
from scipy.optimize import minimize
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
model = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1))
inputs = torch.randn(40, 2)
targets = (inputs[:, :1] * inputs[:, 1:]).sin()


def evaluate(flat):
    vector_to_parameters(torch.from_numpy(flat.copy()), model.parameters())
    for parameter in model.parameters():
        parameter.grad = None
    loss = (model(inputs) - targets).square().mean()
    loss.backward()
    gradient = torch.cat([p.grad.flatten() for p in model.parameters()])
    return loss.item(), gradient.numpy().copy()


start = parameters_to_vector(model.parameters()).detach().numpy()
result = minimize(evaluate, start, jac=True, method="L-BFGS-B", options={"maxiter": 15})
vector_to_parameters(torch.from_numpy(np.asarray(result.x)), model.parameters())
print(round(float(result.fun), 5))
