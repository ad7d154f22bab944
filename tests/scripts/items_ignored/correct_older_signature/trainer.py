"""Written for a Transformers that handed over no count: that one divides itself."""

from torch import nn
from transformers import Trainer, TrainingArguments

arguments = TrainingArguments("out", gradient_accumulation_steps=8)


class OlderTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = nn.functional.cross_entropy(outputs.logits, labels)
        return (loss, outputs) if return_outputs else loss
