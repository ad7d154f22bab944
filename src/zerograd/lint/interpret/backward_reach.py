"""How far a backward reaches: the loss is followed back to the modules and tensors it used.

Worked example, a GAN's generator step, where optimizers hold `G` and `D`:

    fake = G(z)                                 1
    score = D(fake)                             2
    loss = bce(score, real) + penalty(fake)     3
    loss.backward()                             4

The slice starts at `loss` in line 4. Its last binding before that line is 3, a sum: both sides are
visited. `bce(...)` is a call of a parameterless module of torch, so its arguments are visited.
`score` leads to 2, where `D` is called: `D` is found, and its argument leads on to 1 and `G`.
`penalty` cannot be resolved: the reach is *opaque*, for it may have parameters of its own.

    atoms = {D, G}, complete, opaque            -> must = D and G, since both were surely used;
                                                   any third optimizer: may

With `D(fake.detach())` the attribute `detach` stops the slice: `stopped` says so, and `G` would be
found by `penalty(fake)` alone. A parameter called `loss` of a function that nobody calls makes the
reach incomplete: then nothing is *must*.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zerograd.lint.interpret.origins import (
    GROWING,
    QUIET,
    before,
    brings_graph,
    changes,
    is_bare,
    is_empty,
    lossy,
    quiet,
)
from zerograd.lint.interpret.reached_values import ReachedValues
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.module import Function
from zerograd.lint.program.scope import Binding, BindingKind, returns
from zerograd.lint.program.syntax import children
from zerograd.lint.values import call_frames, parameter_sets
from zerograd.lint.values.spelling import bindings_of
from zerograd.lint.values.value import CallFrame, Key, Value, ValueKind
from zerograd.record import field, record

if TYPE_CHECKING:
    from zerograd.lint.events import SourceEvent
    from zerograd.lint.interpret.plan import RootPlan
    from zerograd.lint.values.resolver import Resolver

LARGEST = 600
DEEP = 6
STOPS = frozenset(
    {
        "argmax",
        "bool",
        "data",
        "detach",
        "detach_",
        "int",
        "item",
        "long",
        "numpy",
        "shape",
        "size",
        "tolist",
    }
)
BUILTINS = frozenset({"abs", "sum", "max", "min", "len"})
NEW_DATA = frozenset(
    {"torch.tensor", "torch.from_numpy", "torch.arange", "torch.randint", "torch.FloatTensor"}
    | {"torch.LongTensor", "torch.Tensor", "torch.as_tensor"}
)
"""Calls that make a tensor of numbers: it has no graph, whatever the numbers were taken from."""

TENSOR_METHODS = frozenset(
    {
        "mean",
        "sum",
        "square",
        "pow",
        "abs",
        "view",
        "reshape",
        "float",
        "log",
        "exp",
        "norm",
        "squeeze",
        "unsqueeze",
        "to",
        "cuda",
        "cpu",
        "flatten",
    }
)


@record()
class _Slice:
    resolver: Resolver
    known: frozenset[Key]
    found: set[Key] = field(default_factory=set)
    complete: bool = True
    stopped: str | None = None
    opaque: bool = False
    calls: list[tuple[ast.Call, CallFrame]] = field(default_factory=list)
    later: list[tuple[ast.AST, CallFrame, int]] = field(default_factory=list)
    """Containers handed to a call: followed when everything else was."""

    seen: set[tuple[int, int]] = field(default_factory=set)
    todo: list[tuple[ast.AST, CallFrame, int]] = field(default_factory=list)

    def push(self, node: ast.AST | None, frame: CallFrame, depth: int) -> None:
        if node is not None and (id(node), id(frame)) not in self.seen:
            self.seen.add((id(node), id(frame)))
            self.todo.append((node, frame, depth))

    def follow(self) -> bool:
        """Visit what is left to visit; false when there is too much of it."""
        while self.todo:
            if len(self.seen) > LARGEST:
                return False
            self.resolver.budget.spend()
            _visit(self, *self.todo.pop())
        return True


def reach_of(event: SourceEvent, plan: RootPlan, resolver: Resolver) -> ReachedValues:
    """Return what a deposit's loss was computed from; asked twice, followed once."""
    if event not in plan.reaches:
        plan.reaches[event] = _reach_of(event, plan, resolver)
    return plan.reaches[event]


def _reach_of(event: SourceEvent, plan: RootPlan, resolver: Resolver) -> ReachedValues:
    if event.loss is None:
        return ReachedValues(None, complete=False)
    known = frozenset().union(
        *(holder.atoms or () for holder in plan.holders), _built(plan, resolver)
    )
    work = _Slice(resolver, known)
    work.push(event.loss, event.frame, 0)
    if not work.follow():
        return ReachedValues(frozenset(work.found), complete=False, calls=tuple(work.calls))
    sure = frozenset(work.found)
    for item in work.later:
        work.push(*item)
    complete = work.follow() and work.complete
    found = frozenset(work.found)
    return ReachedValues(
        found, complete, work.stopped, work.opaque, tuple(work.calls), found - sure
    )


def _built(plan: RootPlan, resolver: Resolver) -> set[Key]:
    """Return what the optimizers hold that are built or cleared here, stepped or not."""
    return {
        atom
        for event in plan.events
        if event.effect in (CallEffect.BUILD, CallEffect.CLEAR)
        for target in event.targets
        if target.kind is ValueKind.OPTIMIZER and plan.index(target.key) is None
        for atom in parameter_sets.of_optimizer(resolver, target) or ()
    }


def _visit(work: _Slice, node: ast.AST, frame: CallFrame, depth: int) -> None:
    if isinstance(node, ast.Name):
        _name(work, node, frame, depth)
    elif isinstance(node, ast.Attribute):
        if node.attr in STOPS:
            _cut(work, f"`.{node.attr}` cuts it off" if node.attr == "data" else None)
            return
        _attribute(work, node, frame, depth)
    elif isinstance(node, ast.Call):
        _call(work, node, frame, depth)
    elif isinstance(node, ast.Lambda | ast.Compare):
        # A comparison has no gradient.
        return
    else:
        for child in children(node):
            work.push(child, frame, depth)


def _name(work: _Slice, node: ast.Name, frame: CallFrame, depth: int) -> None:
    value = work.resolver.value(node, frame)
    if value is not None and value.kind in (ValueKind.LEAF, ValueKind.MODULE) and value.key:
        work.found |= parameter_sets.within(work.resolver, value) or set()
        return
    found, home = bindings_of(node, frame)
    if home is None:
        return
    if not found:
        given = home.arguments.get(node.id)
        if given is not None:
            work.push(given[0], given[1], depth + 1)
        elif node.id in home.function.scope.parameters and brings_graph(node.id):
            work.complete = False
        return
    work.resolver.budget.spend(len(found))
    for changed in changes(home).get(node.id, ()):
        work.push(changed, home, depth)
    for binding in before(found, node):
        _binding(work, binding, node.id, home, depth)


def _binding(work: _Slice, binding: Binding, name: str, home: CallFrame, depth: int) -> None:
    """Follow one assignment; what a loop draws is data, unless its name says otherwise."""
    if binding.how is BindingKind.ITERATED and not lossy(name):
        return
    if binding.how is not BindingKind.ITERATED and quiet(binding, home):
        _cut(work, "it was computed under `no_grad`")
        return
    work.push(binding.value, home, depth)


def _cut(work: _Slice, reason: str | None) -> None:
    work.stopped = work.stopped or reason


def _attribute(work: _Slice, node: ast.Attribute, frame: CallFrame, depth: int) -> None:
    value = work.resolver.value(node, frame)
    if value is not None and value.kind in (ValueKind.LEAF, ValueKind.MODULE) and value.key:
        work.found |= parameter_sets.within(work.resolver, value) or set()
        return
    if isinstance(node.value, ast.Name) and node.value.id == call_frames.self_name(frame.function):
        _stored(work, node, frame, depth)
        return
    work.push(node.value, frame, depth)


def _stored(work: _Slice, node: ast.Attribute, frame: CallFrame, depth: int) -> None:
    """`self.loss`, `self.transition`: what the methods of the class put there."""
    owner = frame.function.owner
    methods = owner.methods.values() if owner is not None else ()
    found = False
    for method in methods:
        name = call_frames.self_name(method)
        for binding in method.scope.bindings.get(f"{name}.{node.attr}", ()):
            found = True
            if method.last_name == "__init__" and not lossy(node.attr):
                continue
            inside = (
                frame if method is frame.function else CallFrame(method, receiver=frame.receiver)
            )
            if not quiet(binding, inside):
                work.push(binding.value, inside, depth + 1)
    if lossy(node.attr) and (not found or depth > DEEP):
        work.complete = False
    if any(frame.function.module.mentions(f".{node.attr}.{name}(") for name in GROWING):
        # What is put into it elsewhere may have been computed by any module.
        work.opaque = True


def _call(work: _Slice, node: ast.Call, frame: CallFrame, depth: int) -> None:
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr in STOPS:
        _cut(work, f"`.{func.attr}()` cuts it off" if func.attr in ("detach", "item") else None)
        return
    if work.resolver.origin(func, frame) in NEW_DATA:
        return
    work.calls.append((node, frame))
    value = work.resolver.value(func, frame)
    target = work.resolver.definition(func, frame)
    if isinstance(target, Function) and _is_quiet(target):
        _cut(work, f"`{target.last_name}` runs under `no_grad`")
        return
    _given(work, node, frame, depth, opened=target is not None)
    if value is not None and value.key:
        if (
            any(
                atom[: len(value.key)] == value.key or value.key[: len(atom)] == atom
                for atom in work.known
            )
            and value.kind is not ValueKind.FUNCTION
        ):
            work.found.add(value.key)
            return
        if value.kind is ValueKind.MODULE:
            inside = parameter_sets.within(work.resolver, value) or frozenset()
            bare = is_empty(value, work.resolver)
            work.found |= inside - {value.key} if bare else inside
            return
    if target is None and value is not None and isinstance(value.target, Function):
        target = value.target
    if isinstance(target, Function):
        _function(work, target, node, frame, depth)
        return
    work.opaque = work.opaque or not _plain(work, node, value, frame)
    if isinstance(func, ast.Attribute):
        _method(work, func, frame, depth)


def _given(work: _Slice, node: ast.Call, frame: CallFrame, depth: int, *, opened: bool) -> None:
    """Follow the arguments of a call; what an unseen callee takes from a dict is unknown."""
    for item in [*node.args, *(item.value for item in node.keywords)]:
        if not opened and _is_mapping(item, frame):
            work.later.append((item, frame, depth))
        else:
            work.push(item, frame, depth)


def _is_mapping(node: ast.expr, frame: CallFrame) -> bool:
    """Tell whether an argument is a dict: the callee takes from it what it likes."""
    if isinstance(node, ast.Name):
        found, _ = bindings_of(node, frame)
        return any(isinstance(item.value, ast.Dict) for item in found)
    return isinstance(node, ast.Dict)


def _function(work: _Slice, target: Function, node: ast.Call, frame: CallFrame, depth: int) -> None:
    """Follow a function of the project, unless it runs without a graph."""
    if _is_quiet(target):
        _cut(work, f"`{target.last_name}` runs under `no_grad`")
    else:
        _returns(work, target, node, frame, depth)


def _is_quiet(target: Function) -> bool:
    return any(name.rpartition(".")[2] in QUIET for name in target.decorators)


def _plain(work: _Slice, node: ast.Call, value: Value | None, frame: CallFrame) -> bool:
    """Tell whether a call is torch's own or a tensor's: nothing with parameters."""
    name = work.resolver.origin(node.func, frame) or ""
    if name.startswith(("torch.", "F.", "math.", "numpy.")) or name in BUILTINS:
        return True
    if value is not None and is_bare(value):
        return True
    return isinstance(node.func, ast.Attribute) and node.func.attr in TENSOR_METHODS


def _method(work: _Slice, func: ast.Attribute, frame: CallFrame, depth: int) -> None:
    """Follow a method to its tensor; one of self that is not here hides everything."""
    base = work.resolver.value(func.value, frame)
    name = call_frames.self_name(frame.function)
    if isinstance(func.value, ast.Name) and func.value.id == name:
        if lossy(func.attr) or func.attr in ("forward", "step", "compute", "shared_step"):
            work.complete = False
        return
    known = (
        base is not None
        and base.key
        and any(atom[: len(base.key)] == base.key for atom in work.known)
    )
    if (
        base is not None
        and known
        and base.kind in (ValueKind.MODULE, ValueKind.INSTANCE, ValueKind.OTHER)
    ):
        work.found.add(base.key)
        return
    work.push(func.value, frame, depth)


def _returns(work: _Slice, target: Function, node: ast.Call, frame: CallFrame, depth: int) -> None:
    if depth > DEEP or frame.depth > DEEP * 2:
        work.complete = False
        return
    value = work.resolver.value(node.func, frame)
    inside = call_frames.called(target, node, frame, value.wraps if value else None)
    for returned in returns(target.node):
        work.push(returned, inside, depth + 1)
