"""The Transformers Trainer runs the loop: arguments say how many micro-batches a window has."""

from __future__ import annotations

import os
import tempfile

# The model is made from its configuration: nothing is fetched.
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from torch import Tensor
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, logging
from transformers.trainer_callback import PrinterCallback

logging.set_verbosity_error()


class Tokens(Dataset[dict[str, Tensor]]):
    """A few random sequences to learn by heart."""

    def __init__(self) -> None:
        generator = torch.Generator().manual_seed(0)
        self.data = torch.randint(0, 32, (24, 8), generator=generator)

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> dict[str, Tensor]:
        return {"input_ids": self.data[index], "labels": self.data[index]}


if __name__ == "__main__":
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=32,
        n_positions=8,
        n_embd=16,
        n_layer=1,
        n_head=2,
        bos_token_id=0,
        eos_token_id=0,
    )
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            per_device_train_batch_size=2,
            gradient_accumulation_steps=4,
            max_grad_norm=1.0,
            num_train_epochs=2,
            use_cpu=True,
            disable_tqdm=True,
            report_to=[],
            save_strategy="no",
            logging_strategy="no",
            seed=0,
        )
        trainer = Trainer(model=GPT2LMHeadModel(config), args=arguments, train_dataset=Tokens())
        trainer.remove_callback(PrinterCallback)
        print(f"{trainer.train().global_step} steps")
