"""The stored names of torch, derived again from the torch that is installed."""

from __future__ import annotations

import inspect
import re
import warnings
from importlib import import_module

import pytest
import torch

from zerograd.lint.knowledge.torch_names import TENSOR_NAMES, TOUCHING

NAMESPACES = (
    *("torch", "torch.amp", "torch.autograd", "torch.autograd.functional", "torch.cuda"),
    *("torch.cuda.amp", "torch.distributed", "torch.fft", "torch.func", "torch.jit"),
    *("torch.linalg", "torch.nn.functional", "torch.nn.init", "torch.nn.parallel"),
    *("torch.nn.utils", "torch.nn.utils.parametrize"),
    *("torch.nn.utils.rnn", "torch.optim", "torch.optim.lr_scheduler", "torch.optim.swa_utils"),
    *("torch.random", "torch.special", "torch.utils.checkpoint", "torch.utils.data"),
)
GRADIENTS = re.compile(r"\.grad\b(?!_fn)|zero_grad|\.backward\(|clip_grad_norm_\(")
PROSE = re.compile(r'"""[\s\S]*?"""|#.*')


def functions_that_touch_gradients(namespace: str) -> set[str]:
    """Return the public functions of a namespace whose source handles gradients."""
    module = import_module(namespace)
    names = getattr(module, "__all__", None) or dir(module)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: getattr(module, name, None) for name in names if not name.startswith("_")}
        functions = {name: item for name, item in found.items() if inspect.isfunction(item)}
    return {
        f"{namespace}.{name}"
        for name, item in functions.items()
        if GRADIENTS.search(PROSE.sub("", inspect.getsource(item)))
    }


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_every_function_of_torch_that_touches_gradients_is_in_the_table(namespace: str) -> None:
    assert functions_that_touch_gradients(namespace) <= TOUCHING


def test_the_derivation_finds_a_function_that_touches_gradients() -> None:
    assert "torch.nn.utils.clip_grad_norm_" in functions_that_touch_gradients("torch.nn.utils")


def test_every_public_name_of_a_tensor_is_stored() -> None:
    names = {name for name in dir(torch.Tensor) if not name.startswith("_")}

    assert names <= TENSOR_NAMES
