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
from zerograd.lint.knowledge.torch_names import TENSOR_NAMES
from zerograd.lint.program.module import Function
from zerograd.lint.program.scope import Binding, BindingKind, returns
from zerograd.lint.program.syntax import children, last_name, root_name, text
from zerograd.lint.values import call_frames, parameter_sets
from zerograd.lint.values.spelling import bindings_of
from zerograd.lint.values.value import CallFrame, Key, Value, ValueKind
from zerograd.record import field, record
from zerograd.source.names import words

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
BUILTINS = frozenset(
    {"abs", "dict", "enumerate", "filter", "float", "int", "iter", "len", "list", "map", "max"}
    | {"min", "next", "open", "range", "reversed", "round", "set", "sorted", "str", "sum"}
    | {"tuple", "zip"}
)
"""What they return was among what they were given, or is a number."""

LIBRARIES = (
    *("torch.", "F.", "math.", "numpy.", "np.", "random.", "argparse.", "collections.", "scipy."),
    *("itertools.", "einops.", "torchvision.transforms.", "time.", "os.", "json.", "pickle."),
)
"""Beginnings of functions that have no parameters of their own."""

PLAIN_METHODS = TENSOR_NAMES | {
    *("entropy", "log_prob", "rsample", "scale", "parse_args", "parse_known_args", "__iter__"),
    *("items", "values", "keys", "astype", "split", "strip", "replace", "format", "join", "lower"),
    *("readlines", "read"),
}
"""Methods of tensors, distributions, scalers, dicts and texts: each has what its object has."""

TENSOR_CLASSES = frozenset({"Tensor", "FloatTensor", "LongTensor", "DoubleTensor", "Variable"})
DRAWING = frozenset({"get_batch", "get_sample", "next", "sample", "sample_batch", "__next__"})
STORES = frozenset(
    {"buffer", "data", "dataloader", "dataset", "iter", "iterator", "loader", "memory", "replay"}
)
"""Words of names of what data is drawn from: it was stored without a graph."""

NEW_DATA = frozenset(
    {"torch.tensor", "torch.from_numpy", "torch.arange", "torch.randint", "torch.FloatTensor"}
    | {"torch.LongTensor", "torch.Tensor", "torch.as_tensor"}
)
"""Calls that make a tensor of numbers: it has no graph, whatever the numbers were taken from."""


@record()
class _Slice:
    resolver: Resolver
    known: frozenset[Key]
    sure: bool = False
    """Stop at every call that was not read: it may cut the graph."""

    found: set[Key] = field(default_factory=set)
    complete: bool = True
    stopped: str | None = None
    opaque: bool = False
    unread: bool = False
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


def surely_reached(event: SourceEvent, plan: RootPlan, resolver: Resolver) -> frozenset[Key]:
    """Return what a loss is computed with whatever the calls do that were not read.

    `D(helper(G(z))).mean()`: `D` for sure. Whether `G` learns from it, `helper` decides.
    """
    work = _Slice(resolver, _known(plan, resolver), sure=True)
    work.push(event.loss, event.frame, 0)
    return frozenset(work.found) if work.follow() else frozenset()


def _known(plan: RootPlan, resolver: Resolver) -> frozenset[Key]:
    return frozenset().union(
        *(holder.atoms or () for holder in plan.holders), _built(plan, resolver)
    )


def _reach_of(event: SourceEvent, plan: RootPlan, resolver: Resolver) -> ReachedValues:
    if event.loss is None:
        return ReachedValues(None, complete=False)
    work = _Slice(resolver, _known(plan, resolver))
    work.push(event.loss, event.frame, 0)
    if not work.follow():
        return ReachedValues(frozenset(work.found), complete=False, calls=tuple(work.calls))
    sure = frozenset(work.found)
    for item in work.later:
        work.push(*item)
    complete = work.follow() and work.complete
    found = frozenset(work.found)
    return ReachedValues(
        found, complete, work.stopped, work.opaque, work.unread, tuple(work.calls), found - sure
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
    elif isinstance(node, ast.ListComp | ast.GeneratorExp) and _detaches_each(node):
        _cut(work, "`.detach()` cuts it off")
    elif isinstance(node, ast.Lambda | ast.Compare):
        # A comparison has no gradient.
        return
    else:
        for child in children(node):
            work.push(child, frame, depth)


def _detaches_each(node: ast.ListComp | ast.GeneratorExp) -> bool:
    """`[rep.detach().requires_grad_() for rep in reps]`: none of the items keeps its graph."""
    item: ast.expr = node.elt
    while isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute):
        if item.func.attr == "detach":
            return text(item.func.value) == text(node.generators[0].target)
        item = item.func.value
    return False


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
    """Follow one assignment; what a loop draws is data, unless a module made what it walks."""
    if binding.how is BindingKind.ITERATED and not lossy(name):
        for output in _outputs_in(work, binding.value, home):
            work.push(output, home, depth)
        return
    if binding.how is not BindingKind.ITERATED and quiet(binding, home):
        _cut(work, "it was computed under `no_grad`")
        return
    work.push(binding.value, home, depth)


def _outputs_in(work: _Slice, walked: ast.expr | None, home: CallFrame) -> list[ast.expr]:
    """`for part, label in zip(out.chunk(4), y.chunk(4))`: the calls of modules behind `out`."""
    return [
        binding.value
        for node in (ast.walk(walked) if walked is not None else ())
        if isinstance(node, ast.Name)
        for binding in before(bindings_of(node, home)[0], node)
        if binding.how is BindingKind.ASSIGNED and isinstance(binding.value, ast.Call)
        for value in (work.resolver.value(binding.value.func, home),)
        if value is not None and value.kind is ValueKind.MODULE
    ]


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
    read = target or (value.target if value is not None else None)
    if read is None and _may_cut(work, node, value, frame, depth):
        return
    _given(work, node, frame, depth, read)
    if value is not None and value.key and _found_module(work, value):
        return
    if target is None and value is not None and isinstance(value.target, Function):
        target = value.target
    if isinstance(target, Function):
        _function(work, target, node, frame, depth)
        return
    work.opaque = work.opaque or not _plain(work, node, value, frame, depth)
    if isinstance(func, ast.Attribute):
        _method(work, func, frame, depth)


def _found_module(work: _Slice, value: Value) -> bool:
    """Add the parameters of a module that is called; false when it is none."""
    if _is_held(work, value):
        work.found |= {value.key} | parameter_sets.made_inside(work.resolver, value)
        return True
    if value.kind is not ValueKind.MODULE:
        return False
    inside = parameter_sets.within(work.resolver, value) or frozenset()
    work.found |= inside - {value.key} if is_empty(value, work.resolver) else inside
    return True


def _is_held(work: _Slice, value: Value) -> bool:
    """Tell whether an optimizer holds what is called, a part of it, or what it is a part of."""
    key = value.key
    return value.kind is not ValueKind.FUNCTION and any(
        atom[: len(key)] == key or key[: len(atom)] == atom for atom in work.known
    )


def _may_cut(
    work: _Slice, node: ast.Call, value: Value | None, frame: CallFrame, depth: int
) -> bool:
    """Tell whether a call may cut the graph, where only what is sure is asked for."""
    if not work.sure:
        return False
    if (
        value is not None
        and value.key
        and (value.kind is ValueKind.MODULE or _is_held(work, value))
    ):
        return False
    unread, work.unread = work.unread, False
    plain = _plain(work, node, value, frame, depth)
    plain, work.unread = plain and not work.unread, unread
    return not plain


def _given(work: _Slice, node: ast.Call, frame: CallFrame, depth: int, read: object) -> None:
    """Follow the arguments of a call; what an unseen callee takes from a dict is unknown.

    A function that is read is followed into: its arguments count where it makes something of them.
    """
    for item in [*node.args, *(item.value for item in node.keywords)]:
        if isinstance(read, Function) or (read is None and _is_mapping(item, frame)):
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


def _plain(work: _Slice, node: ast.Call, value: Value | None, frame: CallFrame, depth: int) -> bool:
    """Tell whether a call reaches no parameters but those behind its receiver and its arguments.

    A function of another file, which cannot be read, knows nothing of this file's modules; so does
    an object of its classes, but for what it was made from.
    """
    func = node.func
    name = work.resolver.origin(func, frame) or ""
    if name.startswith(LIBRARIES) or name in BUILTINS:
        return True
    if value is not None and is_bare(value):
        return True
    if last_name(func) in TENSOR_CLASSES:
        return True
    if isinstance(func, ast.Attribute) and (func.attr in PLAIN_METHODS or _draws(func)):
        return True
    work.unread = True
    return _is_imported(func, frame) or _is_made_elsewhere(work, func, frame, depth)


def _draws(func: ast.Attribute) -> bool:
    """`replay_buffer.sample(32)`, `loader_iter.next()`: data, whatever was computed with it."""
    receiver = last_name(func.value) or last_name(getattr(func.value, "func", func.value)) or ""
    return func.attr in DRAWING and not STORES.isdisjoint(words(receiver.strip("_")))


def _is_imported(func: ast.expr, frame: CallFrame) -> bool:
    """Tell whether a function is another file's, by its own name or by its module's."""
    root = root_name(func)
    found, _ = bindings_of(ast.Name(root), frame) if root is not None else ([], None)
    return root in frame.function.module.imports and not found


def _is_made_elsewhere(work: _Slice, func: ast.expr, frame: CallFrame, depth: int) -> bool:
    """`criterion = losses.Perceptual(vgg)`: an object of another file's class, and its parts."""
    makers = _makers(func, frame)
    made = [
        (maker, home)
        for maker, home in makers
        if isinstance(maker, ast.Call) and _is_imported(maker.func, home)
    ]
    if not made or len(made) < len(makers):
        return False
    for maker, home in made:
        for item in children(maker):
            work.push(item, home, depth + 1)
    return True


def _makers(func: ast.expr, frame: CallFrame) -> list[tuple[ast.expr | None, CallFrame]]:
    """Return what was assigned to the name, or to the attribute of self, that is called."""
    if isinstance(func, ast.Name):
        found, home = bindings_of(func, frame)
        return [(item.value, home) for item in found] if home is not None else []
    owner, name = frame.function.owner, call_frames.self_name(frame.function)
    if owner is None or not isinstance(func, ast.Attribute) or root_name(func) != name:
        return []
    if not isinstance(func.value, ast.Name):
        return []
    return [
        (item.value, CallFrame(method, receiver=frame.receiver))
        for method, found in owner.assignments(func.attr)
        for item in found
    ]


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
