"""Whether a saved state fits what it is to be loaded into; torch finds out halfway, or never."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from torch.optim import Optimizer

NAMES: dict[type[Optimizer], set[str]] = {
    torch.optim.SGD: set(),
    torch.optim.Adam: {"step", "exp_avg", "exp_avg_sq"},
    torch.optim.AdamW: {"step", "exp_avg", "exp_avg_sq"},
    torch.optim.NAdam: {"step", "mu_product", "exp_avg", "exp_avg_sq"},
    torch.optim.RAdam: {"step", "exp_avg", "exp_avg_sq"},
    torch.optim.Adamax: {"step", "exp_avg", "exp_inf"},
    torch.optim.Adagrad: {"step", "sum"},
    torch.optim.Adadelta: {"step", "square_avg", "acc_delta"},
    torch.optim.RMSprop: {"step", "square_avg"},
    torch.optim.Rprop: {"step", "prev", "step_size"},
    torch.optim.SparseAdam: {"step", "exp_avg", "exp_avg_sq"},
}
"""What torch's elementwise optimizers keep of each parameter: without it the next step fails."""

ON_REQUEST = {"amsgrad": "max_exp_avg_sq", "centered": "grad_avg"}
"""What they keep beside it under an option."""


SCHEDULED = {"base_lrs", "last_epoch", "_last_lr", "_step_count"}
"""What torch keeps of every schedule."""


class MisfitError(Exception):
    """What does not fit: a sentence without its end."""


def check_module(label: str, module: nn.Module, saved: Any) -> None:
    """Raise unless a module takes this state as it is."""
    _refuse_no_names(label, saved)
    if not _is_plain(module):
        return  # its own code decides, and what it refuses is taken back
    here = module.state_dict()
    missing = [name for name in here if name not in saved]
    extra = [name for name in saved if name not in here]
    if missing:
        raise MisfitError(f"the file has no {missing[0]}{_more(missing)} for {label}")
    if extra:
        raise MisfitError(f"the file has {extra[0]}{_more(extra)}, and {label} has none")
    for name, value in here.items():
        if isinstance(value, Tensor) and not is_lazy(value):
            _check_tensor(f"{name} of {label}", saved[name], value)


def check_optimizer(label: str, optimizer: Optimizer, saved: Any) -> None:
    """Raise unless an optimizer can go on with this state; torch compares only the counts."""
    _refuse_no_names(label, saved)
    groups, state = saved.get("param_groups"), saved.get("state")
    if not isinstance(groups, list) or not isinstance(state, dict):
        raise MisfitError(f"{label} has no parameter groups in the file")
    if _is_torchs(optimizer) and len(saved) > 2:
        raise MisfitError(f"{label} has other fields in the file than here")
    if len(groups) != len(optimizer.param_groups):
        raise MisfitError(
            f"{label} has {len(groups)} parameter groups in the file and "
            f"{len(optimizer.param_groups)} here"
        )
    parameters: dict[int, tuple[Tensor, Mapping[str, Any]]] = {}
    for number, (group, here) in enumerate(zip(groups, optimizer.param_groups, strict=True)):
        _check_group(f"group {number} of {label}", group, here, whole=_is_torchs(optimizer))
        for index, parameter in zip(group["params"], here["params"], strict=True):
            if type(index) is not int or index in parameters:
                raise MisfitError(f"group {number} of {label} does not number its parameters")
            parameters[index] = parameter, group
    names = NAMES.get(type(optimizer))
    for index, kept in state.items():
        if names is not None:
            if index not in parameters or not isinstance(kept, dict):
                raise MisfitError(f"{label} keeps something of no parameter in the file")
            place = f"parameter {index} of {label}"
            _check_kept(place, kept, *parameters[index], names)


def _check_group(place: str, group: Any, here: dict[str, Any], *, whole: bool) -> None:
    _refuse_no_names(place, group)
    for name, value in here.items():
        if name not in group:
            raise MisfitError(f"the file has no {name} for {place}")
        # Options of a foreign class may be anything that grows; a rate is a rate.
        if name != "params" and (whole or isinstance(value, int | float)):
            check_value(f"{name} of {place}", group[name], value)
    if not isinstance(group["params"], list) or len(group["params"]) != len(here["params"]):
        raise MisfitError(f"{place} has other parameters in the file than here")


def _check_kept(
    place: str, kept: dict[str, Any], parameter: Tensor, group: Mapping[str, Any], names: set[str]
) -> None:
    """Check what an elementwise optimizer keeps of one parameter; nothing yet is in order."""
    wanted = names | {name for option, name in ON_REQUEST.items() if group.get(option)}
    for name in sorted(wanted) if kept else ():
        if name not in kept:
            raise MisfitError(f"the file has no {name} of {place}")
    for name, value in kept.items():
        if name in ("step", "mu_product"):
            _check_count(f"{name} of {place}", value)
        elif value is not None or name in wanted:  # SGD keeps a momentum of None
            _check_tensor(f"{name} of {place}", value, parameter)


def _check_count(place: str, value: Any) -> None:
    if isinstance(value, Tensor) and value.numel() == 1 and not value.is_meta:
        value = value.item()
    if not is_number(value) or not 0 <= value < math.inf:
        raise MisfitError(f"{place} is no count in the file")


def parted(optimizer: Optimizer, saved: dict[str, Any]) -> dict[str, Any]:
    """Return a state whose tensors share no memory: the optimizer writes each of them in place."""
    if type(optimizer) not in NAMES:
        return saved
    taken: set[int] = set()
    for kept in saved["state"].values():
        for name, value in kept.items():
            if type(value) is Tensor:
                memory = value.untyped_storage()
                if memory.data_ptr() in taken or memory.nbytes() != value.nbytes:
                    kept[name] = value = value.clone()
                taken.add(value.untyped_storage().data_ptr())
    return saved


def check_scheduler(label: str, scheduler: Any, saved: Any) -> None:
    """Raise unless a state is one of this scheduler; torch takes over whatever it is given."""
    _refuse_no_names(label, saved)
    here = scheduler.state_dict()
    if not _is_torchs(scheduler):  # it may keep what grows, such as a history
        here = {name: here[name] for name in SCHEDULED & here.keys()}
        saved = {name: saved[name] for name in SCHEDULED & saved.keys()}
    check_value(label, saved, here)


def check_scaler(label: str, scaler: torch.amp.GradScaler, saved: Any) -> None:
    """Raise unless a scaler can go on with this state."""
    _refuse_no_names(label, saved)
    check_value(label, saved, scaler.state_dict())
    ranges = {
        "scale": (0, math.inf),
        "growth_factor": (1, math.inf),
        "backoff_factor": (0, 1),
        "growth_interval": (0, math.inf),
        "_growth_tracker": (-1, math.inf),
    }
    for name, (low, high) in ranges.items():
        if name in saved and not low < saved[name] < high:
            raise MisfitError(f"{name} of {label} is {saved[name]} in the file")


def check_value(place: str, saved: Any, here: Any) -> None:
    """Raise unless a saved value is of the kind that is here; None takes any."""
    if here is None or (saved is None and isinstance(here, bool)):
        return
    for kind, check in WAYS:
        if isinstance(here, kind) and not isinstance(here, bool):
            check(place, saved, here)
            return
    _check_type(place, saved, here)


def _check_type(place: str, saved: Any, here: Any) -> None:
    if type(saved) is not type(here):
        raise MisfitError(f"{place} is {_kind(saved)} in the file and {_kind(here)} here")


def _check_counter(place: str, saved: Any, here: Counter[Any]) -> None:
    if not isinstance(saved, dict) or not all(map(is_number, (*saved, *saved.values()))):
        raise MisfitError(f"{place} is {_kind(saved)} in the file and {_kind(here)} here")


def _check_dict(place: str, saved: Any, here: dict[str, Any]) -> None:
    _refuse_no_names(place, saved)
    extra = [name for name in saved if name not in here]
    if extra:
        raise MisfitError(f"the file has {extra[0]}{_more(extra)}, and {place} has none")
    for name, value in here.items():
        if name not in saved:
            raise MisfitError(f"the file has no {name} for {place}")
        check_value(f"{name} of {place}", saved[name], value)


def _check_sequence(place: str, saved: Any, here: list[Any] | tuple[Any, ...]) -> None:
    _check_type(place, saved, here)
    if len(saved) != len(here):
        raise MisfitError(f"{place} is {_kind(saved)} in the file and {_kind(here)} here")
    for one, other in zip(saved, here, strict=True):
        check_value(place, one, other)


def _check_number(place: str, saved: Any, here: float) -> None:
    whole = isinstance(here, int)
    if not is_number(saved) or math.isnan(saved) or (whole and math.isinf(saved)):
        said = saved if is_number(saved) else _kind(saved)
        raise MisfitError(f"{place} is {said} in the file")


def check_tensor(place: str, saved: Any, *, shape: torch.Size) -> None:
    """Raise unless something is a tensor with values and of this shape."""
    if not isinstance(saved, Tensor) or saved.is_meta or saved.shape != shape:
        raise MisfitError(f"{place} is {_kind(saved)} in the file and {tuple(shape)} here")


def _check_tensor(place: str, saved: Any, here: Tensor) -> None:
    if not isinstance(saved, Tensor) or saved.is_meta != here.is_meta:
        raise MisfitError(f"{place} is {_kind(saved)} in the file and {_kind(here)} here")
    if (saved.shape, saved.dtype, saved.layout) != (here.shape, here.dtype, here.layout):
        raise MisfitError(f"{place} is {_kind(saved)} in the file and {_kind(here)} here")


WAYS: tuple[tuple[Any, Callable[[str, Any, Any], None]], ...] = (
    (Tensor, _check_tensor),
    (int | float, _check_number),
    (Counter, _check_counter),
    (dict, _check_dict),
    (list | tuple, _check_sequence),
)
"""How values of each kind are compared."""


def is_number(value: Any) -> bool:
    """Whether a value is a number, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_count(value: Any) -> bool:
    """Whether a value is a whole number, 0 or more."""
    return type(value) is int and value >= 0


def _refuse_no_names(place: str, saved: Any) -> None:
    if not isinstance(saved, dict):
        raise MisfitError(f"{place} is {_kind(saved)} in the file")


def _is_torchs(part: object) -> bool:
    return type(part).__module__.startswith("torch.optim.")


def _is_plain(module: nn.Module) -> bool:
    """Whether a module loads as torch's own do, without hooks or code of its own."""
    for one in module.modules():
        kind = type(one)
        if (
            kind.load_state_dict is not nn.Module.load_state_dict
            or kind.state_dict is not nn.Module.state_dict
            or not kind._load_from_state_dict.__module__.startswith("torch.")  # noqa: SLF001
            or one._load_state_dict_pre_hooks  # noqa: SLF001
            or one._state_dict_hooks  # noqa: SLF001
        ):
            return False
    return True


def _kind(value: Any) -> str:
    """Return what a value is, in words."""
    if isinstance(value, Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        return f"a {'meta ' * value.is_meta}tensor of {tuple(value.shape)} in {dtype}"
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a {type(value).__name__}" if value is not None else "None"


def _more(names: list[Any]) -> str:
    return f" and {len(names) - 1} more" if len(names) > 1 else ""
