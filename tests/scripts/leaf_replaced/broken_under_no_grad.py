import torch


def logistic_regression(x: torch.Tensor, y: torch.Tensor, lr: float, epochs: int) -> torch.Tensor:
    theta = torch.zeros(x.shape[1], requires_grad=True)
    for _ in range(epochs):
        p = torch.sigmoid(x @ theta)
        loss = torch.nn.functional.binary_cross_entropy(p, y)
        loss.backward()
        with torch.no_grad():
            theta = theta - lr * theta.grad  # ZG309 lint watch
    return theta


torch.manual_seed(0)
x = torch.randn(25, 3)
print(logistic_regression(x, (x[:, 0] > 0).float(), lr=0.5, epochs=20))
