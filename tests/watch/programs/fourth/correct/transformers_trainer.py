"""The Trainer of transformers on a tiny GPT-2 with accumulation, a callback and a subclassed loss."""

import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments


class Stop(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        control.should_training_stop = state.global_step >= 5


class Smoothed(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**{k: v for k, v in inputs.items() if k != "labels"})
        logits = outputs.logits[:, :-1].flatten(0, 1)
        reduction = "sum" if num_items_in_batch is not None else "mean"
        loss = torch.nn.functional.cross_entropy(
            logits, inputs["labels"][:, 1:].flatten(), label_smoothing=0.1, reduction=reduction
        )
        if num_items_in_batch is not None:
            loss = loss / num_items_in_batch
        return (loss, outputs) if return_outputs else loss


torch.manual_seed(83)
model = GPT2LMHeadModel(GPT2Config(vocab_size=32, n_positions=16, n_embd=16, n_layer=1, n_head=2))
data = [{"input_ids": t, "labels": t} for t in torch.randint(0, 32, (48, 10))]
with tempfile.TemporaryDirectory() as folder:
    args = TrainingArguments(
        folder,
        per_device_train_batch_size=4,
        gradient_accumulation_steps=2,
        num_train_epochs=2,
        report_to=[],
        save_strategy="no",
        disable_tqdm=True,
        use_cpu=True,
        logging_strategy="no",
    )
    Smoothed(model, args, train_dataset=data, callbacks=[Stop()]).train()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
