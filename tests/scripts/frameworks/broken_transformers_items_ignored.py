import os
import tempfile

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from torch.nn import functional
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, logging
from transformers.trainer_callback import PrinterCallback

logging.set_verbosity_error()


class Texts(Dataset):
    """Texts of very different length, padded."""

    def __init__(self, count=24, length=16):
        maker = torch.Generator().manual_seed(0)
        self.data = torch.randint(0, 32, (count, length), generator=maker)
        self.labels = self.data.clone()
        for number, labels in enumerate(self.labels):
            labels[(3 if number // 2 % 2 else 15) :] = -100

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return {"input_ids": self.data[index], "labels": self.labels[index]}


class OwnLoss(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):  # ZG209 lint
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        logits = outputs.logits[:, :-1].flatten(0, 1)
        loss = functional.cross_entropy(logits, labels[:, 1:].flatten())
        return (loss, outputs) if return_outputs else loss


if __name__ == "__main__":
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=32, n_positions=16, n_embd=16, n_layer=1, n_head=2, bos_token_id=0, eos_token_id=0
    )
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            per_device_train_batch_size=2,
            gradient_accumulation_steps=3,
            num_train_epochs=2,
            learning_rate=1e-3,
            use_cpu=True,
            disable_tqdm=True,
            report_to=[],
            save_strategy="no",
            logging_strategy="no",
            seed=0,
        )
        trainer = OwnLoss(model=GPT2LMHeadModel(config), args=arguments, train_dataset=Texts())
        trainer.remove_callback(PrinterCallback)
        trainer.train()  # ZG208 watch
