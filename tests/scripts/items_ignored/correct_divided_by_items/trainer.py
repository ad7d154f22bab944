"""A loss of one's own that divides by the items of the step."""

from torch.nn import functional
from transformers import Trainer, TrainingArguments

arguments = TrainingArguments("out", gradient_accumulation_steps=8)


class CountingTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        logits = model(**inputs).logits[:, :-1]
        reduction = "mean" if num_items_in_batch is None else "sum"
        loss = functional.cross_entropy(
            logits.flatten(0, 1), labels[:, 1:].flatten(), reduction=reduction
        )
        return loss if num_items_in_batch is None else loss / num_items_in_batch
