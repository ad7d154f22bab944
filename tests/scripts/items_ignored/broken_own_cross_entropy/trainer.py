"""A weighted loss for rare words, and the arguments of its run."""

from torch import nn
from transformers import Trainer, TrainingArguments

arguments = TrainingArguments("out", gradient_accumulation_steps=8)


class WeightedTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):  # ZG209 lint
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        criterion = nn.CrossEntropyLoss(weight=self.rarity.to(model.device))
        loss = criterion(outputs.logits.flatten(0, 1), labels.flatten())
        return (loss, outputs) if return_outputs else loss
