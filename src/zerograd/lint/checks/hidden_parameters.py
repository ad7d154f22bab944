"""ZG304: parameters that a module has and its `.parameters()` does not see.

`nn.Module` registers what is assigned to an attribute if it is a module or a parameter itself.
What stands in a plain list or dict is neither, and `nn.Parameter(...).cuda()` is a copy that was
computed from a parameter. The backward reaches both; `Adam(model.parameters())` holds neither.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.ownership import orphan_parameter
from zerograd.lint.checks.evidence.case import Case, Draft, Spot
from zerograd.lint.checks.evidence.new_modules import has_layers
from zerograd.lint.checks.evidence.optimizers import built
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.module import Class
from zerograd.lint.program.scope import BindingKind
from zerograd.lint.program.syntax import last_name, text, walk
from zerograd.lint.values import call_frames
from zerograd.lint.values.call_results import PARAMETER_METHODS
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lifecycle.verdicts.verdict import Verdict
    from zerograd.lint.program.module import Function, Module
    from zerograd.lint.values.resolver import Resolver
    from zerograd.lint.values.value import CallFrame

LARGEST = 60
"""Classes that one model is searched through."""

MOVES = frozenset({"to", "cuda", "float", "double", "half", "bfloat16", "type"})
"""Methods that return another tensor wherever they change anything."""

PLAIN = ast.List | ast.ListComp | ast.Dict | ast.DictComp
GROWING = frozenset({"append", "extend", "insert"})
OWN_WAYS = frozenset({"_apply", "named_parameters", "parameters"})
"""Methods by which a class may show more than is registered."""

ON_PURPOSE = re.compile(
    r"requires_grad|pretrained|load_state_dict|register_parameter|torch\.load|setattr\(|add_module\("
)
"""What a class says that hides modules because they are not to be trained, or registers them."""

COPY = (
    "is computed from a parameter and is none itself",
    "assign the `nn.Parameter` as it is, and move the whole module",
)
LIST = ("is a plain list of modules, which `.parameters()` does not see", "use an `nn.ModuleList`")
DICT = ("is a plain dict of modules, which `.parameters()` does not see", "use an `nn.ModuleDict`")


@record(frozen=True)
class _Hidden:
    attr: str
    node: ast.expr
    cls: Class
    why: str
    help: str


@record(frozen=True, eq=False)
class _Holder:
    """A construction of an optimizer over the `.parameters()` of classes of the project."""

    label: str
    site: ast.Call
    module: Module
    classes: list[Class]


def check(case: Case) -> Iterator[Draft]:
    """Look through the classes of the modules that optimizers are built over."""
    told: set[int] = set()
    holders = [*_built_here(case), *_built_by_itself(case)] if case.has(CallEffect.DEPOSIT) else ()
    for holder in holders:
        for hidden in _hidden(holder.classes, case.resolver):
            gathered = _is_gathered(hidden, holder)
            verdict = orphan_parameter(deposited=True, held=gathered, used=False, meant=True)
            if verdict is not None and id(hidden.node) not in told:
                told.add(id(hidden.node))
                yield _draft(verdict, hidden, holder)


def _built_here(case: Case) -> Iterator[_Holder]:
    for item in built(case):
        frame = item.value.frame
        values = [
            case.resolver.value(asked, frame)
            for given in item.site.args[:1]
            for node in walk(given)
            if frame is not None and (asked := _asked_for_parameters(node)) is not None
        ]
        targets = [value.target for value in values if value is not None]
        classes = [target for target in targets if isinstance(target, Class)]
        yield _Holder(f"`{item.label}`", item.site, item.module, classes)


def _built_by_itself(case: Case) -> Iterator[_Holder]:
    """Yield what a module with a training loop of its own builds over `self.parameters()`."""
    owners = {event.frame.function.owner for event in case.plan.events}
    for owner in owners - {None}:
        for cls in call_frames.lineage(owner, case.resolver):
            for method in cls.methods.values():
                frame = case.resolver.alone(method, cls)
                for call in (node for node in walk(method.node) if isinstance(node, ast.Call)):
                    whole = any(
                        asked is not None and text(asked) == method.self_name
                        for asked in map(_asked_for_parameters, call.args[:1])
                    )
                    name = (case.resolver.origin(call.func, frame) or "") if whole else ""
                    if name.startswith("torch.optim."):
                        yield _Holder(
                            f"the optimizer of line {call.lineno}", call, cls.module, [cls]
                        )


def _asked_for_parameters(node: ast.AST) -> ast.expr | None:
    """Return `model` of `model.parameters()`."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in PARAMETER_METHODS
    ):
        return node.func.value
    return None


def _draft(verdict: Verdict, hidden: _Hidden, holder: _Holder) -> Draft:
    """Stand on the attribute, which has to be changed, or on the construction in another file."""
    made = Spot(hidden.node, hidden.cls.module)
    held = Spot(holder.site, holder.module)
    here = made.module is held.module
    name = f"self.{hidden.attr}" if here else f"{hidden.cls.name}.{hidden.attr}"
    evidence = ("built here", held) if here else ("made here", made)
    return Draft(
        verdict,
        made if here else held,
        f"`{name}` {hidden.why}: {holder.label} does not hold it",
        hidden.help,
        [evidence],
    )


def _hidden(classes: list[Class], resolver: Resolver) -> Iterator[_Hidden]:
    """Yield what some classes hide, and what the parts hide that they make."""
    todo = list(classes)
    for cls in todo:
        if len(todo) > LARGEST:
            return
        for ancestor in call_frames.lineage(cls, resolver):
            parts, hidden = _read(ancestor, resolver)
            todo += [part for part in parts if part not in todo]
            yield from hidden


def _read(cls: Class, resolver: Resolver) -> tuple[list[Class], list[_Hidden]]:
    """Return the classes that a class makes objects of, and what it hides: read once."""
    memory = resolver.body(cls.module).resolved
    known = memory.get(("hidden", cls))
    if not isinstance(known, tuple):
        resolver.budget.spend(len(cls.methods))
        hidden = [] if _shows_more(cls) else list(_hidden_in(cls, resolver))
        known = memory["hidden", cls] = (_parts(cls, resolver), hidden)
    return known


def _parts(cls: Class, resolver: Resolver) -> list[Class]:
    """Return the classes of the project whose objects a class makes anywhere."""
    found = []
    for method in cls.methods.values():
        frame = resolver.alone(method, cls)
        for node in walk(method.node):
            target = resolver.definition(node.func, frame) if isinstance(node, ast.Call) else None
            if isinstance(target, Class):
                found.append(target)
    return found


def _shows_more(cls: Class) -> bool:
    """Tell whether a class registers by other means, or says that what it has is not to train."""
    first, last = cls.node.lineno, cls.node.end_lineno or 0
    lines = cls.module.source.text.splitlines()[first - 1 : last]
    return not OWN_WAYS.isdisjoint(cls.methods) or any(map(ON_PURPOSE.search, lines))


def _hidden_in(cls: Class, resolver: Resolver) -> Iterator[_Hidden]:
    init = cls.methods.get("__init__")
    if init is None or "Module" not in {
        base.rpartition(".")[2] for base in call_frames.outside_bases(cls, resolver)
    }:
        return
    frame = resolver.alone(init, cls)
    prefix = f"{init.self_name}."
    for target, bindings in init.scope.bindings.items():
        attr = target.removeprefix(prefix)
        if not target.startswith(prefix) or "." in attr or not _is_run(cls, attr):
            continue
        plain = len(bindings) == 1 and bindings[0].how is BindingKind.ASSIGNED
        value = bindings[0].value if plain and not bindings[0].index else None
        if value is None:
            continue
        if _is_copy(value):
            yield _Hidden(attr, value, cls, *COPY)
            continue
        value, names = _container(init, target, value)
        if _holds_modules(init, names, value, frame, resolver) and not _is_handed_on(init, names):
            yield _Hidden(attr, value, cls, *(DICT if _is_dict(value) else LIST))


def _container(init: Function, target: str, value: ast.expr) -> tuple[ast.expr, list[str]]:
    """Return the list behind `self.layers = layers` with its names, or what was assigned itself."""
    if isinstance(value, ast.Name):
        bound = init.scope.bindings.get(value.id, [])
        if len(bound) == 1 and isinstance(bound[0].value, PLAIN):
            return bound[0].value, [target, value.id]
    return value, [target]


def _is_dict(value: ast.expr) -> bool:
    return isinstance(value, ast.Dict | ast.DictComp)


def _is_copy(value: ast.expr) -> bool:
    """`nn.Parameter(...).to(device)`: on another device, not the parameter that was made."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr not in MOVES:
            return False
        value = value.func.value
        if isinstance(value, ast.Call) and last_name(value.func) == "Parameter":
            return not any(item.arg == "requires_grad" for item in value.keywords)
    return False


def _holds_modules(
    init: Function, names: list[str], value: ast.expr, frame: CallFrame, resolver: Resolver
) -> bool:
    """Tell whether every element of a list or dict is a module that is made for it."""
    if not isinstance(value, PLAIN):
        return False
    made = [*_elements(value), *_put_in(init, names)]
    values = [resolver.value(node, frame) for node in made]
    # `self.teacher = [Teacher()]` hides one module on purpose.
    several = (
        len(made) > 1 or isinstance(value, ast.ListComp | ast.DictComp) or not _elements(value)
    )
    return (
        bool(made)
        and several
        and all(isinstance(node, ast.Call) for node in made)
        and all(
            one is not None and one.site is node and has_layers(one, resolver)
            for one, node in zip(values, made, strict=True)
        )
    )


def _elements(value: ast.expr) -> list[ast.expr]:
    if isinstance(value, ast.List):
        return value.elts
    if isinstance(value, ast.Dict):
        return value.values
    if isinstance(value, ast.ListComp):
        return [value.elt]
    return [value.value] if isinstance(value, ast.DictComp) else []


def _put_in(init: Function, names: list[str]) -> Iterator[ast.expr]:
    """Yield what the constructor appends to a list: `self.layers.append(nn.Linear(3, 4))`."""
    for node in walk(init.node):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in GROWING
            and text(node.func.value) in names
        ):
            yield from node.args[-1:]


def _is_handed_on(init: Function, names: list[str]) -> bool:
    """Tell whether the constructor reads what it made: `nn.Sequential(*self.layers)`."""
    known = {
        id(node.func.value)
        for node in walk(init.node)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in GROWING
    }
    # `self.layers = layers` gives the list its second name.
    known |= {id(found[0].value) for name in names if (found := init.scope.bindings.get(name))}
    return any(
        isinstance(node, ast.Attribute | ast.Name)
        and isinstance(node.ctx, ast.Load)
        and text(node) in names
        and id(node) not in known
        for node in walk(init.node)
    )


def _is_run(cls: Class, attr: str) -> bool:
    """Tell whether another method of the class uses an attribute, and none binds it anew."""
    used = False
    for name, method in cls.methods.items():
        if name == "__init__":
            continue
        target = f"{method.self_name}.{attr}"
        if target in method.scope.bindings:
            return False
        used = used or any(
            isinstance(node, ast.Attribute) and text(node) == target for node in walk(method.node)
        )
    return used


def _is_gathered(hidden: _Hidden, holder: _Holder) -> bool:
    """Tell whether what builds the optimizer names the attribute: it may add what is missing."""
    inside = range(hidden.cls.node.lineno, (hidden.cls.node.end_lineno or 0) + 1)
    here = holder.module is hidden.cls.module
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == hidden.attr
        and not (here and node.lineno in inside)
        for node in walk(holder.module.tree)
    )
