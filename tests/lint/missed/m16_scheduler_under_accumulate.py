# expected: scheduler-in-window at lr_scheduler.step() (starVLA): the scheduler is not prepared
import torch
from accelerate import Accelerator
def train(model, loader, sched):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    optimizer = torch.optim.AdamW(model.parameters())
    lr_scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            optimizer.zero_grad()
            loss = model(batch).mean()
            accelerator.backward(loss)
            optimizer.step()
            lr_scheduler.step()
