"""Generalised distillation as a Trainer: the divergence is a mean over a micro-batch's answers."""

import torch
from torch.nn import functional
from trl import SFTTrainer

BETA = 0.5


def arguments(parser):
    parser.add_argument("--gradient_accumulation_steps", type=int, default=4)


class DivergenceTrainer(SFTTrainer):
    @staticmethod
    def divergence(own, other, labels):
        own, other = own.log_softmax(-1), other.log_softmax(-1)
        mixture = torch.logaddexp(own, other) - torch.tensor(2.0).log()
        toward = functional.kl_div(mixture, other, reduction="none", log_target=True)
        back = functional.kl_div(mixture, own, reduction="none", log_target=True)
        mask = labels != -100
        return (BETA * toward + (1 - BETA) * back)[mask].sum() / mask.sum()

    def compute_loss(  # ZG209 lint
        self, model, inputs, return_outputs=False, num_items_in_batch=None
    ):
        outputs = model(**inputs)
        with torch.no_grad():
            teacher = self.teacher(**inputs)
        loss = self.divergence(outputs.logits, teacher.logits, inputs["labels"])
        return (loss, outputs) if return_outputs else loss
