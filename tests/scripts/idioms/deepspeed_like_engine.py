"""DeepSpeed style: an engine with forward, backward(loss) and step(), which knows the window's boundary itself."""
import torch
from torch import nn


class Engine(nn.Module):
    def __init__(self, module, config):
        super().__init__()
        self.module = module
        self.accumulation = config["gradient_accumulation_steps"]
        self.clipping = config.get("gradient_clipping", 0.0)
        self.master = [p.detach().clone().requires_grad_() for p in module.parameters()]
        self.buffers_ = [torch.zeros_like(p) for p in self.master]
        self.optimizer = torch.optim.AdamW(self.master, **config["optimizer"])
        self.micro_steps = 0

    def forward(self, *inputs):
        return self.module(*inputs)

    def is_gradient_accumulation_boundary(self):
        return (self.micro_steps + 1) % self.accumulation == 0

    def backward(self, loss):
        (loss / self.accumulation).backward()
        for p, buffer in zip(self.module.parameters(), self.buffers_):
            buffer.add_(p.grad)
            p.grad = None
        return loss

    def step(self):
        if self.is_gradient_accumulation_boundary():
            for master, buffer in zip(self.master, self.buffers_):
                master.grad = buffer.clone()
                buffer.zero_()
            if self.clipping:
                torch.nn.utils.clip_grad_norm_(self.master, self.clipping)
            self.optimizer.step()
            with torch.no_grad():
                for p, master in zip(self.module.parameters(), self.master):
                    p.copy_(master)
        self.micro_steps += 1


def initialize(model, config):
    engine = Engine(model, config)
    return engine, engine.optimizer


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 3))
ds_config = {"gradient_accumulation_steps": 4, "gradient_clipping": 1.0, "optimizer": {"lr": 1e-3}}
model_engine, _ = initialize(net, ds_config)

for _ in range(16):
    x, y = torch.randn(4, 8), torch.randint(0, 3, (4,))
    loss = nn.functional.cross_entropy(model_engine(x), y)
    model_engine.backward(loss)
    model_engine.step()
