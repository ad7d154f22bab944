"""Should tracking be on when clearing or updating by hand? Three ways to clear, three to update.

`W.grad.zero_()` may be tracked or not: a gradient does not require grad. After
`backward(create_graph=True)` it does, and then zeroing in place becomes part of its graph.
Updating must not be tracked: in place PyTorch refuses it, and by a new tensor `W` stops being
what the next backward deposits into.
"""
# mypy: allow-untyped-calls

from __future__ import annotations

import warnings

import torch

# PyTorch warns of the cycle that `create_graph=True` makes; here it is what is shown.
warnings.filterwarnings("ignore", message=r"Using backward\(\) with create_graph=True")


def cleared_with_tracking_on() -> str:
    weights = torch.tensor([1.0, 2.0], requires_grad=True)
    (weights**2).sum().backward()
    assert weights.grad is not None
    weights.grad.zero_()
    return f"gradient {weights.grad.tolist()}"


def cleared_with_tracking_off() -> str:
    weights = torch.tensor([1.0, 2.0], requires_grad=True)
    (weights**2).sum().backward()
    assert weights.grad is not None
    with torch.no_grad():
        weights.grad.zero_()
    return f"gradient {weights.grad.tolist()}"


def cleared_inside_the_graph() -> str:
    weights = torch.tensor([1.0, 2.0], requires_grad=True)
    (weights**3).sum().backward(create_graph=True)
    assert weights.grad is not None
    penalty = weights.grad.pow(2).sum()
    weights.grad.zero_()  # ZG604 lint
    try:
        penalty.backward()  # ZG604 watch
    except RuntimeError as error:
        return str(error).partition(":")[0]
    return "never reached"


def updated_with_tracking_off() -> str:
    weights = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(3):
        (weights**2).sum().backward()
        assert weights.grad is not None
        with torch.no_grad():
            weights -= 0.1 * weights.grad
        weights.grad = None
    return f"weights {[round(one, 3) for one in weights.tolist()]}, a leaf: {weights.is_leaf}"


def updated_with_tracking_on() -> str:
    weights = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(3):
        (weights**2).sum().backward()
        assert weights.grad is not None
        try:
            weights -= 0.1 * weights.grad  # ZG310 lint
        except RuntimeError as error:
            return str(error)
        weights.grad = None
    return "never reached"


def updated_by_a_new_tensor() -> str:
    weights = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(3):
        if not weights.is_leaf:
            return "`weights` is no leaf any more: the next backward deposits nothing into it"
        (weights**2).sum().backward()
        assert weights.grad is not None
        weights = weights - 0.1 * weights.grad  # ZG309 lint
    return "never reached"


CASES = (
    cleared_with_tracking_on,
    cleared_with_tracking_off,
    cleared_inside_the_graph,
    updated_with_tracking_off,
    updated_with_tracking_on,
    updated_by_a_new_tensor,
)

if __name__ == "__main__":
    for case in CASES:
        print(f"{case.__name__.replace('_', ' ')}: {case()}")
