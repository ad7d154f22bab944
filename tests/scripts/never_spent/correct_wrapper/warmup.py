class WarmupOptimizer:
    """Learning rate rises linearly, then falls with the inverse square root."""

    def __init__(self, optimizer, d_model, warmup):
        self.optimizer = optimizer
        self.scale = d_model ** -0.5
        self.warmup = warmup
        self.count = 0

    def zero_grad(self):
        self.optimizer.zero_grad()

    def step(self):
        self.count += 1
        rate = self.scale * min(self.count ** -0.5, self.count * self.warmup ** -1.5)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
