"""Adds a penalty to what the base class computes, and hands the count on."""

from transformers import Trainer, TrainingArguments

arguments = TrainingArguments("out", gradient_accumulation_steps=8)


class PenalisingTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        loss = super().compute_loss(model, inputs, **kwargs)
        return loss + self.penalty(model)
