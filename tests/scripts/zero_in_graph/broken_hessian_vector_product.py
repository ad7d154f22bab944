import torch
from torch import nn


def hessian_vector_product(model, loss, vectors):
    loss.backward(create_graph=True)
    product = sum((p.grad * v).sum() for p, v in zip(model.parameters(), vectors))
    for p in model.parameters():
        p.grad.zero_()  # ZG604 lint
    product.backward()  # ZG604 watch
    return [p.grad.detach().clone() for p in model.parameters()]


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
    x = torch.randn(20, 3)
    vectors = [torch.randn_like(p) for p in model.parameters()]
    for iteration in range(4):
        loss = nn.functional.mse_loss(model(x), x.prod(1, keepdim=True))
        vectors = hessian_vector_product(model, loss, vectors)
        norm = torch.cat([v.flatten() for v in vectors]).norm()
        vectors = [v / norm for v in vectors]
        model.zero_grad()
    print(f"largest eigenvalue {norm:.3f}")


main()
