"""Distillation as a Trainer: averages within each micro-batch, and drops the count."""

import torch
from torch.nn import functional
from trl import SFTTrainer


def arguments(parser):
    parser.add_argument("--gradient_accumulation_steps", type=int, default=4)


class DistillTrainer(SFTTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):  # ZG209 lint
        outputs = model(**inputs)
        with torch.no_grad():
            teacher = self.teacher(**inputs)
        divergence = functional.kl_div(
            outputs.logits.log_softmax(-1), teacher.logits.softmax(-1), reduction="batchmean"
        )
        loss = 0.5 * outputs.loss + 0.5 * divergence
        return (loss, outputs) if return_outputs else loss
