# expected: zero-inside-window at policy.zero_grad (alpaca_farm): a module's zero_grad is not gated by accumulate()
import torch
from accelerate import Accelerator
def train(policy, loader):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    optimizer = torch.optim.AdamW(policy.parameters())
    policy, optimizer, loader = accelerator.prepare(policy, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(policy):
            loss = policy(batch).mean()
            accelerator.backward(loss)
            optimizer.step()
            policy.zero_grad(set_to_none=True)
