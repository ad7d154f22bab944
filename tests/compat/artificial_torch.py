"""A torch without one of its private parts, and programs that use zerograd on it.

    python artificial_torch.py renamed _update_lr torch.optim.lr_scheduler.LRScheduler watch
    python artificial_torch.py hidden _update_lr:watch _comm_hooks:ranks _one+_another:shards

`renamed`: the part gets another name in torch's own sources while they are imported, so that torch
itself works as ever, and zerograd does not find it. What is written in C++ cannot be renamed.

`hidden`: zerograd asks for another name instead, in its own sources, which torch does not have.
That serves every part, and a fork of a process that has imported torch serves each.

Prints what happened as JSON, a line for each part.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import tempfile
import traceback
import warnings
from datetime import timedelta
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, ModuleType

WITHOUT = "_as_another_torch_calls_it"


class Renaming(SourceFileLoader):
    """Loads a module of torch, or of ours, with one name replaced."""

    names_to_hide: Sequence[str] = ()
    package = "torch."
    of_torch_itself = False
    """Whether it is `torch.NAME`; an operator of the same name, `aten.NAME`, stays."""

    def get_code(self, fullname: str) -> CodeType | None:
        source = self.get_data(self.get_filename(fullname))
        names = [name.encode() for name in self.names_to_hide if name.encode() in source]
        if not names:
            return super().get_code(fullname)
        found = rb"(?<=\btorch\.)%s\b" if self.of_torch_itself else rb"\b%s\b"
        for name in names:
            source = re.sub(found % name, name + WITHOUT.encode(), source)
        return self.source_to_code(source, self.get_filename(fullname))


class Finder:
    """Finds a package's modules for the renaming loader."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith(Renaming.package):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = Renaming(name, spec.loader.path)
        return spec


def take_away(name: str, owner: str) -> None:
    """Import torch without this part."""
    Renaming.names_to_hide, Renaming.of_torch_itself = [name], owner == "torch"
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
    """Train a DDP wrapper."""
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


def own_scaled() -> None:
    """Own the gradients of a scaled loss."""
    import torch

    import zerograd

    model = torch.nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer, scaler=torch.amp.GradScaler("cpu"))
    gradients.backward(model(torch.ones(2, 4)).square().mean())


def refused(attempt: Callable[[], None]) -> dict[str, object]:
    """Return what the engine says to an attempt."""
    import zerograd

    try:
        attempt()
    except zerograd.errors.ZerogradError as error:
        return {"refused": str(error)}
    return {"refused": None}


def own_a_wrapper() -> None:
    """Own the gradients of a DDP wrapper."""
    import torch
    from torch.nn.parallel import DistributedDataParallel

    import zerograd

    model = DistributedDataParallel(torch.nn.Linear(4, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer, model=model, accumulate=1)
    gradients.backward(model(torch.ones(2, 4)).square().mean(), items=2)


def shard() -> Any:
    """Return an FSDP2 model of one rank."""
    import torch
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh("cpu", (1, 1), mesh_dim_names=("replicas", "shards"))
    return fully_shard(torch.nn.Linear(4, 3), mesh=mesh)


def train_shards() -> float:
    """Train an FSDP2 model that is told never to reduce."""
    import torch

    torch.manual_seed(0)
    model = shard()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        model.set_requires_gradient_sync(False)
        model(torch.randn(2, 4)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return float(sum(parameter.full_tensor().sum() for parameter in model.parameters()))


def own_shards(sync: str) -> None:
    """Own the gradients of an FSDP2 model, and throw a window away."""
    import torch

    import zerograd

    model = shard()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer, model=model, accumulate=2, sync=sync)
    gradients.backward(model(torch.ones(2, 4)).square().mean(), items=2)
    gradients.discard()


def train_unequally() -> float:
    """Train on means over unequal micro-batches, by two losses that save different things."""
    import torch
    from torch.nn.functional import cross_entropy, mse_loss

    torch.manual_seed(0)
    classes = [torch.zeros(size, dtype=torch.long) for size in (7, 2)]
    values = [torch.randn(size, 3) for size in (7, 2)]
    return train_by(cross_entropy, classes) + train_by(mse_loss, values)


def train_by(loss: Any, targets: Any) -> float:
    """Train on windows of these micro-batches."""
    import torch

    model = torch.nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        for target in targets:
            (loss(model(torch.randn(len(target), 4)), target) / 2).backward()
        optimizer.step()
        optimizer.zero_grad()
    return float(sum(parameter.sum() for parameter in model.parameters()))


def train_in_modes() -> float:
    """Train under modes of the program's own, and once with shapes alone."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.overrides import TorchFunctionMode
    from torch.utils.flop_counter import FlopCounterMode

    class Passes(TorchFunctionMode):
        """Hears of everything, and changes nothing."""

        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            return function(*args, **(kwargs or {}))

    torch.manual_seed(0)
    with FakeTensorMode():
        train_unequally_once(torch.nn.Linear(4, 3))
    model = torch.nn.Linear(4, 3)
    with Passes(), FlopCounterMode(display=False):
        train_unequally_once(model)
    return float(sum(parameter.sum() for parameter in model.parameters()))


def train_unequally_once(model: Any) -> None:
    """Make two steps of two micro-batches."""
    import torch

    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        for size in (3, 2):
            (model(torch.randn(size, 4)).square().mean() / 2).backward()
        optimizer.step()
        optimizer.zero_grad()


def train_compiled() -> float:
    """Train a compiled model, whose optimizer is compiled along."""
    import torch

    torch.manual_seed(0)
    model = torch.nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    compiled = torch.compile(model, backend="eager")
    for _ in range(3):
        compiled(torch.randn(2, 4)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return float(sum(parameter.sum() for parameter in model.parameters()))


def own_compiled() -> None:
    """Own the gradients of a compiled model."""
    import torch

    import zerograd

    model = torch.nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    compiled: Any = torch.compile(model, backend="eager")
    gradients = zerograd.Gradients(optimizer, model=compiled)
    gradients.backward(model(torch.ones(2, 4)).square().mean())


def keep() -> None:
    """Write a checkpoint, and read it back."""
    import torch

    import zerograd

    model = torch.nn.Linear(4, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer, accumulate=2)
    for _ in range(3):
        gradients.backward(model(torch.randn(4, 4)).square().mean(), items=4)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.pt"
        zerograd.checkpoint(file, gradients, model=model)
        zerograd.resume(file, gradients, model=model)


def compare() -> dict[str, object]:
    """Return why a split changes the gradients of a model with running means."""
    import torch

    from zerograd.testing import assert_same_gradients

    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
    try:
        assert_same_gradients(
            model, lambda model, batch: model(batch).square().mean(), torch.randn(8, 4)
        )
    except AssertionError as error:
        return {"differs": str(error)}
    return {"differs": None}


def own_wide() -> None:
    """Accumulate in fp32 what is computed in bf16."""
    import torch

    import zerograd

    model = torch.nn.Linear(4, 3).bfloat16()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer, accumulate=2, accumulate_dtype=torch.float32)
    gradients.backward(model(torch.ones(2, 4).bfloat16()).square().mean())


def alone() -> None:
    """Be the only rank."""
    import torch
    from torch._C._distributed_c10d import HashStore

    torch.distributed.init_process_group("gloo", store=HashStore(), rank=0, world_size=1)


def together(programs: Callable[[], dict[str, object]]) -> dict[str, object]:
    """Run on two ranks, and return what the first one said."""
    import torch
    from torch._C._distributed_c10d import FileStore

    with tempfile.NamedTemporaryFile() as meeting:
        child = os.fork()
        store, wait = FileStore(meeting.name, 2), timedelta(seconds=100)
        rank = 0 if child else 1
        torch.distributed.init_process_group(
            "gloo", store=store, rank=rank, world_size=2, timeout=wait
        )
        try:
            said = programs()
        finally:
            if not child:
                os._exit(0)
        os.waitpid(child, 0)
    return said


def compare_ranks() -> int:
    """Train as `zerograd watch --nproc 2` watches; return how often ranks would be compared."""
    from zerograd.watch.process.session import Session

    held: list[object] = []
    session = Session(on_held=held.append)
    session.start()
    train_on_ranks()
    session.stop()
    return len(held)


def run_ranks() -> dict[str, object]:
    """Train and own a DDP wrapper, on two ranks."""
    return together(
        lambda: {
            "compared": compare_ranks(),
            "watch": watched(train_on_ranks),
            **refused(own_a_wrapper),
        }
    )


def run_shards() -> dict[str, object]:
    """Train and own an FSDP2 model."""
    alone()
    trained = watched(train_shards)
    asked = [refused(lambda sync=sync: own_shards(sync)) for sync in ("window", "shards")]  # type: ignore[misc]
    return {"watch": trained, "refused": asked[0]["refused"] or asked[1]["refused"]}


def run_watch() -> dict[str, object]:
    """Train with a scaler, and own with and without one."""
    return {"watch": watched(train), "engine": engine(), **refused(own_scaled)}


PROGRAMS: dict[str, Callable[[], dict[str, object]]] = {
    "watch": run_watch,
    "ranks": run_ranks,
    "shards": run_shards,
    "unequal": lambda: {"watch": watched(train_unequally), **refused(own_wide)},
    "modes": lambda: {"watch": watched(train_in_modes), "refused": None},
    "compiled": lambda: {"watch": watched(train_compiled), **refused(own_compiled)},
    "kept": lambda: {"watch": watched(train_unequally), **compare(), **refused(keep)},
}


def run(program: str) -> dict[str, object]:
    """Return what a program did, and the rules that were not heard."""
    from zerograd.hooks import torch_parts as capabilities

    said = PROGRAMS[program]()
    return {**said, "unheard": capabilities.unheard()}


def hidden(asked: list[str]) -> None:
    """Fork once for each part, and run its program without it."""
    import torch._dynamo
    import torch.distributed.fsdp  # noqa: F401

    for one in asked:
        if not (child := os.fork()):
            os._exit(told(one))
        os.waitpid(child, 0)


def told(one: str) -> int:
    """Print what a program said without its part; never raise, for this is a fork."""
    name, _, program = one.partition(":")
    Renaming.names_to_hide, Renaming.package = name.split("+"), "zerograd."
    if name:
        sys.meta_path.insert(0, Finder)
    try:
        said = run(program)
    except BaseException:
        said = {"died": traceback.format_exc()}
    print(json.dumps({"part": name, **said}), flush=True)
    return 0


def renamed(name: str, owner: str, program: str) -> None:
    """Run a program on a torch whose sources call this part otherwise."""
    if name:
        take_away(name, owner)
    print(json.dumps({"part": name, **run(program)}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1] == "hidden":
        hidden(sys.argv[2:])
    else:
        renamed(*sys.argv[2:])
