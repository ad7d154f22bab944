"""Updates without an optimizer, in the shapes that tutorials use."""
import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(60, 3)
Y = X @ torch.tensor([[1.5], [-2.0], [0.7]]) + 0.3
LR = 0.1


def fresh():
    W = torch.zeros(3, 1, requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    return W, b


def clear_if_not_none_first():
    W, b = fresh()
    for _ in range(10):
        if W.grad is not None:
            W.grad.zero_()
        if b.grad is not None:
            b.grad.zero_()
        loss = ((X @ W + b - Y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            W -= LR * W.grad
            b -= LR * b.grad


def update_and_clear_under_no_grad():
    W, b = fresh()
    for _ in range(10):
        loss = ((X @ W + b - Y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            W -= LR * W.grad
            b -= LR * b.grad
            W.grad = None
            b.grad = None


def data_attribute():
    W, b = fresh()
    for _ in range(10):
        loss = ((X @ W + b - Y) ** 2).mean()
        loss.backward()
        W.data -= LR * W.grad.data
        b.data -= LR * b.grad.data
        W.grad.data.zero_()
        b.grad.data.zero_()


def loop_over_parameters():
    model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
    for _ in range(10):
        loss = nn.functional.mse_loss(model(X), Y)
        model.zero_grad()
        loss.backward()
        with torch.no_grad():
            for param in model.parameters():
                param -= LR * param.grad


def data_of_parameters():
    model = nn.Linear(3, 1)
    for _ in range(10):
        nn.functional.mse_loss(model(X), Y).backward()
        for f in model.parameters():
            f.data.sub_(f.grad.data * LR)
        for f in model.parameters():
            f.grad = None


def copy_and_add():
    W, b = fresh()
    momentum = [torch.zeros_like(W), torch.zeros_like(b)]
    for _ in range(10):
        ((X @ W + b - Y) ** 2).mean().backward()
        with torch.no_grad():
            for p, m in zip((W, b), momentum):
                m.mul_(0.9).add_(p.grad)
                p.add_(m, alpha=-LR)
                p.grad.zero_()


def d2l_sgd():
    def sgd(params, lr, batch_size):
        with torch.no_grad():
            for param in params:
                param -= lr * param.grad / batch_size
                param.grad.zero_()

    W, b = fresh()
    for _ in range(3):
        for start in range(0, 60, 20):
            x, y = X[start : start + 20], Y[start : start + 20]
            l = (x @ W + b - y) ** 2 / 2
            l.sum().backward()
            sgd([W, b], LR, 20)


def decorated_step():
    model = nn.Linear(3, 1)

    @torch.no_grad()
    def step():
        for p in model.parameters():
            p.copy_(p - LR * p.grad)
            p.grad = None

    for _ in range(10):
        (model(X) - Y).abs().mean().backward()
        step()


def grad_without_deposit():
    W, b = fresh()
    for _ in range(10):
        loss = ((X @ W + b - Y) ** 2).mean()
        gW, gb = torch.autograd.grad(loss, (W, b))
        with torch.no_grad():
            W.sub_(LR * gW)
            b.sub_(LR * gb)


def set_grad_enabled_false():
    W, b = fresh()
    for _ in range(10):
        torch.set_grad_enabled(True)
        loss = ((X @ W + b - Y) ** 2).mean()
        loss.backward()
        torch.set_grad_enabled(False)
        W += -LR * W.grad
        b += -LR * b.grad
        W.grad.zero_()
        b.grad.zero_()
    torch.set_grad_enabled(True)


def rebuilt_leaf():
    W, b = fresh()
    for _ in range(10):
        loss = ((X @ W + b - Y) ** 2).mean()
        loss.backward()
        W = (W - LR * W.grad).detach().requires_grad_()
        b = (b - LR * b.grad).detach().requires_grad_()


clear_if_not_none_first()
update_and_clear_under_no_grad()
data_attribute()
loop_over_parameters()
data_of_parameters()
copy_and_add()
d2l_sgd()
decorated_step()
grad_without_deposit()
set_grad_enabled_false()
rebuilt_leaf()
