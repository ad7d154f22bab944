import torch


class LinearRegression:
    def __init__(self, features):
        self.w = torch.zeros(features, 1, requires_grad=True)

    def fit(self, x, y, lr=0.1, epochs=10):
        for _ in range(epochs):
            loss = (x @ self.w - y).square().mean()
            loss.backward()
            self.w.sub_(lr * self.w.grad)  # ZG310 lint
            self.w.grad.zero_()
        return self


torch.manual_seed(0)
x = torch.randn(20, 3)
print(LinearRegression(3).fit(x, x.sum(1, keepdim=True)).w)
