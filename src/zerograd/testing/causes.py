"""Why gradients differ: each suspect is taken away in turn, and what then agrees is the cause."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch
from torch import nn

from zerograd.hooks.torch_parts import find
from zerograd.record import record
from zerograd.testing.trial import attempt
from zerograd.testing.untouched import changed, held, put_back

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.testing.trial import Subject, Trial

DROPOUT = (
    *(nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout),
    *(nn.FeatureAlphaDropout, nn.RReLU),
)
BATCH_NORM = (
    find("torch.nn.modules.batchnorm._BatchNorm") or nn.BatchNorm2d,  # the one base they share
    *(nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm),
)


@record(frozen=True)
class Cause:
    """What breaks the equality, and what to do."""

    name: str
    happened: str
    remedy: str


def find_cause(subject: Subject, trial: Trial) -> Cause:
    """Return the first cause that holds, the certain ones first."""
    statistics, dropout = _training(subject, BATCH_NORM), _training(subject, DROPOUT)
    if statistics and _agrees_without(subject, trial, statistics | dropout):
        if not dropout or _agrees_without(subject, trial, statistics):
            return _batch_statistics(statistics)
        return _both(statistics, dropout)
    if dropout and _agrees_without(subject, trial, dropout):
        return _random(dropout)
    if _is_random(subject, trial):
        return _random({})
    stale = _state(subject, trial)
    return stale or _counting(subject, trial) or _coupled(trial, statistics)


def _training(subject: Subject, kinds: tuple[type[nn.Module], ...]) -> dict[str, nn.Module]:
    """Return the modules of these kinds that do now what they do in training."""
    named = subject.model.named_modules()
    return {
        name or type(module).__name__: module
        for name, module in named
        if isinstance(module, kinds) and module.training
    }


@contextmanager
def _quiet(modules: dict[str, nn.Module]) -> Iterator[None]:
    for module in modules.values():
        module.training = False
    try:
        yield
    finally:
        for module in modules.values():
            module.training = True


def _agrees_without(subject: Subject, trial: Trial, modules: dict[str, nn.Module]) -> bool:
    with _quiet(modules):
        return attempt(subject, trial.split).agrees()


def _is_random(subject: Subject, trial: Trial) -> bool:
    """Whether the whole batch gives another gradient each time."""
    buffers = held(subject.model)
    again, _ = subject.gradient(subject.batch)
    put_back(buffers)
    pairs = zip(trial.whole, again, strict=True)
    return any(not torch.allclose(a, b, rtol=trial.tolerance, atol=1e-12) for a, b in pairs)


def _state(subject: Subject, trial: Trial) -> Cause | None:
    """Return the buffers that one forward leaves for the next, if they are what matters."""
    buffers = held(subject.model)
    subject.gradient(subject.batch)
    moved = changed(buffers, subject.model)
    put_back(buffers)
    if not moved or not attempt(subject, trial.split, stateless=True).agrees():
        return None
    return Cause(
        "state",
        f"each forward changes what the next one reads: {_listed(moved)}",
        "update it once a window, in on_step=, or freeze it with .eval() while you accumulate",
    )


def _counting(subject: Subject, trial: Trial) -> Cause | None:
    """Return a cause if other weights than these make the parts add up to the whole."""
    fitted = _fitted(trial)
    if fitted is None:
        return None
    used = ", ".join(f"{weight:.3g}" for weight in trial.weights)
    needed = ", ".join(f"{weight:.3g}" for weight in fitted)
    happened = f"the parts were weighted {used}, and would add up with {needed}"
    if all(abs(weight - 1) < 1e-3 for weight in fitted):
        return Cause("sum", f"the loss is a sum: {happened}", 'pass reduction="sum"')
    if subject.reduction == "sum":
        return Cause("mean", f"the loss is a mean: {happened}", 'pass reduction="mean"')
    return Cause(
        "unequal parts",
        f"the loss is a mean over something else than what was counted: {happened}",
        "count what it is a mean over, items=lambda part: (part[1] != -100).sum(), here and in "
        "gradients.backward(loss, items=...)",
    )


def _fitted(trial: Trial) -> list[float] | None:
    """Return the weights that make the parts' gradients add up to the whole's, if any do."""
    columns = torch.stack([torch.cat([g.flatten() for g in part]) for part in trial.parts], dim=1)
    target = torch.cat([gradient.flatten() for gradient in trial.whole])
    if len(target) <= 2 * columns.shape[1] or not bool(columns.isfinite().all()):
        return None  # so few numbers can always be fitted
    weights = torch.linalg.lstsq(columns, target.unsqueeze(1)).solution.squeeze(1)
    left = (columns @ weights - target).norm()
    scale = (columns.norm(dim=0) * weights.abs()).sum() + target.norm()
    return weights.tolist() if bool(left <= trial.tolerance * scale) else None


def _batch_statistics(modules: dict[str, nn.Module]) -> Cause:
    return Cause(
        "batch statistics",
        f"{_listed_modules(modules)} normalises by the rows it sees together; with it in eval "
        "mode the gradients are the same",
        "use GroupNorm or LayerNorm, or freeze it with .eval() while you accumulate",
    )


def _both(statistics: dict[str, nn.Module], dropout: dict[str, nn.Module]) -> Cause:
    return Cause(
        "batch statistics and random numbers",
        f"{_listed_modules(statistics)} normalises by the rows it sees together, and "
        f"{_listed_modules(dropout)} draws random numbers; with both in eval mode the gradients "
        "are the same",
        "use GroupNorm or LayerNorm; what dropout draws may differ, so switch it off to check",
    )


def _random(dropout: dict[str, nn.Module]) -> Cause:
    who = _listed_modules(dropout) if dropout else "the model or the loss"
    return Cause(
        "random numbers",
        f"{who} draws random numbers, and parts draw others than the whole"
        + ("; without it the gradients are the same" if dropout else ""),
        "accumulating is as good as the batch here, only not the same: call model.eval() to check"
        if dropout
        else "make what it draws depend on the row alone, or switch it off to check",
    )


def _coupled(trial: Trial, statistics: dict[str, nn.Module]) -> Cause:
    extra = f" ({_listed_modules(statistics)} is not all of it)" if statistics else ""
    whole, summed = trial.losses
    return Cause(
        "coupled samples",
        f"the loss of one row depends on the others{extra}: the whole batch's is {whole:.6g}, its "
        f"parts' {summed:.6g}, and no weights make them add up; in-batch negatives, contrastive "
        "and ranking losses, and statistics over the batch do this",
        "keep the batch whole, or gather the parts' outputs first and take the loss once",
    )


def _listed_modules(modules: dict[str, nn.Module]) -> str:
    return _listed([f"{name} ({type(module).__name__})" for name, module in modules.items()])


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")
