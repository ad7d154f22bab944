"""A loss over whole sequences: the Trainer is told to divide by the micro-batches itself."""

from torch import nn
from transformers import Trainer, TrainingArguments

arguments = TrainingArguments("out", gradient_accumulation_steps=8)


class RewardTrainer(Trainer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.model_accepts_loss_kwargs = False

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        chosen = model(**inputs["chosen"]).logits
        rejected = model(**inputs["rejected"]).logits
        return -nn.functional.logsigmoid(chosen - rejected).mean()
