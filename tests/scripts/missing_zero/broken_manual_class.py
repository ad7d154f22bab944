import torch


class LogisticRegression:
    def __init__(self, features, lr=0.1):
        self.w = torch.zeros(features, requires_grad=True)
        self.b = torch.zeros(1, requires_grad=True)
        self.lr = lr

    def loss(self, x, y):
        return torch.nn.functional.binary_cross_entropy_with_logits(x @ self.w + self.b, y)

    def fit(self, x, y, epochs):
        for _ in range(epochs):
            loss = self.loss(x, y)
            loss.backward()  # ZG101 lint watch
            with torch.no_grad():
                self.w.sub_(self.lr * self.w.grad)
                self.b.sub_(self.lr * self.b.grad)
        return loss.item()


torch.manual_seed(0)
x = torch.randn(50, 4)
y = (x[:, 0] > 0).float()
print(LogisticRegression(4).fit(x, y, epochs=12) > 0)
