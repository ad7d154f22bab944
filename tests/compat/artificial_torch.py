"""A torch without one of its private parts, and programs that use zerograd on it.

    python artificial_torch.py _update_lr watch

The part gets another name in torch's own sources while they are imported, so that torch itself
works as ever, and zerograd does not find it. Prints what happened as JSON.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import warnings
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, ModuleType

WITHOUT = "_as_another_torch_calls_it"


class Renaming(SourceFileLoader):
    """Loads a module of torch with one name replaced."""

    name_to_hide = ""
    of_torch_itself = False
    """Whether it is `torch.NAME`; an operator of the same name, `aten.NAME`, stays."""

    def get_code(self, fullname: str) -> CodeType | None:
        source = self.get_data(self.get_filename(fullname))
        name = self.name_to_hide.encode()
        if name not in source:
            return super().get_code(fullname)
        found = rb"(?<=\btorch\.)%s\b" if self.of_torch_itself else rb"\b%s\b"
        renamed = re.sub(found % name, name + WITHOUT.encode(), source)
        return self.source_to_code(renamed, self.get_filename(fullname))


class Finder:
    """Finds torch's modules for the renaming loader."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith("torch."):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = Renaming(name, spec.loader.path)
        return spec


def take_away(name: str, owner: str) -> None:
    """Import torch without this part."""
    Renaming.name_to_hide, Renaming.of_torch_itself = name, owner == "torch"
    sys.meta_path.insert(0, Finder)
    import torch

    holder: Any = torch
    for step in owner.split(".")[1:]:
        holder = getattr(holder, step, None)
    if isinstance(holder, type(sys)) and hasattr(holder, name):  # written in C++, or a whole module
        setattr(holder, name + WITHOUT, getattr(holder, name))
        delattr(holder, name)
    if name == "grad_dtype":
        raise SystemExit("a part of a class that is written in C++ stays")


def train() -> float:
    """Train with a bug that three rules could be judged by, and return where it led."""
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    batches = DataLoader(TensorDataset(torch.randn(12, 4)), batch_size=2)
    for number, (batch,) in enumerate(batches):
        loss = model(batch).square().mean() / 2
        scaler.scale(loss).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # before unscale_
        scheduler.step()  # in mid-window
        if number % 2:
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
    return float(sum(parameter.sum() for parameter in model.parameters()))


def train_on_ranks() -> float:
    """Train a DDP wrapper of one rank."""
    import torch
    from torch.nn.parallel import DistributedDataParallel

    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Linear(4, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        model(torch.randn(2, 4)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return float(sum(parameter.sum() for parameter in model.parameters()))


def watched(training: Callable[[], float]) -> dict[str, object]:
    """Return what a training led to bare and watched, and what the report says."""
    import zerograd

    bare, said = training(), io.StringIO()
    with contextlib.redirect_stderr(said), zerograd.watch() as watching:
        seen = training()
    lines = said.getvalue().splitlines()
    found = sorted({finding.rule.name for finding in watching.findings})
    return {"same": bare == seen, "found": found, "last": lines[-1], "lines": lines}


def engine() -> dict[str, object]:
    """Return what an engine's steps led to, or its refusal."""
    import torch

    import zerograd

    torch.manual_seed(0)
    model = torch.nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(
        optimizer, accumulate=2, clip_norm=1.0, clear="zero", nonfinite="raise"
    )
    for _ in range(4):
        gradients.backward(model(torch.randn(2, 4)).square().mean(), items=2)
    gradients.close()
    bounded = zerograd.Gradients(optimizer, clip_value=0.01, nonfinite="skip")
    bounded.backward(model(torch.randn(2, 4)).square().mean())
    bounded.close()
    return {"weights": [round(one, 6) for one in model.weight.flatten().tolist()]}


def scaled_engine() -> dict[str, object]:
    """Return what an engine with a scaler says."""
    import torch

    import zerograd

    model = torch.nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    try:
        gradients = zerograd.Gradients(optimizer, scaler=torch.amp.GradScaler("cpu"))
        gradients.backward(model(torch.ones(2, 4)).square().mean())
    except zerograd.errors.ZerogradError as error:
        return {"refused": str(error)}
    return {"refused": None}


def ranks_engine() -> dict[str, object]:
    """Return what an engine over a DDP wrapper says."""
    import torch
    from torch.nn.parallel import DistributedDataParallel

    import zerograd

    model = DistributedDataParallel(torch.nn.Linear(4, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    try:
        gradients = zerograd.Gradients(optimizer, model=model, accumulate=1)
        gradients.backward(model(torch.ones(2, 4)).square().mean(), items=2)
    except zerograd.errors.ZerogradError as error:
        return {"refused": str(error)}
    return {"refused": None}


def alone() -> None:
    """Be the only rank."""
    import torch
    from torch._C._distributed_c10d import HashStore

    torch.distributed.init_process_group("gloo", store=HashStore(), rank=0, world_size=1)


def main(name: str, owner: str, *programs: str) -> None:
    warnings.simplefilter("ignore")
    if name:
        take_away(name, owner)
    from zerograd.hooks import torch_parts as capabilities

    said: dict[str, object] = {}
    if "ranks" in programs:
        alone()
        said |= {"ranks": watched(train_on_ranks), "ranks_engine": ranks_engine()}
    if "watch" in programs:
        said |= {"watch": watched(train), "engine": engine(), "scaled": scaled_engine()}
    said["unheard"] = capabilities.unheard()
    print(json.dumps(said))


if __name__ == "__main__":
    main(*sys.argv[1:])
