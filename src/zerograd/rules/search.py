"""Find pages by what people type: other names for their subjects, and the words in them."""

from __future__ import annotations

import re

from zerograd.rules.lookup import by_name
from zerograd.rules.page import read_page
from zerograd.rules.questions import read_topic, topics, words

ALIASES = {
    "zero_grad": "when-to-clear",
    "zerograd": "when-to-clear",
    "zero": "when-to-clear",
    "clear": "when-to-clear",
    "backward": "missing-zero",
    "gan": "leaked-deposit",
    "gans": "leaked-deposit",
    "discriminator": "leaked-deposit",
    "gradscaler": "mixed-precision",
    "grad_scaler": "mixed-precision",
    "scaler": "mixed-precision",
    "autocast": "mixed-precision",
    "amp": "mixed-precision",
    "fp16": "mixed-precision",
    "float16": "mixed-precision",
    "bf16": "low-precision-window",
    "bfloat16": "low-precision-window",
    "retain_graph": "backward-twice",
    "create_graph": "kept-graph",
    "memory": "kept-graph",
    "oom": "kept-graph",
    "leak": "kept-graph",
    "nan": "nan-loss",
    "inf": "nan-loss",
    "explode": "nan-loss",
    "exploding": "nan-loss",
    "diverges": "nan-loss",
    "ddp": "ranks",
    "fsdp": "ranks",
    "torchrun": "ranks",
    "distributed": "ranks",
    "gpus": "ranks",
    "dataparallel": "ranks",
    "distributeddataparallel": "ranks",
    "no_sync": "never-synced",
    "accumulate": "accumulation",
    "accumulating": "accumulation",
    "grad_accumulation": "accumulation",
    "gradient_accumulation": "accumulation",
    "gradient_accumulation_steps": "accumulation",
    "microbatch": "accumulation",
    "micro_batch": "accumulation",
    "clip_grad_norm": "clipping",
    "clip_grad_norm_": "clipping",
    "clip_grad_value_": "clipping",
    "set_to_none": "set-to-none",
    "no_grad": "tracking",
    "requires_grad": "step-without-effect",
    "frozen": "step-without-effect",
    "decrease": "step-without-effect",
    "decreasing": "step-without-effect",
    "plateau": "step-without-effect",
    "stuck": "step-without-effect",
    "detach": "dead-parameter",
    "grad": "none-grad",
    "none": "none-grad",
    "nonetype": "none-grad",
    "unscale_": "clip-before-unscale",
    "scheduler": "scheduler-in-window",
    "lr_scheduler": "scheduler-in-window",
    "ema": "average-in-window",
    "closure": "zero-outside-closure",
    "lbfgs": "zero-outside-closure",
    "adamw": "adam",
    "momentum": "what-clearing-keeps",
    "fused": "unfused-optimizer",
}
"""A word of torch or of its users -> the page about it."""

MOST = 5
"""Pages that a list of results has."""


def alias(text: str) -> str | None:
    """Return the page that a text is another name for: `optimizer.zero_grad()` is one of many.

    >>> alias("optimizer.zero_grad()"), alias("loss goes to NaN"), alias("the moon")
    ('when-to-clear', 'nan-loss', None)
    """
    found = {ALIASES[word] for word in _spoken(text) if word in ALIASES}
    return found.pop() if len(found) == 1 else None


def mentioning(text: str) -> list[str]:
    """Return the pages that have all words of a text, those that have them most often first."""
    asked = words(text)
    if not asked:
        return []
    counted = {name: _counts(asked, page) for name, page in _pages().items()}
    found = {name: sum(counts) for name, counts in counted.items() if all(counts)}
    return sorted(found, key=lambda name: -found[name])[:MOST]


def summary(page: str) -> str:
    """Return what a page is about: its first paragraph, in one line."""
    return " ".join(_pages()[page].split("\n\n")[1].split())


def _pages() -> dict[str, str]:
    rules = {name: read_page(rule).text for name, rule in by_name().items()}
    return rules | {topic: read_topic(topic) for topic in topics()}


def _counts(asked: set[str], page: str) -> list[int]:
    """Return how often each word, by its beginning, stands in a page; its head counts tenfold."""
    head, _, body = page.lower().partition("\n## ")
    return [10 * len(_begins(word, head)) + len(_begins(word, body)) for word in sorted(asked)]


def _begins(word: str, text: str) -> list[str]:
    return re.findall(rf"(?<![a-z_]){re.escape(word)}", text)


def _spoken(text: str) -> list[str]:
    return re.findall(r"[a-z_]\w*", text.lower())
