"""How many items a loss is the mean of, read from its graph and compared with the truth."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from zerograd.watch.damage.items_in_loss import Term, read_terms

ROWS, CLASSES, STEPS = 6, 5, 7


def no_mark(node: object) -> bool:
    return False


def scores() -> torch.Tensor:
    return torch.linspace(-1, 1, ROWS * CLASSES).view(ROWS, CLASSES).requires_grad_()


def chances() -> torch.Tensor:
    return scores().sigmoid()


TARGETS = torch.linspace(0.1, 0.9, ROWS * CLASSES).view(ROWS, CLASSES)
LABELS = torch.tensor([1, 2, -100, 0, 1, -100])
CLASS = torch.tensor([1, 2, 3, 0, 1, 4])
WEIGHTS = torch.tensor([0.1, 0.2, 0.5, 0.3, 0.6, 0.9])
SIGNS = torch.tensor([1.0, -1, 1, 1, -1, -1])

ALL_LOSSES: dict[str, Callable[[str], torch.Tensor]] = {
    "binary_cross_entropy": lambda r: functional.binary_cross_entropy(
        chances(), TARGETS, reduction=r
    ),
    "binary_cross_entropy_with_logits": lambda r: functional.binary_cross_entropy_with_logits(
        scores(), TARGETS, reduction=r
    ),
    "cosine_embedding_loss": lambda r: functional.cosine_embedding_loss(
        scores(), TARGETS, SIGNS, reduction=r
    ),
    "cross_entropy": lambda r: functional.cross_entropy(scores(), CLASS, reduction=r),
    "ctc_loss": lambda r: functional.ctc_loss(
        torch.zeros(STEPS, 3, CLASSES, requires_grad=True).log_softmax(2),
        torch.ones(3, 2, dtype=torch.long),
        torch.tensor([STEPS] * 3),
        torch.tensor([2, 2, 1]),
        reduction=r,
    ),
    "gaussian_nll_loss": lambda r: functional.gaussian_nll_loss(
        scores(), TARGETS, torch.ones(ROWS, CLASSES), reduction=r
    ),
    "hinge_embedding_loss": lambda r: functional.hinge_embedding_loss(
        scores(), SIGNS.view(-1, 1), reduction=r
    ),
    "huber_loss": lambda r: functional.huber_loss(scores(), TARGETS, reduction=r),
    "kl_div": lambda r: functional.kl_div(scores().log_softmax(1), TARGETS.softmax(1), reduction=r),
    "l1_loss": lambda r: functional.l1_loss(scores(), TARGETS, reduction=r),
    "linear_cross_entropy": lambda r: functional.linear_cross_entropy(
        scores(), torch.ones(CLASSES, CLASSES), CLASS, reduction=r
    ),
    "margin_ranking_loss": lambda r: functional.margin_ranking_loss(
        scores()[:, 0], TARGETS[:, 0], SIGNS, reduction=r
    ),
    "mse_loss": lambda r: functional.mse_loss(scores(), TARGETS, reduction=r),
    "multi_margin_loss": lambda r: functional.multi_margin_loss(scores(), CLASS, reduction=r),
    "multilabel_margin_loss": lambda r: functional.multilabel_margin_loss(
        scores(), torch.zeros(ROWS, CLASSES, dtype=torch.long), reduction=r
    ),
    "multilabel_soft_margin_loss": lambda r: functional.multilabel_soft_margin_loss(
        scores(), TARGETS, reduction=r
    ),
    "nll_loss": lambda r: functional.nll_loss(scores().log_softmax(1), CLASS, reduction=r),
    "poisson_nll_loss": lambda r: functional.poisson_nll_loss(scores(), TARGETS, reduction=r),
    "smooth_l1_loss": lambda r: functional.smooth_l1_loss(scores(), TARGETS, reduction=r),
    "soft_margin_loss": lambda r: functional.soft_margin_loss(
        scores(), SIGNS.view(-1, 1), reduction=r
    ),
    "triplet_margin_loss": lambda r: functional.triplet_margin_loss(
        scores(), TARGETS, TARGETS * 2, reduction=r
    ),
    "triplet_margin_with_distance_loss": lambda r: functional.triplet_margin_with_distance_loss(
        scores(), TARGETS, TARGETS * 2, reduction=r
    ),
}

LOSSES = {name: loss for name, loss in ALL_LOSSES.items() if hasattr(functional, name)}


def reduced_losses_of_torch() -> set[str]:
    public = {
        name: getattr(functional, name) for name in dir(functional) if not name.startswith("_")
    }
    functions = {name: one for name, one in public.items() if inspect.isroutine(one)}
    return {
        name
        for name, function in functions.items()
        if function.__doc__ and "reduction" in _parameters(function)
    }


def _parameters(function: object) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(function).parameters)  # type: ignore[arg-type]
    except ValueError:
        return ()


def test_every_reduced_loss_of_torch_is_tried() -> None:
    assert set(LOSSES) == reduced_losses_of_torch()


@pytest.mark.filterwarnings("ignore:reduction. 'mean' divides the total loss")
@pytest.mark.parametrize("name", LOSSES)
def test_the_mean_of_a_loss_shows_its_items(name: str) -> None:
    items = LOSSES[name]("none").numel()

    terms = read_terms(LOSSES[name]("mean"), no_mark)

    assert [term.items for term in terms] == [items]
    assert sum(term.share for term in terms) == pytest.approx(1.0)


@pytest.mark.parametrize("name", sorted(set(LOSSES) - {"ctc_loss", "multilabel_soft_margin_loss"}))
def test_the_sum_of_a_loss_weighs_each_item_by_one(name: str) -> None:
    terms = read_terms(LOSSES[name]("sum"), no_mark)

    assert [term.weight for term in terms] == [1.0]


SHAPES: dict[str, tuple[Callable[[], torch.Tensor], float, float]] = {
    "ignored labels": (lambda: functional.cross_entropy(scores(), LABELS), 4, 1.0),
    "ignored labels, summed": (
        lambda: functional.cross_entropy(scores(), LABELS, reduction="sum") / 4,
        4,
        1.0,
    ),
    "divided by the window": (lambda: functional.cross_entropy(scores(), LABELS) / 8, 4, 1 / 8),
    "two dimensions": (
        lambda: functional.cross_entropy(
            torch.zeros(2, CLASSES, 3, requires_grad=True), LABELS.view(2, 3)
        ),
        4,
        1.0,
    ),
    "class weights": (
        lambda: functional.cross_entropy(scores(), CLASS, weight=torch.tensor([1.0, 2, 3, 4, 5])),
        1 * 1 + 2 * 2 + 3 + 4 + 5,
        1.0,
    ),
    "target chances": (lambda: functional.cross_entropy(scores(), TARGETS.softmax(1)), 6, 1.0),
    "batch mean": (
        lambda: functional.kl_div(
            scores().log_softmax(1), TARGETS.softmax(1), reduction="batchmean"
        ),
        6,
        1.0,
    ),
    "masked mean": (lambda: _masked().sum() / _mask().sum(), 4, 1.0),
    "masked mean, clamped": (lambda: _masked().sum() / _mask().sum().clamp(min=1), 4, 1.0),
    "masked mean, then the window": (lambda: _masked().sum() / _mask().sum() / 8, 4, 1 / 8),
    "weighted mean, then the window": (lambda: _weighted() / 4, 2.6, 1 / 4),
    "half a masked mean": (lambda: 0.5 * _masked().sum() / _mask().sum(), 4, 0.5),
    "half a mean": (lambda: 0.5 * _losses().sum() / ROWS, ROWS, 0.5),
    "by an inverse": (lambda: _losses().sum() * (1 / ROWS), ROWS, 1.0),
    "masked mean of a product": (lambda: torch.dot(_losses(), _mask()) / _mask().sum(), 4, 1.0),
    "weighted mean": (lambda: (_losses() * WEIGHTS).sum() / WEIGHTS.sum(), 2.6, 1.0),
    "selected items": (lambda: _losses()[LABELS >= 0].mean(), 4, 1.0),
    "times the count": (lambda: functional.cross_entropy(scores(), LABELS) * 4 / 40, 4, 4 / 40),
    "the count first": (
        lambda: torch.tensor(4.0) * functional.cross_entropy(scores(), LABELS) / 40,
        4,
        0.1,
    ),
    "negated": (lambda: functional.cross_entropy(scores(), LABELS).neg().neg(), 4, 1.0),
    "with a constant": (lambda: 1.5 + functional.cross_entropy(scores(), LABELS), 4, 1.0),
    "mean of means": (lambda: scores().mean(1).mean(), ROWS, 1.0),
    "mean over named dimensions": (lambda: scores().mean(dim=(0, 1)), ROWS * CLASSES, 1.0),
    "in one element": (lambda: functional.cross_entropy(scores(), LABELS).view(1), 4, 1.0),
    "in 16 bits": (lambda: functional.cross_entropy(scores(), LABELS).bfloat16(), 4, 1.0),
}


def _losses() -> torch.Tensor:
    return scores().logsumexp(1)


def _mask() -> torch.Tensor:
    return (LABELS >= 0).float()


def _weighted() -> torch.Tensor:
    return (_losses() * WEIGHTS).sum() / WEIGHTS.sum()


def _masked() -> torch.Tensor:
    return _losses() * _mask()


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_shows_its_items_and_its_share(name: str) -> None:
    loss, items, share = SHAPES[name]

    [term] = read_terms(loss(), no_mark)

    assert term.items == pytest.approx(items)
    assert term.share == pytest.approx(share)


def test_a_divisor_that_is_no_count_shows_no_items() -> None:
    loss = scores().square().sum() / 2.7

    assert read_terms(loss, no_mark) == ()


def test_a_divisor_larger_than_what_was_summed_is_no_count() -> None:
    loss = scores().square().sum() / 1000

    assert read_terms(loss, no_mark) == ()


def test_the_length_of_a_window_is_not_taken_for_a_count() -> None:
    loss = _losses().sum() / 100 * 3 / 3

    assert read_terms(loss, no_mark) == ()


CHOSEN: dict[str, Callable[[], torch.Tensor]] = {
    "by a mask": lambda: _masked().sum(),
    "by a mask of booleans": lambda: (_losses() * (LABELS >= 0)).sum(),
    "by an index": lambda: _losses()[LABELS >= 0].sum(),
}


@pytest.mark.parametrize("name", CHOSEN)
@pytest.mark.parametrize("divisor", [5, 100])
def test_chosen_items_are_counted_whatever_divides_their_sum(name: str, divisor: int) -> None:
    loss = CHOSEN[name]() / divisor * 3 / 3

    assert [(term.items, round(term.weight * divisor)) for term in read_terms(loss, no_mark)] == [
        (4, 1)
    ]


def test_weights_that_are_no_mask_count_nothing_under_another_divisor() -> None:
    loss = (_losses() * WEIGHTS).sum() / 100

    assert read_terms(loss, no_mark) == ()


def test_label_smoothing_is_two_terms_of_the_same_items() -> None:
    loss = functional.cross_entropy(scores(), LABELS, label_smoothing=0.1)

    terms = read_terms(loss, no_mark)

    assert [term.items for term in terms] == [4, 4]


def test_the_terms_of_a_sum_are_read_apart() -> None:
    loss = (functional.cross_entropy(scores(), LABELS) + 0.5 * scores().square().mean()) / 2

    terms = read_terms(loss, no_mark)

    assert terms == (Term(4, 1 / 8), Term(30, 0.25 / 30))


def test_a_stack_of_losses_is_one_term_each() -> None:
    losses = [functional.cross_entropy(scores(), LABELS), functional.cross_entropy(scores(), CLASS)]

    terms = read_terms(torch.stack(losses).mean(), no_mark)

    assert [(term.items, term.share) for term in terms] == [(4, 0.5), (6, 0.5)]


def test_a_term_without_a_count_stands_beside_the_others() -> None:
    loss = functional.cross_entropy(scores(), LABELS) + 0.01 * scores().norm()

    terms = read_terms(loss, no_mark)

    assert [term.items for term in terms] == [4, 0]


def test_a_loss_without_any_count_shows_nothing() -> None:
    assert read_terms(scores().norm(), no_mark) == ()


def test_a_loss_that_needs_no_gradient_shows_nothing() -> None:
    assert read_terms(torch.tensor(1.0), no_mark) == ()


def test_a_sum_of_very_many_terms_shows_nothing() -> None:
    loss = sum(functional.cross_entropy(scores(), LABELS) for _ in range(40))

    assert read_terms(loss, no_mark) == ()


def test_the_mark_of_a_loss_scale_is_no_part_of_the_weight() -> None:
    scaled = functional.cross_entropy(scores(), LABELS) * 65536.0
    node: Any = scaled.grad_fn
    node.metadata["mark"] = True

    [term] = read_terms(scaled, lambda node: "mark" in node.metadata)

    assert term.share == 1.0


def test_autocast_leaves_the_count_to_be_seen() -> None:
    layer = torch.nn.Linear(CLASSES, CLASSES)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = functional.cross_entropy(layer(TARGETS), LABELS) / 2

    [term] = read_terms(loss, no_mark)

    assert (term.items, term.share) == (4, 0.5)


def test_reading_computes_no_checkpointed_forward_again() -> None:
    forwards = []

    def loss_of(inputs: torch.Tensor) -> torch.Tensor:
        forwards.append(1)
        return functional.cross_entropy(inputs * 2, LABELS)

    loss = checkpoint(loss_of, scores(), use_reentrant=False)

    assert read_terms(loss, no_mark) == ()
    assert len(forwards) == 1


def test_the_weights_are_those_of_the_gradient() -> None:
    inputs = scores()
    loss = functional.cross_entropy(inputs, LABELS) * 3 / 7
    [term] = read_terms(loss, no_mark)
    [gradient] = torch.autograd.grad(loss, inputs)
    alone = scores()
    [summed] = torch.autograd.grad(functional.cross_entropy(alone, LABELS, reduction="sum"), alone)

    torch.testing.assert_close(gradient, term.weight * summed)
