"""What ranks should hold alike at a step: the parameters of one optimizer that they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zlib import crc32

from torch import distributed

from zerograd.hooks import torch_parts as capabilities
from zerograd.record import field, record
from zerograd.watch.ranks.shards import is_sharded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from torch import Tensor

    from zerograd.watch.ranks.wrappers import WatchedWrapper

HOOKS = "torch.distributed.algorithms.ddp_comm_hooks."
NOT_ALIKE = ("post_localSGD_hook", "debugging_hooks")
"""Communication hooks after which gradients may differ between ranks."""


@record(frozen=True)
class SharedParameters:
    """Parameters that some ranks should hold alike, with their names on every rank."""

    key: str
    """The same for the same thing on every rank."""

    ranks: tuple[int, ...]
    names: list[str] = field(compare=False)
    parameters: list[Tensor] = field(compare=False)


def by_wrapper(wrapper: WatchedWrapper, own: set[int]) -> SharedParameters | None:
    """Return what a wrapper keeps alike, of the parameters that an optimizer owns."""
    module = wrapper.module()
    if module is None or not wrapper.many or not wrapper.reduced or not _reduces_alike(module):
        return None
    if wrapper.joins():
        return None
    named = {
        name: parameter
        for name, parameter in module.module.named_parameters()
        if id(parameter) in own
        and name not in module.parameters_to_ignore
        and _is_comparable(parameter)
    }
    return _shared(f"wrapper {wrapper.number}", module.process_group, named) if named else None


def by_hand(
    reduced: Iterable[tuple[Tensor, Any]], own: list[Tensor], number: int
) -> Iterator[SharedParameters]:
    """Yield what a program has reduced itself for one optimizer, one for each group of ranks."""
    numbers = {id(parameter): number for number, parameter in enumerate(own)}
    groups: dict[Any, dict[str, Tensor]] = {}
    for parameter, group in reduced:
        if _is_comparable(parameter):
            name = f"parameter {numbers[id(parameter)]} {tuple(parameter.shape)}"
            groups.setdefault(group, {})[name] = parameter
    for group, named in groups.items():
        yield _shared(f"by hand {number}", group, named)


def _shared(what: str, group: Any, named: dict[str, Tensor]) -> SharedParameters:
    names = list(named)
    ranks = tuple(distributed.get_process_group_ranks(group or distributed.group.WORLD))
    key = f"{what}, {len(names)} parameters, {crc32('/'.join(names).encode()):08x}"
    return SharedParameters(key, ranks, names, list(named.values()))


def _is_comparable(parameter: Tensor) -> bool:
    return parameter.requires_grad and not is_sharded(parameter)


def _reduces_alike(module: Any) -> bool:
    """Whether every rank gets the same gradients: a hook of the program's own may mean others."""
    known = capabilities.read(module, "_comm_hooks")
    if known is None:
        return False
    hooks = [f"{hook.__module__}.{hook.__qualname__}" for hook, _ in known]
    return all(
        hook.startswith(HOOKS) and not any(name in hook for name in NOT_ALIKE) for hook in hooks
    )
