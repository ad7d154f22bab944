"""Divides by the items of the step, and by its micro-batches as well."""

from torch.nn import functional
from transformers import Trainer


class CarefulTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):  # ZG209 lint
        labels = inputs.pop("labels")
        logits = model(**inputs).logits[:, :-1]
        loss = functional.cross_entropy(
            logits.flatten(0, 1), labels[:, 1:].flatten(), reduction="sum"
        )
        if num_items_in_batch is not None:
            loss = loss / num_items_in_batch
        return loss / self.args.gradient_accumulation_steps
